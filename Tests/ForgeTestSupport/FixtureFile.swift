import Forge
import Foundation

/// Fixtures with many numbers: JSON whose numbers are tensors, all in one safetensors file.
///
/// `Scripts/references/fixtures.py` writes them and says how: the metadata of the file have the
/// JSON, in which the text `@` stands for the tensor that has the place as its name.
public enum FixtureFile {
  private static let key = CodingUserInfoKey(rawValue: "forge.fixture")
  /// What stands in place of a tensor.
  static let mark = "@"

  /// Reads a fixture, in which `"nan"`, `"inf"` and `"-inf"` are numbers too.
  ///
  /// - Throws: ``FixtureError``, and what reading and decoding throw.
  public static func decode<Content: Decodable>(
    _ type: Content.Type, from url: URL
  ) throws -> Content {
    let file = try SafeTensors(url.path)
    guard let key, let text = file.metadata["content"] else {
      throw FixtureError("\(url.lastPathComponent) has no content")
    }
    let decoder = JSONDecoder()
    decoder.userInfo[key] = file
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: Data(text.utf8))
  }

  /// The tensor that belongs to the place of a decoder.
  fileprivate static func tensor(
    at decoder: any Decoder
  ) throws -> (sizes: [Int], values: [Float]) {
    let name = decoder.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
      .joined(separator: "/")
    guard let key, let file = decoder.userInfo[key] as? SafeTensors,
      let tensor = file.tensors.first(where: { $0.name == name }), tensor.elementType == .float32
    else { throw FixtureError("no tensor \(name)") }
    var values: [Float] = []
    try file.data(named: name).withUnsafeBytes { bytes in
      values = (0..<bytes.count / 4).map {
        let bits = bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
    }
    return (tensor.sizes, values)
  }
}

/// A tensor of a fixture in memory order.
public struct FixtureTensor: Decodable, Sendable {
  /// The sizes, outermost first.
  public let sizes: [Int]
  /// The values.
  public let values: [Float]

  /// Reads the tensor of a place.
  public init(from decoder: any Decoder) throws {
    (sizes, values) = try FixtureFile.tensor(at: decoder)
  }
}

/// A list of numbers of a fixture: a tensor, or JSON if it is short, with `null` for NaN.
@propertyWrapper
public struct Numbers: Decodable, Sendable {
  /// The numbers.
  public let wrappedValue: [Float]

  /// Reads the list of a place.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if (try? container.decode(String.self)) == FixtureFile.mark {
      wrappedValue = try FixtureFile.tensor(at: decoder).values
    } else {
      wrappedValue = try container.decode([Float?].self).map { $0 ?? .nan }
    }
  }
}
