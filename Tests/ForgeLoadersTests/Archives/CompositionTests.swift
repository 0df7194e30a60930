#if Zip
  import Foundation
  import ForgeShapes
  import Testing

  import ForgeLoaders

  /// Prefixes, renaming and several sources work with every kind of file.
  @Suite struct CompositionTests {
    private let npz = Archives.folder + "network_plain.npz"
    private let tensors = Archives.folder + "types.safetensors"

    @Test func renames() throws {
      let source = try SafeTensorsParameters(tensors).renamed { $0 == "stem" ? "conv1" : nil }
      let specs = [Network.conv.named("stem"), Network.convBias.named("stem")]
      let prepared = try source.prepared(for: specs)
      #expect(
        try prepared.floats(for: specs[0]) == Archives.values("types.safetensors", "conv1.weight"))
      #expect(try prepared.parameter(for: Network.dense) == nil)
    }

    @Test func addsPrefixes() throws {
      let folder = try ScratchFolder()
      let path = folder.path + "encoder.conv1.bias.npy"
      try NumPyArray([1, 2, 3, 4], sizes: [4]).write(to: path)
      let source = try NumPyParameters(folder.path).prefixed("encoder.")
      #expect(source.availableNames == ["conv1"])
      #expect(
        try source.prepared(for: [Network.convBias]).floats(for: Network.convBias) == [1, 2, 3, 4])
    }

    @Test func combines() throws {
      let folder = try ScratchFolder()
      let values: [Float] = [5, 6, 7]
      let blob = try folder.write("head.bin", values.withUnsafeBytes { Array($0) })
      let head = ParameterSpec(layer: "head", .biases, [.outputs: 3])
      let source = CombinedParameters([
        ParameterDictionary(["bn1": [.gamma: [9, 9, 9, 9]]]),
        try NumPyParameters(npz).renamed { $0 == "fc" ? nil : $0 },
        try SafeTensorsParameters(tensors),
        // Goes by order: it is for what no source before has.
        try BlobParameters(blob),
      ])
      #expect(!source.goesByName)
      #expect(Set(source.availableNames) == ["bn1", "conv1", "fc"])
      let prepared = try source.prepared(for: Network.all + [head])
      #expect(try prepared.floats(for: Network.gamma) == [9, 9, 9, 9])
      #expect(
        try prepared.floats(for: Network.conv)
          == Archives.values("network_plain.npz", "conv1/weights"))
      #expect(
        try prepared.floats(for: Network.dense)
          == Archives.values("types.safetensors", "fc.weight"))
      #expect(try prepared.floats(for: head) == values)
      #expect(try prepared.parameter(for: Network.dense)?.layout == .pytorch)
    }

    /// Sixteen threads read the same sources at once.
    @Test func readsConcurrently() async throws {
      var sources: [any ParameterSource] = [
        try NumPyParameters(Archives.folder + "network_keras.npz"),
        try SafeTensorsParameters(tensors),
      ]
      var specs = [Network.all, Network.all]
      sources.append(try KerasArchive(Archives.folder + "deflated.keras"))
      specs.append(KerasArchiveTests.specs.map(\.spec))
      for (source, specs) in zip(sources, specs) {
        let prepared = try source.prepared(for: specs)
        let expected = try specs.map { try prepared.floats(for: $0) }
        try await withThrowingTaskGroup(of: [[Float]].self) { group in
          for _ in 0..<16 {
            group.addTask { try specs.map { try prepared.floats(for: $0) } }
          }
          for try await values in group { #expect(values == expected) }
        }
      }
    }
  }
#endif
