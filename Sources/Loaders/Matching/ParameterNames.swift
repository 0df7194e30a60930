import ForgeShapes

/// The names of parameters in files.
package enum ParameterNames {
  /// The names in PyTorch, TensorFlow, and Keras 1 to 3, the most likely first.
  ///
  /// Keras 1 calls the variance `running_std`.
  private static let words: [ParameterType: [EntryName]] = [
    .weights: ["kernel", "weights", "weight", "W", "w", "embeddings", "weight_ih_l0"],
    .recurrentWeights: ["recurrent_kernel", "weight_hh_l0"],
    .projection: ["projection", "weight_hr_l0"],
    .depthwise: ["depthwise_kernel", "depthwise"],
    .biases: ["bias", "biases", "b", "bias_ih_l0"],
    .recurrentBiases: ["recurrent_bias", "bias_hh_l0"],
    .gamma: ["gamma", "weight", "scale"],
    .beta: ["beta", "bias"],
    .mean: ["moving_mean", "running_mean", "mean"],
    .variance: [
      "moving_variance", "running_variance", "running_var", "running_std", "variance", "var",
    ],
    .slopes: ["alpha", "alphas", "slopes", "weight"],
    ParameterType("backwardWeights"): ["backwardWeights", "weight_ih_l0_reverse"],
    ParameterType("backwardRecurrentWeights"): [
      "backwardRecurrentWeights", "weight_hh_l0_reverse",
    ],
    ParameterType("backwardBiases"): ["backwardBiases", "bias_ih_l0_reverse"],
    ParameterType("backwardRecurrentBiases"): ["backwardRecurrentBiases", "bias_hh_l0_reverse"],
    ParameterType("backwardProjection"): ["backwardProjection", "weight_hr_l0_reverse"],
  ]

  /// A separable convolution has two kernels.
  private static let kernels = (
    depthwise: EntryName("depthwise_kernel"), pointwise: EntryName("pointwise_kernel")
  )

  /// The possible names of a parameter, the most likely first.
  static func words(for spec: ParameterSpec) -> [EntryName] {
    let words = words[spec.type] ?? [EntryName(spec.type.name)]
    guard spec.type == .weights else { return words }
    return [spec.isDepthwise ? kernels.depthwise : kernels.pointwise] + words
  }

  /// All words, longest first, so that `running_mean` is not split into `running` and `mean`.
  static let all = Set(words.values.joined() + [kernels.depthwise, kernels.pointwise])
    .sorted { ($0.count, $0) > ($1.count, $1) }

  /// The Keras name of a parameter, given all parameters of its layer.
  package static func kerasName(of spec: ParameterSpec, among specs: [ParameterSpec]) -> EntryName {
    let isSeparable = specs.contains(where: \.isDepthwise)
    guard spec.type == .weights, !isSeparable else { return words(for: spec)[0] }
    return "kernel"
  }

  /// The names in PyTorch.
  private static let pytorchWords: [ParameterType: EntryName] = [
    .weights: "weight", .biases: "bias", .gamma: "weight", .beta: "bias", .mean: "running_mean",
    .variance: "running_var", .slopes: "weight", .recurrentWeights: "weight_hh_l0",
    .recurrentBiases: "bias_hh_l0", .projection: "weight_hr_l0",
  ]

  /// The PyTorch names of parameters with their layers: `conv1.weight`.
  ///
  /// Parameters of a layer that would have the same name have their own ones: `conv1.gamma`.
  static func pytorchNames(of specs: [ParameterSpec]) -> [EntryName] {
    func word(_ spec: ParameterSpec) -> EntryName {
      pytorchWords[spec.type] ?? EntryName(spec.type.name)
    }
    var counts: [EntryName: [EntryName: Int]] = [:]
    for spec in Set(specs) {
      counts[EntryName(spec.layer), default: [:]][word(spec), default: 0] += 1
    }
    return specs.map { spec in
      let layer = EntryName(spec.layer)
      let isUnique = (counts[layer]?[word(spec)] ?? 0) < 2
      let parameterWord = isUnique ? word(spec) : words(for: spec)[0]
      return EntryName(layer.bytes + Array(".".utf8) + parameterWord.bytes)
    }
  }

  /// Parameter types in the order in which Keras numbers the parameters of a layer.
  static let kerasTypes: [ParameterType] = [
    .weights, .recurrentWeights, .biases, .gamma, .beta, .mean, .variance, .slopes,
  ]

  /// The parameters of a layer in the order in which Keras numbers them.
  package static func kerasOrder(_ specs: [ParameterSpec]) -> [ParameterSpec] {
    let sorted = sorted(specs, by: kerasTypes)
    // A separable convolution has the depthwise kernel first.
    return sorted.filter(\.isDepthwise) + sorted.filter { !$0.isDepthwise }
  }

  /// The parameters in the order of their types; those of other types come last.
  static func sorted(_ specs: [ParameterSpec], by order: [ParameterType]) -> [ParameterSpec] {
    func rank(_ spec: ParameterSpec) -> Int { order.firstIndex(of: spec.type) ?? order.count }
    return specs.sorted { rank($0) < rank($1) }
  }

  /// The parameters of each layer, in order of first occurrence.
  package static func byLayer(
    _ specs: [ParameterSpec]
  ) -> [(name: String, specs: [ParameterSpec])] {
    var rest = Dictionary(grouping: specs, by: \.layer)
    return specs.compactMap { spec in
      rest.removeValue(forKey: spec.layer).map { (spec.layer, $0) }
    }
  }
}

extension ParameterSpec {
  /// Whether this is the kernel of a depthwise convolution.
  fileprivate var isDepthwise: Bool {
    type == .depthwise || (type == .weights && axes.contains(.multiplier))
  }
}
