import ForgeLoaders
import ForgeShapes
import Testing

@Suite struct HDF5ParametersTests {
  /// Every parameter, once the source is prepared for all of them.
  private func load(
    _ source: some ParameterSource, _ specs: [ParameterSpec]
  ) throws -> [(any ParameterData)?] {
    let ready = try source.prepared(for: specs)
    return try specs.map { try ready.parameter(for: $0) }
  }

  /// The values of parameters that must all be there.
  private func values(
    _ source: some ParameterSource, _ specs: [ParameterSpec]
  ) throws -> [[Float]] {
    try load(source, specs).map { try #require($0).storedFloats() }
  }

  private func expected(_ file: String, _ entries: [String]) throws -> [[Float]] {
    try entries.map { try Fixtures.values(file, $0) }
  }

  private let batchNormalization: [ParameterType] = [.gamma, .beta, .mean, .variance]

  // MARK: Lists of names

  @Test func readsKeras2Model() throws {
    let source = try HDF5Parameters(Fixtures.path("keras2_model.h5"))
    #expect(source.goesByName)
    #expect(source.availableNames == ["conv1", "dw", "bn", "fc"])
    let specs =
      [
        Specs.convolution("conv1", 4, 3, 2, 2), Specs.biases("conv1", 4),
        Specs.depthwise("dw", 4, 2, 2, 3),
      ] + Specs.perChannel("bn", batchNormalization, 8) + [
        Specs.convolution("fc", 5, 2, 3, 4), Specs.biases("fc", 5),
      ]
    let root = "/model_weights/"
    #expect(
      try values(source, specs)
        == expected(
          "keras2_model.h5",
          [
            "conv1/conv1/kernel:0", "conv1/conv1/bias:0", "dw/dw/depthwise_kernel:0",
            "bn/bn/gamma:0", "bn/bn/beta:0", "bn/bn/moving_mean:0", "bn/bn/moving_variance:0",
            "fc/fc/kernel:0", "fc/fc/bias:0",
          ].map { root + $0 }))
    let data = try #require(try load(source, specs).first ?? nil)
    #expect(data.layout == .keras)
    #expect(data.sizes == [3, 2, 2, 4])
  }

  @Test func missingLayersAreLeftToTheCompiler() throws {
    let source = try HDF5Parameters(Fixtures.path("keras2_model.h5"))
    let found = try load(source, [Specs.biases("conv9", 4), Specs.biases("relu", 4)])
    #expect(found.allSatisfy { $0 == nil })
  }

