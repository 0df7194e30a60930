import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// The files that `Fixtures/make_archives.py` wrote, and what is in them.
enum Archives {
  static let folder =
    URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures").path + "/"

  /// One array as Python wrote it.
  struct Expected: Sendable, CustomStringConvertible {
    let file: String
    let entry: String
    let type: String
    let sizes: [Int]
    let values: [Float]

    var description: String { "\(file) \(entry)" }
  }

  static let all: [Expected] = {
    let lines = (try? String(contentsOfFile: folder + "expected.txt", encoding: .utf8)) ?? ""
    let bytes = (try? Data(contentsOf: URL(filePath: folder + "expected.bin"))) ?? Data()
    let values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    return lines.split(separator: "\n").map { line in
      let parts = line.split(separator: " ").map(String.init)
      let start = Int(parts[4]) ?? 0
      return Expected(
        file: parts[0], entry: parts[1], type: parts[2],
        sizes: parts[3].split(separator: "x").compactMap { Int($0) },
        values: Array(values[start..<(start + (Int(parts[5]) ?? 0))]))
    }
  }()

  static func expected(_ file: String) -> [Expected] { all.filter { $0.file == file } }

  static func values(_ file: String, _ entry: String) -> [Float]? {
    all.first { $0.file == file && $0.entry == entry }?.values
  }

  static func bytes(_ file: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: folder + file)))
  }
}

/// A folder that is removed with the object.
final class ScratchFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/forge-archives-\(UUID().uuidString)/"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  private var writtenFiles = 0

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let url = URL(filePath: path + name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Self.write(bytes, to: path + name)
    // A file that was written this moment is only opened when the clock has moved on. Whole seconds,
    // another one for each file: Foundation rounds a fraction just below 1 up to 1,000,000 µs, which
    // the system refuses.
    writtenFiles += 1
    let minuteAgo = (Date().timeIntervalSince1970 - 60).rounded(.down) - Double(writtenFiles)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: minuteAgo)], ofItemAtPath: path + name)
    return path + name
  }
}

extension ScratchFolder {
  /// A file that could not be written: the system call that failed and its error.
  private struct WriteError: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ path: String) {
      description = "\(call) of \(path): \(String(cString: strerror(errno)))"
    }
  }

  /// Writes a file without waiting for the disk.
  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw WriteError("open", path) }
    defer { close(file) }
    let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    guard count == bytes.count else { throw WriteError("write", path) }
  }
}

extension ParameterData {
  /// The values as Float32, in the order of the source.
  func floats() throws -> [Float] {
    var floats: [Float] = []
    try withUnsafeBytes { bytes in
      #expect(bytes.count == count * elementType.byteCount)
      func load<T: BitwiseCopyable>(_: T.Type, _ index: Int) -> T {
        bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<T>.size, as: T.self)
      }
      floats = (0..<count).map { index in
        switch elementType {
        case .float32: load(Float.self, index)
        case .float16: Float(load(Float16.self, index))
        case .bfloat16: Float(bitPattern: UInt32(load(UInt16.self, index)) << 16)
        case .float64: Float(load(Double.self, index))
        case .int8: Float(load(Int8.self, index))
        case .uint8, .bool: Float(load(UInt8.self, index))
        case .int32: Float(load(Int32.self, index))
        case .int64: Float(load(Int64.self, index))
        }
      }
    }
    return floats
  }
}

extension ParameterData {
  /// Values that are stored as Float32, read into memory that is given.
  func directFloats() throws -> [Float] {
    #expect(elementType == .float32)
    return try [Float](unsafeUninitializedCapacity: count) { buffer, written in
      try read(
        into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<count])))
      written = count
    }
  }
}

extension ParameterSource {
  /// The values of a parameter; fails when there are none.
  func floats(for spec: ParameterSpec) throws -> [Float] {
    try #require(try parameter(for: spec)).floats()
  }
}

/// The error something throws, with the folders left out of it.
func message(in folder: String = Archives.folder, _ body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing was thrown"
  } catch {
    return "\(error)".replacing(folder, with: "")
  }
}

/// The three layers of `network` in the script.
enum Network {
  static let conv = ParameterSpec(
    layer: "conv1", .weights, [.outputs: 4, .height: 3, .width: 2, .inputs: 1])
  static let convBias = ParameterSpec(layer: "conv1", .biases, [.outputs: 4])
  static let gamma = ParameterSpec(layer: "bn1", .gamma, [.channels: 4])
  static let beta = ParameterSpec(layer: "bn1", .beta, [.channels: 4])
  static let mean = ParameterSpec(layer: "bn1", .mean, [.channels: 4])
  static let variance = ParameterSpec(layer: "bn1", .variance, [.channels: 4])
  static let dense = ParameterSpec(
    layer: "fc", .weights, [.outputs: 3, .height: 2, .width: 1, .inputs: 4])
  static let denseBias = ParameterSpec(layer: "fc", .biases, [.outputs: 3])
  static let all = [conv, convBias, gamma, beta, mean, variance, dense, denseBias]
}
