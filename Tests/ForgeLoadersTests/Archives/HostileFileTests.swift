import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Truncated or altered files: values or a `LoadError`, never a trap.
@Suite struct HostileFileTests {
  /// Does with a file whatever can be done with one.
  private func use(_ path: String) throws {
    let file = try WeightFile(path)
    _ = file.entries.map(\.description)
    switch file.format {
    case .numPy: _ = try NumPyArray(path: path).values
    case .safeTensors:
      let file = try SafeTensors(path)
      for tensor in file.tensors where tensor.elementType != nil {
        _ = try file.data(named: tensor.name).floats()
      }
      _ = try SafeTensorsParameters(path).prepared(for: Network.all).parameter(for: Network.conv)
    case .numPyArchive:
      #if Zip
        for entry in file.entries where entry.problem == nil {
          _ = try NumPyArray(path: path, entry: String(entry.name.dropLast(4))).values
        }
        let source = try NumPyParameters(path).prepared(for: Network.all)
        _ = try source.parameter(for: Network.conv)?.floats()
      #endif
    case .keras:
      #if Zip
        let source = try KerasArchive(path).prepared(for: KerasArchiveTests.specs.map(\.spec))
        for (spec, _) in KerasArchiveTests.specs { _ = try source.parameter(for: spec)?.floats() }
      #endif
    default: break
    }
  }

  /// Uses a file; whether that went without an error.
  private func goesWell(_ path: String) -> Bool {
    do {
      try use(path)
      return true
    } catch {
      #expect(error is LoadError, "\(error)")
      #expect(!"\(error)".isEmpty)
      return false
    }
  }

  static let files: [String] = {
    var files = ["f2.npy", "fortran.npy", "version2.npy", "types.safetensors"]
    #if Zip
      files += [
        "network_flat.npz", "deflated.npz", "other.npz", "zip64.npz", "streamed.npz",
        "overlapping.npz",
      ]
      files += ["deflated.keras"]
    #endif
    return files
  }()

  @Test(arguments: files) func everyTruncationIsAnError(_ file: String) throws {
    let folder = try ScratchFolder()
    let bytes = try Archives.bytes(file)
    for length in 0..<bytes.count {
      let path = try folder.write("cut", Array(bytes[..<length]))
      #expect(!goesWell(path), "\(file) cut to \(length) bytes")
    }
    #expect(!goesWell(try folder.write("long", bytes + [0])), "\(file) with a byte more")
  }

  @Test(arguments: files, 0..<4) func alteredBytesGiveValuesOrErrors(
    _ file: String, _ seed: Int
  ) throws {
    let folder = try ScratchFolder()
    let bytes = try Archives.bytes(file)
    var random = SplitMix64(seed: UInt64(seed))
    for _ in 0..<(file.hasSuffix(".keras") ? 100 : 150) {
      var altered = bytes
      for _ in 0..<(1 + Int(random.next() % 3)) {
        altered[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (random.next() % 8))
      }
      _ = goesWell(try folder.write("altered", altered))
    }
  }

  @Test(arguments: files) func extremeNumbersGiveValuesOrErrors(_ file: String) throws {
    let folder = try ScratchFolder()
    let bytes = try Archives.bytes(file)
    // Every place where a number may stand, as far as the head and the directory go.
    let places = Array(0..<min(bytes.count, 120)) + Array(max(bytes.count - 120, 0)..<bytes.count)
    for place in Set(places).sorted() {
      for (value, width) in [(0xff, 8), (0xff, 4), (0, 4), (0x7f, 4), (0xff, 2)] as [(UInt8, Int)] {
        var altered = bytes
        for index in place..<min(place + width, bytes.count) { altered[index] = value }
        _ = goesWell(try folder.write("altered", altered))
      }
    }
  }

  /// Truncation of an opened file is detected before its values are read.
  @Test func shrunkFilesAreDetected() throws {
    let folder = try ScratchFolder()
    for (file, read) in Self.readers {
      let path = try folder.write(file, try Archives.bytes(file))
      let data = try read(path)
      #expect(throws: Never.self) { try data.floats() }
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.truncate(atOffset: 50)
      let error = #expect(throws: LoadError.self) { try data.floats() }
      #expect(error?.headline == "the file has become shorter since it was opened")
    }
  }

  typealias Reader = @Sendable (String) throws -> any ParameterData

  static let readers: [(String, Reader)] = {
    let npy: Reader = { try NumPyArray(path: $0).parameter() }
    let tensor: Reader = { try SafeTensors($0).data(named: "conv1.weight") }
    var readers = [("f4.npy", npy), ("types.safetensors", tensor)]
    #if Zip
      let entry: Reader = { try NumPyArray(path: $0, entry: "big").parameter() }
      readers += [("stored.npz", entry), ("deflated.npz", entry)]
    #endif
    return readers
  }()
}
