import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Readers give equal bits from bytes in memory and from a path.
@Suite struct BytesTests {
  /// Every fixture that is a whole file, as a path from the folder of archives on.
  static let files: [String] = {
    let keras = "../../Fixtures/"
    let names = [
      "f2.npy", "f4.npy", "fortran.npy", "empty.npy", "scalar.npy", "version2.npy", "version3.npy",
      "types.safetensors", "other.safetensors", keras + "storage.h5", keras + "layouts_new.h5",
      keras + "layouts_old.h5", keras + "keras2_model.h5", keras + "keras2_weights.h5",
      keras + "keras3.h5", keras + "keras3.weights.h5", keras + "newest.h5",
      keras + "user_block.h5",
    ]
    #if Zip
      return names + [
        "stored.npz", "deflated.npz", "network_flat.npz", "network_keras.npz", "network_plain.npz",
        "other.npz", "streamed.npz", "zip64.npz", "model.keras", "deflated.keras", "unnamed.keras",
      ]
    #else
      return names
    #endif
  }()

  /// The bytes of some values.
  private func bytes(_ data: any ParameterData) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try data.withUnsafeBytes { bytes = Array($0) }
    return bytes
  }

  /// The values of one entry of a file, read by path and from memory.
  private func values(
    _ entry: String, _ format: WeightFile.Format, _ path: String, _ memory: [UInt8]
  ) throws -> (byPath: [UInt8], byBytes: [UInt8]) {
    switch format {
    case .hdf5:
      return (
        try bytes(HDF5File(path).data(at: entry)),
        try bytes(HDF5File(bytes: memory).data(at: entry))
      )
    case .safeTensors:
      return (
        try bytes(SafeTensors(path).data(named: entry)),
        try bytes(SafeTensors(bytes: memory).data(named: entry))
      )
    case .numPy:
      return (
        try bytes(NumPyArray(path: path).parameter()),
        try bytes(NumPyArray(bytes: memory).parameter())
      )
    case .numPyArchive:
      let name = String(entry.dropLast(4))
      return (
        try bytes(NumPyArray(path: path, entry: name).parameter()),
        try bytes(NumPyArray(bytes: memory, entry: name).parameter())
      )
    default:
      return (
        try bytes(KerasArchive(path).data(at: entry)),
        try bytes(KerasArchive(bytes: memory).data(at: entry))
      )
    }
  }

  @Test(arguments: files) func valuesMatchFile(_ name: String) throws {
    let path = Archives.folder + name
    let memory = try Archives.bytes(name)
    let file = try WeightFile(path)
    let inMemory = try WeightFile(bytes: memory, name: path)
    #expect(inMemory.format == file.format)
    #expect(inMemory.entries.map(\.description) == file.entries.map(\.description))
    var count = 0
    for entry in file.entries where entry.problem == nil && entry.elementType != nil {
      let (byPath, byBytes) = try values(entry.name, file.format, path, memory)
      #expect(byPath == byBytes, "\(entry)")
      count += 1
    }
    #expect(count > 0)
    guard file.format != .numPy else { return }
    let layers = try inMemory.parameters().availableNames
    #expect(layers == (try file.parameters().availableNames))
  }

  /// The type of a custom parameter may end like the name of another parameter.
  @Test(arguments: ["se.reduce_bias", "se/reduce_bias", "se_reduce_bias"])
  func customTypesMayEndInAKnownName(_ entry: String) throws {
    let safeTensors = HostileNamesTests.safetensors(
      "{\"\(entry)\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
      data: [Float]([1, 2, 3, 4]).withUnsafeBytes { Array($0) })
    let spec = ParameterSpec(layer: "se", ParameterType("reduce_bias"), [.outputs: 4])
    let biases = ParameterSpec(layer: "se.reduce", .biases, [.outputs: 4])
    for source in [
      try SafeTensorsParameters(bytes: safeTensors),
      try SafeTensorsParameters(bytes: safeTensors).prepared(for: [spec]),
    ] as [any ParameterSource] {
      #expect(try source.floats(for: spec) == [1, 2, 3, 4])
      if entry == "se.reduce_bias" { #expect(try source.floats(for: biases) == [1, 2, 3, 4]) }
    }
    let other = ParameterSpec(layer: "se", ParameterType("expand_bias"), [.outputs: 4])
    #expect(try SafeTensorsParameters(bytes: safeTensors).parameter(for: other) == nil)
  }

  @Test func sourcesMatchFile() throws {
    let safeTensors = HostileNamesTests.safetensors(
      "{\"conv1.bias\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}",
      data: [Float]([1, 2, 3, 4]).withUnsafeBytes { Array($0) })
    let tensors = try SafeTensorsParameters(bytes: safeTensors, name: "a.safetensors")
    #expect(try tensors.floats(for: Network.convBias) == [1, 2, 3, 4])
    #expect(try tensors.parameter(for: Network.convBias)?.origin == "a.safetensors: conv1.bias")
    let byRule = try SafeTensorsParameters(bytes: safeTensors) { _ in "conv1.bias" }
    #expect(try byRule.floats(for: Network.beta) == [1, 2, 3, 4])
    #if Zip
      for name in ["network_keras.npz", "network_flat.npz", "network_plain.npz"] {
        let byPath = try NumPyParameters(Archives.folder + name).prepared(for: Network.all)
        let byBytes = try NumPyParameters(bytes: try Archives.bytes(name))
          .prepared(for: Network.all)
        for spec in Network.all {
          #expect(try byPath.floats(for: spec) == byBytes.floats(for: spec))
        }
      }
      for name in ["model.keras", "deflated.keras"] {
        let specs = KerasArchiveTests.specs.map(\.spec)
        let byPath = try KerasArchive(Archives.folder + name).prepared(for: specs)
        let byBytes = try KerasArchive(bytes: try Archives.bytes(name)).prepared(for: specs)
        for spec in specs { #expect(try byPath.floats(for: spec) == byBytes.floats(for: spec)) }
      }
    #endif
    let name = "../../Fixtures/keras2_weights.h5"
    let byPath = try HDF5Parameters(Archives.folder + name)
    let byBytes = try HDF5Parameters(bytes: try Archives.bytes(name))
    #expect(byBytes.availableNames == byPath.availableNames)
    #expect(!byBytes.availableNames.isEmpty)
  }

  /// Truncated bytes are a `LoadError`, wherever they end.
  @Test(arguments: files) func truncatedBytesAreErrors(_ name: String) throws {
    let memory = try Archives.bytes(name)
    for share in 0..<16 {
      let cut = Array(memory.prefix(memory.count * share / 16))
      #expect(throws: LoadError.self, "\(name) cut to \(cut.count)") {
        let file = try WeightFile(bytes: cut, name: name)
        for entry in file.entries {
          if let problem = entry.problem { throw problem }
        }
      }
    }
  }

  @Test func unknownFormatIsReported() {
    #expect(
      message { _ = try WeightFile(bytes: [1, 2, 3], name: "download") }.hasPrefix(
        "download: this file does not say which parameters it holds\n"))
    #expect(
      message { _ = try NumPyArray(bytes: [1, 2, 3], name: "download") }
        == "download: this is not a NumPy array\n  received  3 bytes")
    #expect(throws: LoadError.self) { try SafeTensors(bytes: []) }
    #expect(throws: LoadError.self) { try KerasArchive(bytes: [0x50, 0x4b, 3, 4]) }
    #expect(throws: LoadError.self) { try NumPyParameters(bytes: [0x50, 0x4b, 5, 6]) }
    #expect(throws: LoadError.self) { try HDF5Parameters(bytes: [0x89, 0x48, 0x44, 0x46]) }
  }
}
