import Forge

/// The weights of a Darknet file, which are read when they are needed.
struct DarknetParameters: ParameterSource {
  struct Key: Hashable {
    let layer: String
    let type: ParameterType
  }

  struct Entry {
    let offset: Int
    let count: Int
    let layout: ParameterLayout
  }

  let file: InputFile
  let path: String
  let entries: [Key: Entry]
  let availableNames: [String]

  var origin: String? { path }

  func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    guard let entry = entries[Key(layer: spec.layer, type: spec.type)] else { return nil }
    return DarknetValues(
      file: file, offset: entry.offset, count: entry.count, layout: entry.layout,
      isVariance: spec.type == .variance, origin: "\(path): \(spec.layer) \(spec.type)")
  }
}

/// The values of one parameter.
private struct DarknetValues: ParameterData {
  let file: InputFile
  let offset: Int
  let count: Int
  let layout: ParameterLayout
  let isVariance: Bool
  let origin: String

  var temporaryByteCount: Int { 4 * count }

  /// What Darknet adds to the square root of a variance.
  private static let epsilon = 1e-6

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let bytes = try file.bytes(at: offset, count: 4 * count)
    guard isVariance else { return try bytes.withUnsafeBytes(body) }
    // Darknet divides by √variance + ε, Forge by √(variance + ε), here with ε = 0.
    let values = bytes.withUnsafeBytes { memory in
      (0..<count).map { index in
        let bits = memory.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        let deviation = Double(Float(bitPattern: bits)).squareRoot() + Self.epsilon
        return Float(deviation * deviation)
      }
    }
    try values.withUnsafeBytes(body)
  }
}

/// The places of the parameters in a weights file, which holds them one after the other.
struct DarknetPlaces {
  private(set) var entries: [DarknetParameters.Key: DarknetParameters.Entry] = [:]
  private(set) var layers: [String] = []
  /// The number of values so far.
  private var count = 0

  /// Adds a parameter behind the others; `nil` for sizes beyond bounds.
  mutating func add(
    _ layer: String, _ type: ParameterType, _ sizes: [Int], layout: ParameterLayout = .pytorch
  ) -> Bool {
    guard let size = Shape.product(of: sizes),
      let total = Shape.product(of: [count.addingSaturated(size)])
    else { return false }
    entries[.init(layer: layer, type: type)] = .init(offset: count, count: size, layout: layout)
    if layers.last != layer { layers.append(layer) }
    count = total
    return true
  }

  /// The source of the parameters in a file, whose size must be what they need.
  ///
  /// - Throws: ``ImportError`` of kind `parameter`.
  func parameters(in file: DarknetFile) throws(ImportError) -> DarknetParameters {
    let needed = file.headerBytes.addingSaturated(count.multipliedSaturated(by: 4))
    let received = file.file.count
    guard received == needed else {
      throw ImportError(
        .parameter,
        "the weights file is \(received < needed ? "shorter" : "longer") than the network needs",
        path: file.path, received: "\(received) bytes",
        needs: "\(needed) bytes: \(file.headerBytes) of the header and \(count) values",
        remedy: "check that the weights belong to this configuration")
    }
    let placed = entries.mapValues { entry in
      DarknetParameters.Entry(
        offset: file.headerBytes + 4 * entry.offset, count: entry.count, layout: entry.layout)
    }
    return DarknetParameters(
      file: file.file, path: file.path, entries: placed, availableNames: layers)
  }
}

/// A weights file with its header: three integers of the version, and the number of training
/// images.
struct DarknetFile {
  let file: InputFile
  let path: String
  /// The number of bytes of the header.
  let headerBytes: Int
  /// Whether the matrices of connected layers are stored [inputs][outputs].
  let isTransposed: Bool

  /// Reads the header.
  ///
  /// - Throws: ``ImportError`` when the file is too short.
  init(_ file: InputFile, path: String) throws(ImportError) {
    self.file = file
    self.path = path
    let shortest = 16
    guard file.count >= shortest else {
      throw ImportError(
        .malformed, "this is not a Darknet weights file", path: path,
        received: "\(file.count) bytes", needs: "at least \(shortest) bytes")
    }
    let bytes: [UInt8]
    do throws(LoadError) { bytes = try file.bytes(at: 0, count: 8) } catch {
      throw ImportError(loading: error)
    }
    let numbers = bytes.withUnsafeBytes { memory in
      [0, 4].map { memory.loadUnaligned(fromByteOffset: $0, as: Int32.self) }
    }
    let (major, minor) = (Int(numbers[0]), Int(numbers[1]))
    guard major >= 0, minor >= 0 else {
      throw ImportError(
        .malformed, "this is not a Darknet weights file", path: path,
        received: "version \(major).\(minor)")
    }
    // Since version 0.2 the number of images has 64 bits. Large numbers mark an older transposed
    // form.
    headerBytes = major * 10 + minor >= 2 && major < 1000 && minor < 1000 ? 20 : 16
    isTransposed = major > 1000 || minor > 1000
  }
}
