#if Zip
  import Foundation
  import ForgeShapes
  import Testing

  import ForgeLoaders

  @Suite struct KerasArchiveTests {
    /// The parameters of the model in the script, with Keras's names for them.
    static let specs: [(spec: ParameterSpec, name: String)] = [
      (
        ParameterSpec(
          layer: "head", .weights, [.outputs: 3, .height: 3, .width: 3, .inputs: 2]),
        "head/kernel"
      ),
      (ParameterSpec(layer: "head", .biases, [.outputs: 3]), "head/bias"),
      (ParameterSpec(layer: "norm", .gamma, [.channels: 3]), "norm/gamma"),
      (ParameterSpec(layer: "norm", .beta, [.channels: 3]), "norm/beta"),
      (ParameterSpec(layer: "norm", .mean, [.channels: 3]), "norm/moving_mean"),
      (ParameterSpec(layer: "norm", .variance, [.channels: 3]), "norm/moving_variance"),
      (
        ParameterSpec(
          layer: "depth", .weights, [.channels: 3, .multiplier: 1, .height: 2, .width: 2]),
        "depth/kernel"
      ),
      (ParameterSpec(layer: "depth", .biases, [.channels: 3]), "depth/bias"),
      (
        ParameterSpec(
          layer: "deep", .weights, [.outputs: 2, .height: 1, .width: 1, .inputs: 3]),
        "deep/kernel"
      ),
      (ParameterSpec(layer: "deep", .biases, [.outputs: 2]), "deep/bias"),
      (
        ParameterSpec(layer: "slope", .slopes, [.height: 1, .width: 1, .channels: 2]),
        "slope/alpha"
      ),
      (
        ParameterSpec(
          layer: "dense_1", .weights, [.outputs: 3, .height: 1, .width: 1, .inputs: 2]),
        "dense_1/kernel"
      ),
      (ParameterSpec(layer: "dense_1", .biases, [.outputs: 3]), "dense_1/bias"),
      (
        ParameterSpec(
          layer: "dense", .weights, [.outputs: 3, .height: 1, .width: 1, .inputs: 3]),
        "dense/kernel"
      ),
      (ParameterSpec(layer: "dense", .biases, [.outputs: 3]), "dense/bias"),
    ]

    @Test(arguments: ["model.keras", "deflated.keras", "unnamed.keras"])
    func valuesMatchKeras(_ file: String) throws {
      let archive = try KerasArchive(Archives.folder + file)
      #expect(archive.configuration.hasPrefix("{\"module\""))
      #expect(archive.metadata?.contains("keras_version") == true)
      #expect(archive.goesByName)
      #expect(
        Set(archive.availableNames).isSuperset(of: ["head", "norm", "depth", "dense", "dense_1"]))
      let source = try archive.prepared(for: Self.specs.map(\.spec))
      for (spec, name) in Self.specs {
        let data = try #require(try source.parameter(for: spec), "\(file) \(name)")
        #expect(try data.floats() == Archives.values(file, name), "\(name)")
        #expect(try data.directFloats() == Archives.values(file, name), "\(name)")
        #expect(data.layout == .keras)
        #expect(
          data.origin.hasPrefix("\(Archives.folder)\(file): model.weights.h5: /"),
          "\(data.origin)")
      }
      #expect(try source.parameter(for: Self.specs[0].spec.named("none")) == nil)
    }

    @Test func readsDatasetsFromClosure() throws {
      let file = Archives.folder + "deflated.keras"
      let archive = try KerasArchive(file)
      let data = try archive.data(at: "/layers/conv2d/vars/0")
      #expect(try data.floats() == Archives.values("deflated.keras", "head/kernel"))
      #expect(data.origin == "\(file): model.weights.h5: /layers/conv2d/vars/0")
      #expect(
        message { _ = try archive.data(at: "/layers/none") }
          == "deflated.keras: model.weights.h5: /layers/none: there is no such dataset")
    }

    @Test func readsNestedModelNames() throws {
      for file in ["model.keras", "unnamed.keras"] {
        let spec = Self.specs[8].spec.named("inner/deep")
        let bias = Self.specs[9].spec.named("inner/deep")
        let source = try KerasArchive(Archives.folder + file).prepared(for: [spec, bias])
        #expect(try source.floats(for: spec) == Archives.values(file, "deep/kernel"))
      }
    }

    /// The archive is read in place or from memory: no other file is created or kept open.
    @Test(arguments: ["model.keras", "deflated.keras"])
    func valuesOutliveArchive(_ file: String) throws {
      var data: (any ParameterData)?
      do {
        let source = try KerasArchive(Archives.folder + file).prepared(for: Self.specs.map(\.spec))
        data = try source.parameter(for: Self.specs[0].spec)
      }
      #expect(try #require(data).floats() == Archives.values(file, "head/kernel"))
    }

    /// Nothing is unpacked to disk: a process without write access can read archives.
    @Test(arguments: ["model.keras", "deflated.keras"])
    func readsWithoutWritableStorage(_ file: String) async {
      await #expect(processExitsWith: .success) { [file] in
        let expected = Archives.values(file, "head/kernel")
        // The kernel sends the signal instead of the error EFBIG to those who do not ignore it.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        limit.rlim_cur = 0
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let specs = KerasArchiveTests.specs.map(\.spec)
        let source = try KerasArchive(Archives.folder + file).prepared(for: specs)
        try #require(try source.floats(for: specs[0]) == expected)
      }
    }

    @Test func listsItsParameters() throws {
      let file = try WeightFile(Archives.folder + "deflated.keras")
      #expect(file.format == .keras)
      #expect(
        file.entries.map(\.description).contains("/layers/conv2d/vars/0  3×3×2×3  f32  216 bytes"))
      #expect(file.entries.allSatisfy { $0.problem == nil })
      let source = try file.parameters().prepared(for: Self.specs.map(\.spec))
      #expect(
        try source.floats(for: Self.specs[0].spec)
          == Archives.values("deflated.keras", "head/kernel"))
    }

    @Test(arguments: [
      ("Conv2D", "conv2d"), ("BatchNormalization", "batch_normalization"), ("ReLU", "re_lu"),
      ("PReLU", "p_re_lu"), ("LSTM", "lstm"), ("LSTMCell", "lstm_cell"),
      ("GlobalAveragePooling2D", "global_average_pooling2d"),
      ("Conv2DTranspose", "conv2d_transpose"), ("DepthwiseConv2D", "depthwise_conv2d"),
      ("My_Layer", "my__layer"), ("Sequential", "sequential"),
    ]) func mapsClassNamesToKerasGroups(_ name: String, _ group: String) {
      #expect(KerasNames.snakeCase(name) == group)
    }

    @Test func errorsAreDescriptive() throws {
      #expect(
        message { _ = try KerasArchive(Archives.folder + "zip64.npz") } == """
          zip64.npz: this is a NumPy archive
            needs     a Keras archive
            remedy    NumPyParameters("zip64.npz")
          """)
      #expect(
        message {
          let source = try KerasArchive(Archives.folder + "model.keras")
            .prepared(for: [Self.specs[0].spec, Self.specs[11].spec, Self.specs[12].spec])
          _ = try source.parameter(for: Self.specs[0].spec)
        }.hasPrefix(
          "model.keras: model.weights.h5: \"head\" has other parameters in the file"
        ))
      let wrong = [
        ParameterSpec(
          layer: "dense", .weights, [.outputs: 2, .height: 1, .width: 1, .inputs: 3]),
        Self.specs[14].spec,
      ]
      let error = #expect(throws: LoadError.self) {
        let source = try KerasArchive(Archives.folder + "model.keras").prepared(for: wrong)
        _ = try source.parameter(for: wrong[0])
      }
      #expect(error?.path == Archives.folder + "model.keras")
      #expect(error?.entry == "model.weights.h5: /layers/dense_1/vars/0")
      #expect(error?.kind == .wrongShape)
      #expect(error?.layer == "dense")
    }
  }
#endif
