import Foundation
import Testing

/// A file of Tests/Fixtures: cases that other frameworks have computed.
///
/// `Scripts/references` holds what makes the files and says what is in them.
public struct Fixture: Decodable, Sendable {
  /// The versions of the frameworks.
  public let versions: [String: String]
  /// The cases.
  public let cases: [FixtureCase]

  /// Reads a fixture by the name of its file.
  ///
  /// - Throws: what reading and decoding throw.
  public static func load(_ name: String) throws -> Fixture {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "Fixtures/\(name).json")
    return try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: file))
  }

  /// The case of a name.
  ///
  /// - Throws: ``FixtureError`` when there is none.
  public func testCase(_ name: String) throws -> FixtureCase {
    guard let found = cases.first(where: { $0.name == name }) else {
      throw FixtureError("no case \"\(name)\"")
    }
    return found
  }
}

/// A mistake in a fixture.
public struct FixtureError: Error, CustomStringConvertible {
  /// What is wrong.
  public let description: String

  /// Creates an error.
  public init(_ description: String) {
    self.description = description
  }
}

/// Layers with inputs, parameters, and the outputs that a framework computed.
public struct FixtureCase: Decodable, Sendable, CustomTestStringConvertible {
  /// The name; its first word is the family.
  public let name: String
  /// The framework and its version.
  public let source: String
  /// The layers in order of computation.
  public let layers: [FixtureLayer]
  /// The inputs, which layers call `input0`, `input1` and so on.
  public let inputs: [FixtureTensor]
  /// The parameters by layer and type, in Forge's layouts.
  public let parameters: [String: [String: FixtureTensor]]
  /// The outputs by the layer that gives them.
  public let outputs: [String: FixtureTensor]

  /// The first word of the name.
  public var family: String { String(name.prefix { $0 != " " }) }
  /// The name.
  public var testDescription: String { name }
}

/// A tensor in memory order.
public struct FixtureTensor: Decodable, Sendable {
  /// The sizes, outermost first.
  public let sizes: [Int]
  /// The values.
  public let values: [Float]

  private enum CodingKeys: String, CodingKey {
    case sizes, base64
  }

  /// Decodes little-endian values.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sizes = try container.decode([Int].self, forKey: .sizes)
    let data = try container.decode(Data.self, forKey: .base64)
    let count = sizes.reduce(1, *)
    guard data.count == 4 * count else {
      throw FixtureError("\(data.count) bytes for \(count) values")
    }
    values = data.withUnsafeBytes { bytes in
      (0..<count).map {
        let bits = bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
    }
  }
}
