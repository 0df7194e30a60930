import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Where the test data of this folder and of the project are.
enum Fixtures {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")

  /// Whether this build reads compressed values: the trait Zip is on.
  #if Zip
    static let hasZlib = true
  #else
    static let hasZlib = false
  #endif

  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// One dataset that the generating script wrote.
  struct Expected: Sendable {
    let file: String
    let entry: String
    let type: String
    let sizes: [Int]
    let values: [Float]
  }

  /// Everything the generating script wrote.
  static let expected: [Expected] = {
    guard let text = try? String(contentsOfFile: path("expected.txt"), encoding: .utf8),
      let data = try? Data(contentsOf: folder.appendingPathComponent("expected.bin"))
    else { return [] }
    let all = data.withUnsafeBytes { bytes in
      (0..<(bytes.count / 4)).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self) }
    }
    return text.split(separator: "\n").map { line in
      let parts = line.split(separator: " ").map(String.init)
      let start = Int(parts[4]) ?? 0
      return Expected(
        file: parts[0], entry: parts[1], type: parts[2],
        sizes: parts[3] == "-" ? [] : parts[3].split(separator: ",").compactMap { Int($0) },
        values: Array(all[start..<(start + (Int(parts[5]) ?? 0))]))
    }
  }()

  /// The values the script wrote to one dataset.
  static func values(_ file: String, _ entry: String) throws -> [Float] {
    try #require(expected.first { $0.file == file && $0.entry == entry }).values
  }
}

/// A folder of its own for a test, removed at the end.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("forge-loaders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  private var writtenFiles = 0

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, bytes: [UInt8]) throws -> String {
    let file = path + "/" + name
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    // A file that was written this moment is only opened when the clock has moved on.
    // Whole seconds, another one for each file: Foundation rounds a fraction just below 1 up to
    // 1,000,000 µs, which the system refuses.
    writtenFiles += 1
    let minuteAgo = (Date().timeIntervalSince1970 - 60).rounded(.down) - Double(writtenFiles)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: minuteAgo)], ofItemAtPath: file)
    return file
  }

  @discardableResult
  func write(_ name: String, _ values: [Float]) throws -> String {
    try write(name, bytes: values.withUnsafeBytes { [UInt8]($0) })
  }
}

extension ParameterData {
  /// The values as Float32, whatever they are stored as.
  func storedFloats() throws -> [Float] {
    var floats: [Float] = []
    try withUnsafeBytes { bytes in
      #expect(bytes.count == count * elementType.byteCount)
      #expect(
        bytes.isEmpty || UInt(bitPattern: bytes.baseAddress) % UInt(elementType.byteCount) == 0)
      floats = (0..<count).map { index in
        let offset = index * elementType.byteCount
        switch elementType {
        case .float32: return bytes.load(fromByteOffset: offset, as: Float.self)
        case .float64: return Float(bytes.load(fromByteOffset: offset, as: Double.self))
        case .bfloat16:
          let bits = bytes.load(fromByteOffset: offset, as: UInt16.self)
          return Float(bitPattern: UInt32(bits) << 16)
        case .float16: return half(bytes.load(fromByteOffset: offset, as: UInt16.self))
        case .int8: return Float(bytes.load(fromByteOffset: offset, as: Int8.self))
        case .uint8, .bool: return Float(bytes.load(fromByteOffset: offset, as: UInt8.self))
        case .int32: return Float(bytes.load(fromByteOffset: offset, as: Int32.self))
        case .int64: return Float(bytes.load(fromByteOffset: offset, as: Int64.self))
        }
      }
    }
    return floats
  }
}

/// A half-precision number in single precision; the tests have no infinities or subnormal numbers.
private func half(_ bits: UInt16) -> Float {
  let exponent = Int(bits >> 10 & 0x1f)
  let fraction = Float(bits & 0x3ff) / 1024
  let sign: Float = bits >> 15 == 0 ? 1 : -1
  return exponent == 0
    ? sign * fraction * 0x1p-14
    : sign * Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
}

/// The parameters of layers as the layers of Forge ask for them.
enum Specs {
  static func convolution(
    _ layer: String, _ outputs: Int, _ height: Int, _ width: Int, _ inputs: Int
  ) -> ParameterSpec {
    ParameterSpec(
      layer: layer, .weights,
      [.outputs: outputs, .height: height, .width: width, .inputs: inputs])
  }

  static func depthwise(
    _ layer: String, _ channels: Int, _ multiplier: Int, _ height: Int, _ width: Int
  ) -> ParameterSpec {
    ParameterSpec(
      layer: layer, .weights,
      [.channels: channels, .multiplier: multiplier, .height: height, .width: width])
  }

  static func biases(_ layer: String, _ outputs: Int) -> ParameterSpec {
    ParameterSpec(layer: layer, .biases, [.outputs: outputs])
  }

  static func perChannel(
    _ layer: String, _ types: [ParameterType], _ channels: Int
  ) -> [ParameterSpec] {
    types.map { ParameterSpec(layer: layer, $0, [.channels: channels]) }
  }
}

/// The error of an expression that must throw one of this module's.
func loadError(
  _ expression: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) throws -> LoadError {
  do {
    try expression()
  } catch let error as LoadError {
    return error
  }
  Issue.record("no error was thrown", sourceLocation: sourceLocation)
  throw CancellationError()
}