  @Test func readsNestedModelsWrappersScopesAndKeras1() throws {
    let file = "keras2_weights.h5"
    let source = try HDF5Parameters(Fixtures.path(file))
    #expect(
      source.availableNames == [
        "conv1", "fc", "backbone/conv1", "backbone/deep", "neck/deep", "top", "scoped", "td",
        "old_1", "sep", "prelu",
      ])
    let specs = [
      Specs.convolution("backbone/conv1", 3, 1, 1, 2), Specs.biases("backbone/conv1", 3),
      Specs.convolution("backbone/deep", 2, 1, 1, 3), Specs.convolution("scoped", 2, 1, 1, 2),
      Specs.convolution("td", 3, 1, 1, 2), Specs.biases("td", 3),
      Specs.convolution("old_1", 2, 1, 1, 2), Specs.biases("old_1", 2),
      Specs.depthwise("sep", 2, 1, 3, 3), Specs.convolution("sep", 4, 1, 1, 2),
      Specs.biases("sep", 4), ParameterSpec(layer: "prelu", .slopes, [.channels: 4]),
    ]
    #expect(
      try values(source, specs)
        == expected(
          file,
          [
            "/backbone/conv1/kernel:0", "/backbone/conv1/bias:0", "/backbone/deep/kernel:0",
            "/scoped/net_1/scoped/kernel:0", "/td/tdd/kernel:0", "/td/tdd/bias:0",
            "/old_1/old_1_W_1:0", "/old_1/old_1_b_1:0", "/sep/sep/depthwise_kernel:0",
            "/sep/sep/pointwise_kernel:0", "/sep/sep/bias:0", "/prelu/prelu/alpha:0",
          ]))
    // The outermost of two layers of one name.
    #expect(
      try values(source, [Specs.convolution("conv1", 4, 3, 2, 2), Specs.biases("conv1", 4)])
        == expected(file, ["/conv1/conv1/kernel:0", "/conv1/conv1/bias:0"]))
  }

  @Test func readsInOrder() throws {
    let source = try HDF5Parameters(Fixtures.path("keras2_model.h5"), matching: .inOrder)
    #expect(!source.goesByName)
    let specs =
      [
        Specs.convolution("a", 4, 3, 2, 2), Specs.biases("a", 4),
        Specs.depthwise("b", 4, 2, 2, 3),
      ] + Specs.perChannel("c", batchNormalization, 8) + [
        Specs.convolution("d", 5, 2, 3, 4), Specs.biases("d", 5),
      ]
    let found = try values(source, specs)
    #expect(
      try found[0] == Fixtures.values("keras2_model.h5", "/model_weights/conv1/conv1/kernel:0"))
    #expect(try found[8] == Fixtures.values("keras2_model.h5", "/model_weights/fc/fc/bias:0"))
  }

  @Test func reportsLayerCountMismatch() throws {
    let path = Fixtures.path("keras2_model.h5")
    let source = try HDF5Parameters(path, matching: .inOrder)
    let error = try loadError { _ = try source.prepared(for: [Specs.biases("a", 4)]) }
    #expect(error.kind == .wrongCount)
    #expect(
      error.description == """
        \(path): the file and the model have different numbers of layers with parameters
          received  4: "conv1", "dw", "bn", "fc"
          needs     1: "a"
        """)
  }

  // MARK: Keras 3

  private func keras3Specs(_ rename: (String) -> String = { $0 }) -> [ParameterSpec] {
    [
      Specs.convolution("stem", 3, 3, 3, 2), Specs.biases("stem", 3),
    ] + Specs.perChannel("norm", [.beta, .mean, .variance], 3) + [
      Specs.depthwise("dw", 3, 2, 3, 3), Specs.depthwise("sep", 6, 1, 1, 1),
      Specs.convolution("sep", 4, 1, 1, 6), Specs.biases("sep", 4),
      ParameterSpec(layer: "slope", .slopes, [.channels: 4]),
      Specs.convolution("inner/stem", 2, 3, 3, 4), Specs.biases("inner/stem", 2),
      Specs.convolution("head", 3, 2, 2, 2), Specs.biases("head", 3),
    ]
  }

  @Test func readsKeras3LegacyFormat() throws {
    let source = try HDF5Parameters(Fixtures.path("keras3.h5"))
    #expect(
      source.availableNames == [
        "stem", "norm", "dw", "sep", "slope", "inner", "head",
      ])
    let specs = keras3Specs()
    let entries = [
      "stem/stem/kernel", "stem/stem/bias", "norm/norm/beta", "norm/norm/moving_mean",
      "norm/norm/moving_variance", "dw/dw/kernel", "sep/sep/depthwise_kernel",
      "sep/sep/pointwise_kernel", "sep/sep/bias", "slope/slope/alpha", "inner/inner/stem/kernel",
      "inner/inner/stem/bias", "head/head/kernel", "head/head/bias",
    ].map { "/model_weights/" + $0 }
    // The model inside has one layer and answers to its own name.
    let renamed = source.renamed { $0 == "inner/stem" ? "inner" : $0 }
    #expect(try values(renamed, specs) == expected("keras3.h5", entries))
  }

  @Test func readsKeras3WeightsByName() throws {
    let source = try HDF5Parameters(Fixtures.path("keras3.weights.h5"))
    #expect(
      Set(source.availableNames) == [
        "stem", "norm", "dw", "sep", "slope", "inner/stem", "head",
      ])
    let entries = [
      "conv2d/vars/0", "conv2d/vars/1", "batch_normalization/vars/0",
      "batch_normalization/vars/1", "batch_normalization/vars/2", "depthwise_conv2d/vars/0",
      "separable_conv2d/vars/0", "separable_conv2d/vars/1", "separable_conv2d/vars/2",
      "p_re_lu/vars/0", "sequential/layers/conv2d/vars/0", "sequential/layers/conv2d/vars/1",
      "dense/vars/0", "dense/vars/1",
    ].map { "/layers/" + $0 }
    #expect(try values(source, keras3Specs()) == expected("keras3.weights.h5", entries))
    // Both forms hold the same model.
    let legacy = try HDF5Parameters(Fixtures.path("keras3.h5"))
      .renamed { $0 == "inner/stem" ? "inner" : $0 }
    #expect(try values(source, keras3Specs()) == values(legacy, keras3Specs()))
  }

  /// The chain of the fixture, its layers under other names.
  private let chain =
    [
      Specs.convolution("a", 2, 3, 3, 1), Specs.biases("a", 2),
      Specs.convolution("b", 2, 3, 3, 2),
    ] + Specs.perChannel("c", [.gamma, .beta, .mean, .variance], 2) + [
      Specs.convolution("d", 3, 2, 2, 2), Specs.biases("d", 3),
      Specs.convolution("e", 3, 1, 1, 3),
      Specs.biases("e", 3),
    ]

  @Test func readsKeras3WeightsInOrder() throws {
    let source = try HDF5Parameters(
      Fixtures.path("keras3_chain.weights.h5"), matching: .inOrder)
    let entries = [
      "conv2d/vars/0", "conv2d/vars/1", "conv2d_1/vars/0", "batch_normalization/vars/0",
      "batch_normalization/vars/1", "batch_normalization/vars/2", "batch_normalization/vars/3",
      "dense/vars/0", "dense/vars/1", "dense_1/vars/0", "dense_1/vars/1",
    ].map { "/layers/" + $0 }
    #expect(try values(source, chain) == expected("keras3_chain.weights.h5", entries))
  }

  @Test func reportsLayerOutOfOrder() throws {
    let path = Fixtures.path("keras3_chain.weights.h5")
    let source = try HDF5Parameters(path, matching: .inOrder)
    var specs = chain
    specs[2] = Specs.convolution("b", 5, 3, 3, 2)
    let error = try loadError { _ = try source.prepared(for: specs) }
    #expect(error.kind == .wrongShape)
    #expect(
      error.description == """
        \(path): the next layers of the file do not fit "b"
          needs     weights (5×3×3×2 [O][H][W][I])
        """)
    let nested = try HDF5Parameters(Fixtures.path("keras3.weights.h5"), matching: .inOrder)
    #expect(
      try loadError { _ = try nested.prepared(for: keras3Specs()) }.headline
        == "the file has models inside its model and does not say in which order")
  }

  @Test func numberedValuesRequireAllParameters() throws {
    let source = try HDF5Parameters(Fixtures.path("keras3.weights.h5"))
    let error = try loadError { _ = try source.parameter(for: Specs.biases("stem", 3)) }
    #expect(error.headline == "the file was not prepared for the model's parameters")
    // Named ones do not.
    let named = try HDF5Parameters(Fixtures.path("keras3.h5"))
    #expect(try #require(try named.parameter(for: Specs.biases("stem", 3))).count == 3)
    #expect(try named.parameter(for: Specs.biases("none", 3)) == nil)
  }

  @Test func readsBFloat16() throws {
    let source = try HDF5Parameters(Fixtures.path("keras3_bfloat16.weights.h5"))
    let specs = [Specs.convolution("brain", 3, 1, 1, 4), Specs.biases("brain", 3)]
    let found = try load(source, specs)
    #expect(found.allSatisfy { $0?.elementType == .bfloat16 })
    #expect(
      try values(source, specs)
        == expected(
          "keras3_bfloat16.weights.h5", ["/layers/dense/vars/0", "/layers/dense/vars/1"]))
  }

  // MARK: Other files

  @Test func readsDatasetGroups() throws {
    let source = try HDF5Parameters(Fixtures.path("user_block.h5"))
    #expect(source.availableNames == ["fc"])
    #expect(
      try values(source, [Specs.convolution("fc", 3, 1, 1, 2), Specs.biases("fc", 3)])
        == expected("user_block.h5", ["/fc/kernel", "/fc/bias"]))
    let newest = try HDF5Parameters(Fixtures.path("newest.h5"))
    #expect(
      try values(newest, [Specs.convolution("conv1", 3, 1, 1, 2), Specs.biases("conv1", 3)])
        == expected("newest.h5", ["/conv1/kernel", "/conv1/bias"]))
    let inOrder = try HDF5Parameters(Fixtures.path("user_block.h5"), matching: .inOrder)
    let error = try loadError { _ = try inOrder.prepared(for: [Specs.biases("x", 3)]) }
    #expect(error.headline == "the file does not say in which order its layers are")
  }

  @Test func closureSelectsDataset() throws {
    let source = try HDF5Parameters(
      Fixtures.path("storage.h5"), layout: .axes([.inputs, .outputs, .height, .width])
    ) { spec in spec.type == .weights ? "/\(spec.layer)/kernel" : nil }
    #expect(source.goesByName)
    #expect(source.availableNames == [])
    let data = try #require(try source.parameter(for: Specs.convolution("plain", 3, 1, 1, 5)))
    #expect(data.layout == .axes([.inputs, .outputs, .height, .width]))
    #expect(try data.storedFloats() == Fixtures.values("storage.h5", "/plain/kernel"))
    #expect(try source.parameter(for: Specs.biases("plain", 3)) == nil)
    let error = try loadError {
      _ = try source.parameter(for: Specs.convolution("absent", 3, 1, 1, 5))
    }
    #expect(error.kind == .entryMissing)
    #expect(error.layer == "absent")
  }

  // MARK: Mistakes

  @Test func reportsShapeMismatch() throws {
    let path = Fixtures.path("keras2_model.h5")
    let source = try HDF5Parameters(path)
    let specs = [Specs.convolution("conv1", 4, 2, 3, 2), Specs.biases("conv1", 4)]
    let ready = try source.prepared(for: specs)
    let error = try loadError { _ = try ready.parameter(for: specs[0]) }
    #expect(error.kind == .wrongShape)
    #expect(error.layer == "conv1")
    #expect(error.type == .weights)
    #expect(
      error.description == """
        \(path): /model_weights/conv1/conv1/kernel:0: the weights of "conv1" have the wrong shape
          received  3×2×2×4
          needs     2×3×2×4 [H][W][I][O]
        """)
    #expect(try #require(try ready.parameter(for: specs[1])).count == 4)
  }

  @Test func reportsUnexpectedBias() throws {
    let path = Fixtures.path("keras2_model.h5")
    let source = try HDF5Parameters(path)
    let specs = [Specs.convolution("conv1", 4, 3, 2, 2), Specs.depthwise("dw", 4, 2, 2, 3)]
    let ready = try source.prepared(for: specs)
    let error = try loadError { _ = try ready.parameter(for: specs[0]) }
    #expect(error.kind == .unused)
    #expect(
      error.description == """
        \(path): "conv1" has other parameters in the file than in the model
          received  kernel (3×2×2×4), bias (4)
          needs     weights (4×3×2×2 [O][H][W][I])
          remedy    give the layer the arguments it had when the file was written, such as useBias
        """)
    // The mistake is that layer's alone.
    #expect(try #require(try ready.parameter(for: specs[1])).count == 48)
  }

  @Test func reportsNumberedValueMismatch() throws {
    let source = try HDF5Parameters(Fixtures.path("keras3.weights.h5"))
    let specs = Specs.perChannel("norm", batchNormalization, 3)
    let ready = try source.prepared(for: specs)
    let error = try loadError { _ = try ready.parameter(for: specs[0]) }
    #expect(error.kind == .unused)
    #expect(error.received == "0 (3), 1 (3), 2 (3)")
  }

  @Test func reportsAmbiguousName() throws {
    let path = Fixtures.path("keras2_weights.h5")
    let source = try HDF5Parameters(path)
    let specs = [Specs.convolution("deep", 2, 1, 1, 2), Specs.convolution("top", 2, 1, 1, 2)]
    let ready = try source.prepared(for: specs)
    let error = try loadError { _ = try ready.parameter(for: specs[0]) }
    #expect(error.kind == .duplicate)
    #expect(
      error.description == """
        \(path): several layers of the file are called "deep"
          received  "backbone/deep", "neck/deep"
          remedy    name the layer of the model by one of these
        """)
    // Found by its short name, which only it has.
    #expect(
      try #require(try ready.parameter(for: specs[1])).storedFloats()
        == Fixtures.values("keras2_weights.h5", "/neck/top/kernel:0"))
    #expect(try loadError { _ = try source.parameter(for: specs[0]) }.kind == .duplicate)
  }

  @Test func reportsAmbiguousOrder() throws {
    let path = Fixtures.path("ambiguous.weights.h5")
    let specs = [Specs.convolution("a", 3, 1, 1, 3), Specs.convolution("b", 3, 1, 1, 3)]
    let source = try HDF5Parameters(path, matching: .inOrder)
    let error = try loadError { _ = try source.prepared(for: specs) }
    #expect(
      error.description == """
        \(path): layers of several classes fit "a", and the file does not say which is next
          received  layers/conv2d, layers/dense
          remedy    match by name
        """)
    // Without names of their own, layers have those of their groups.
    #expect(try HDF5Parameters(path).availableNames == ["conv2d", "dense"])
  }

  @Test func rejectsTheanoKernels() throws {
    let path = Fixtures.path("theano.h5")
    let source = try HDF5Parameters(path)
    let specs = [Specs.convolution("conv1", 4, 3, 2, 2), Specs.biases("conv1", 4)]
    let ready = try source.prepared(for: specs)
    let error = try loadError { _ = try ready.parameter(for: specs[0]) }
    #expect(error.kind == .unsupported)
    #expect(error.headline == "kernels of the Theano backend are flipped")
    #expect(try #require(try ready.parameter(for: specs[1])).count == 4)
  }

  @Test func rejectsExternalLinks() throws {
    let source = try HDF5Parameters(Fixtures.path("links.h5"))
    let specs = [Specs.convolution("outside", 2, 1, 1, 2)]
    let ready = try source.prepared(for: specs)
    #expect(try loadError { _ = try ready.parameter(for: specs[0]) }.kind == .refused)
  }
}
