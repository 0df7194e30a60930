#if Zip
  import Foundation
  import ForgeShapes
  import Testing

  import ForgeLoaders

  @Suite struct NumPyParametersTests {
    static let entries = Archives.all.filter { $0.file.hasSuffix(".npz") }

    @Test(arguments: entries) func valuesMatchPython(_ expected: Archives.Expected) throws {
      let array = try NumPyArray(path: Archives.folder + expected.file, entry: expected.entry)
      #expect(array.sizes == expected.sizes)
      #expect(array.elementType.rawValue == expected.type)
      #expect(try array.values == expected.values)
      if array.elementType == .float32 {
        #expect(try array.parameter().directFloats() == expected.values)
      }
      // By a rule of one's own.
      let spec = ParameterSpec(layer: "x", .weights, [.outputs: expected.values.count])
      let source = try NumPyParameters(Archives.folder + expected.file, layout: .forge) { _ in
        expected.entry
      }
      guard expected.sizes.count == 1 else { return }
      #expect(try source.floats(for: spec) == expected.values)
    }

    @Test(arguments: [
      ("plain", "conv1/weights"), ("keras", "conv1/kernel:0"), ("twice", "conv1/conv1/kernel:0"),
      ("flat", "conv1_w"),
    ]) func recognizesCommonNames(_ name: String, _ first: String) throws {
      let file = "network_\(name).npz"
      let source = try NumPyParameters(Archives.folder + file)
      #expect(source.availableNames == ["conv1", "bn1", "fc"])
      #expect(source.goesByName)
      for prepared in [source, source.prepared(for: Network.all)] as [any ParameterSource] {
        for (spec, expected) in zip(Network.all, Archives.expected(file)) {
          let data = try #require(try prepared.parameter(for: spec))
          #expect(try data.floats() == expected.values)
          #expect(data.sizes == expected.sizes)
          #expect(data.layout == .keras)
          #expect(data.origin == "\(Archives.folder)\(file): \(expected.entry).npy")
        }
        #expect(try prepared.parameter(for: Network.conv.named("conv2")) == nil)
        #expect(try prepared.parameter(for: Network.gamma.named("conv1")) == nil)
      }
      #expect(Archives.expected(file).first?.entry == first)
    }

    @Test func readsFolders() throws {
      let folder = try ScratchFolder()
      let conv = (0..<24).map { Float($0) }
      try NumPyArray(conv, sizes: [3, 2, 1, 4]).write(to: folder.path + "conv1.weight.npy")
      try FileManager.default.createDirectory(
        atPath: folder.path + "bn1", withIntermediateDirectories: true)
      try NumPyArray([1, 2, 3, 4], sizes: [4]).write(to: folder.path + "bn1/gamma.npy")
      try folder.write("notes.txt", [1])
      let source = try NumPyParameters(folder.path)
      #expect(source.availableNames == ["bn1", "conv1"])
      #expect(try source.floats(for: Network.conv) == conv)
      #expect(try source.floats(for: Network.gamma) == [1, 2, 3, 4])
      #expect(try source.parameter(for: Network.beta) == nil)
      // A rule cannot lead out of the folder.
      let outside = try NumPyParameters(folder.path + "bn1") { _ in "../conv1.weight" }
      #expect(try outside.parameter(for: Network.conv) == nil)
      let inside = try NumPyParameters(folder.path) { _ in "bn1/gamma" }
      #expect(try inside.floats(for: Network.mean) == [1, 2, 3, 4])
      let listing = try WeightFile(folder.path)
      #expect(listing.format == .folder)
      #expect(
        listing.entries.map(\.description) == [
          "bn1/gamma.npy  4  f32  16 bytes", "conv1.weight.npy  3×2×1×4  f32  96 bytes",
        ])
      #expect(try listing.parameters().floats(for: Network.gamma) == [1, 2, 3, 4])
    }

    @Test func errorsAreDescriptive() throws {
      func text(_ file: String, _ specs: [ParameterSpec]) -> String {
        message {
          let source = try NumPyParameters(Archives.folder + file).prepared(for: specs)
          _ = try specs.first.map { try source.parameter(for: $0) }
        }
      }
      #expect(
        text("network_flat.npz", [Network.conv]) == """
          network_flat.npz: the file has parameters for "conv1" that the model does not take
            received  "conv1_b"
            needs     weights (4×3×2×1 [O][H][W][I])
            remedy    give the layer the arguments it had when the file was written, such as useBias
          """)
      let turned = ParameterSpec(
        layer: "conv1", .weights, [.outputs: 4, .height: 2, .width: 3, .inputs: 1])
      #expect(
        text("network_flat.npz", [turned, Network.convBias]) == """
          network_flat.npz: conv1_w: the weights of "conv1" have the wrong shape
            received  3×2×1×4
            needs     2×3×1×4 [H][W][I][O]
          """)
      #expect(
        text("duplicate.npz", []) == "duplicate.npz: a.npy: two entries have the same name")
      #expect(
        message { _ = try NumPyArray(path: Archives.folder + "stored.npz", entry: "none") } == """
          stored.npz: none: there is no such entry
            received  "single.npy", "half.npy", "double.npy", "signed.npy", "unsigned.npy", \
          "int.npy", "long.npy", "truth.npy", …
          """)
      let folder = try ScratchFolder()
      for name in ["a.weight", "a_weight"] {
        try NumPyArray([1], sizes: [1]).write(to: folder.path + name + ".npy")
      }
      #expect(
        message(in: folder.path) { _ = try NumPyParameters(folder.path) } == """
          : two entries are the same parameter of a layer
            received  "a.weight", "a_weight"
            remedy    pass a rule that finds the entries
          """)
      let error = #expect(throws: LoadError.self) {
        _ = try NumPyParameters(Archives.folder + "network_flat.npz").parameter(for: turned)
      }
      #expect(error?.layer == "conv1")
      #expect(error?.type == .weights)
      #expect(error?.kind == .wrongShape)
    }
  }
#endif
