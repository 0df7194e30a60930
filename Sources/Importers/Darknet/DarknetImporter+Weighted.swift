import Forge

/// The layers with weights.
extension DarknetImporter {
  mutating func convolution(_ section: DarknetSection) throws(ImportError) -> Tensor {
    let x = current
    let inputs = try sizes(of: x, for: section).channels
    let filters = try positive(section, "filters", 1)
    let size = try positive(section, "size", 1)
    let stride = try positive(section, "stride", 1)
    let dilation = try positive(section, "dilation", 1)
    let groups = try positive(section, "groups", 1)
    let strides = (
      x: try positive(section, "stride_x", stride), y: try positive(section, "stride_y", stride)
    )
    // The padding of a dilated kernel grows with it.
    let padding = try section.int("pad", 0) != 0 ? size / 2 : section.int("padding", 0)
    let edges = Padding.all(padding.multipliedSaturated(by: dilation))
    guard inputs.isMultiple(of: groups), filters.isMultiple(of: groups) else {
      throw section.error(
        .invalidNode, "the groups do not divide the channels",
        received: "\(groups) groups, \(inputs) channels, \(filters) filters")
    }
    let isNormalized = try section.int("batch_normalize", 0) != 0
    let function = activation(section, "logistic")
    let name = section.name
    try store(
      section, outputs: filters, weights: [filters, inputs / groups, size, size],
      isNormalized: isNormalized)
    let convolution: any Layer =
      groups == inputs && groups > 1
      ? DepthwiseConvolution(
        kernel: (size, size), stride: strides, dilation: (dilation, dilation), padding: edges,
        multiplier: filters / groups, activation: isNormalized ? .linear : function,
        useBias: !isNormalized, name: name)
      : Convolution(
        kernel: (size, size), channels: filters, stride: strides, dilation: (dilation, dilation),
        padding: edges, groups: groups, activation: isNormalized ? .linear : function,
        useBias: !isNormalized, name: name)
    return normalized(x.chained(to: convolution), section, isNormalized, function)
  }

  mutating func connected(_ section: DarknetSection) throws(ImportError) -> Tensor {
    let x = current
    let (width, height, channels) = try sizes(of: x, for: section)
    let neurons = try positive(section, "output", 1)
    let isNormalized = try section.int("batch_normalize", 0) != 0
    let function = activation(section, "logistic")
    let name = section.name
    let inputs = [channels, height, width]
    // The file has the biases, the matrix, and only then the normalization.
    let isStored =
      places.add(biasLayer(section, isNormalized), isNormalized ? .beta : .biases, [neurons])
      && places.add(
        name, .weights, [neurons] + inputs,
        layout: isTransposed ? .axes([.inputs, .height, .width, .outputs]) : .pytorch)
      && (!isNormalized
        || [.gamma, .mean, .variance].allSatisfy {
          places.add(biasLayer(section, true), $0, [neurons])
        })
    guard isStored else { throw tooManyWeights(section) }
    let dense = Dense(
      neurons: neurons, activation: isNormalized ? .linear : function, useBias: !isNormalized,
      name: name)
    return normalized(x --> dense, section, isNormalized, function)
  }

  /// A layer's output with its normalization and, behind it, its activation.
  private func normalized(
    _ tensor: Tensor, _ section: DarknetSection, _ isNormalized: Bool,
    _ function: ActivationFunction
  ) -> Tensor {
    guard isNormalized else { return tensor }
    // The parameters come with Darknet's epsilon in the variance.
    let result =
      tensor --> BatchNormalization(epsilon: 0, name: biasLayer(section, isNormalized))
    return function == .linear ? result : result --> Activation(function)
  }

  /// Reserves the places of a convolution's parameters.
  private mutating func store(
    _ section: DarknetSection, outputs: Int, weights: [Int], isNormalized: Bool
  ) throws(ImportError) {
    let types: [ParameterType] = isNormalized ? [.beta, .gamma, .mean, .variance] : [.biases]
    for type in types {
      guard places.add(biasLayer(section, isNormalized), type, [outputs]) else {
        throw tooManyWeights(section)
      }
    }
    guard places.add(section.name, .weights, weights) else { throw tooManyWeights(section) }
  }

  private func biasLayer(_ section: DarknetSection, _ isNormalized: Bool) -> String {
    isNormalized ? "batchnorm\(section.index)" : section.name
  }

  private func tooManyWeights(_ section: DarknetSection) -> ImportError {
    section.error(.invalidNode, "the layer would have too many weights")
  }
}
