import Forge

extension CoreMLLayerType {
  /// Convolutions and poolings.
  static let windows: [CoreMLLayerType] = [
    CoreMLLayerType("convolution", field: 100, convolve),
    CoreMLLayerType("pooling", field: 120, pool),
  ]

  /// Fields of `ConvolutionLayerParams`.
  private enum ConvolutionField {
    static let (outputChannels, kernelChannels, groups) = (1, 2, 10)
    static let (kernelSize, stride, dilation) = (20, 30, 40)
    static let (valid, same) = (50, 51)
    static let (isDeconvolution, hasBias, weights, bias) = (60, 70, 90, 91)
    static let outputShape = 100
  }

  private static func convolve(_ call: inout CoreMLCall) throws {
    typealias Field = ConvolutionField
    let input = try call.image()
    let channels = input.sizes[1]
    let kernel = try call.pair(Field.kernelSize, 3, "kernelSize")
    let dilations = try call.pair(Field.dilation, 1, "dilationFactor")
    let groups = max(try call.size(Field.groups), 1)
    let outputs = try call.size(Field.outputChannels)
    let kernelChannels = try call.size(Field.kernelChannels)
    let isTransposed = try call.fields.bool(Field.isDeconvolution)
    guard call.inputs.count == 1 else {
      throw NodeFailure.unsupported("weights computed at run time")
    }
    guard (isTransposed ? kernelChannels : kernelChannels.multipliedSaturated(by: groups)) == channels,
      outputs > 0, channels.isMultiple(of: groups), outputs.isMultiple(of: groups)
    else {
      throw NodeFailure.invalid(
        "\(kernelChannels) kernel channels in \(groups) groups on \(channels) channels")
    }
    let weights = try call.weights(Field.weights)
    let kernels = try weights.tensor(
      (isTransposed ? [channels, outputs / groups] : [outputs, channels / groups]) + kernel)
    var bias: HostTensor?
    if try call.fields.bool(Field.hasBias) {
      bias = try call.weights(Field.bias).tensor([outputs])
    }
    var attributes = try padding(call, valid: Field.valid, same: Field.same)
    attributes["strides"] = .ints(try call.pair(Field.stride, 1, "stride"))
    attributes["dilations"] = .ints(dilations)
    attributes["group"] = .int(groups)
    if isTransposed {
      if try weights.hasSeveralScales() {
        throw NodeFailure.unsupported("a deconvolution with a scale per channel")
      }
      guard dilations == [1, 1] else {
        throw NodeFailure.unsupported("a deconvolution with dilationFactor")
      }
      let shape = try call.fields.ints(Field.outputShape)
      if !shape.isEmpty {
        attributes["output_shape"] = .ints(try call.pair(Field.outputShape, 0, "outputShape"))
        if case .ints(let pads)? = attributes["pads"], pads.contains(where: { $0 != 0 }) {
          throw NodeFailure.unsupported("outputShape with border amounts")
        }
        // The larger half of what is cut is at the end.
        if attributes["auto_pad"] == nil { attributes["auto_pad"] = .string("SAME_UPPER") }
      }
    }
    try call.mapImage(
      isTransposed ? "ConvTranspose" : "Conv", [.host(kernels), bias.map { .host($0) }], attributes)
  }

  /// The padding of a window, as ONNX states it.
  private static func padding(
    _ call: CoreMLCall, valid: Int, same: Int
  ) throws -> [String: NodeAttribute] {
    switch call.fields.last(where: { [valid, same].contains($0) }) {
    case valid:
      return ["pads": .ints(try CoreMLCall.borders(try call.fields.message(valid)?.message(1)))]
    case same:
      switch try call.fields.message(same)?.int(1) ?? 0 {
      case 0: return ["auto_pad": .string("SAME_UPPER")]
      case 1: return ["auto_pad": .string("SAME_LOWER")]
      case let mode: throw NodeFailure.unsupported("asymmetryMode \(mode)")
      }
    default: return [:]
    }
  }

  /// Fields of `PoolingLayerParams`.
  private enum PoolingField {
    static let (type, kernelSize, stride) = (1, 10, 20)
    static let (valid, same, includeLastPixel) = (30, 31, 32)
    static let (excludesPadding, isGlobal) = (50, 60)
  }

  private static func pool(_ call: inout CoreMLCall) throws {
    typealias Field = PoolingField
    let type = try call.fields.int(Field.type)
    guard (0...1).contains(type) else {
      throw NodeFailure.unsupported(type == 2 ? "type L2" : "type \(type)")
    }
    let isMaximum = type == 0
    guard try !call.fields.bool(Field.isGlobal) else {
      return try call.mapImage(isMaximum ? "GlobalMaxPool" : "GlobalAveragePool")
    }
    var attributes = try padding(call, valid: Field.valid, same: Field.same)
    if call.fields.last(where: { (Field.valid...Field.includeLastPixel).contains($0) })
      == Field.includeLastPixel
    {
      let amounts = try call.fields.message(Field.includeLastPixel)?.ints(10) ?? []
      guard amounts.isEmpty || amounts.count == 2 else {
        throw NodeFailure.invalid("\(amounts.count) numbers of paddingAmounts, which needs 2")
      }
      attributes = ["pads": .ints(amounts + amounts), "ceil_mode": .int(1)]
      if amounts.isEmpty { attributes["pads"] = nil }
    }
    attributes["kernel_shape"] = .ints(try call.pair(Field.kernelSize, 3, "kernelSize"))
    attributes["strides"] = .ints(try call.pair(Field.stride, 1, "stride"))
    if !isMaximum {
      attributes["count_include_pad"] = .flag(try !call.fields.bool(Field.excludesPadding))
    }
    try call.mapImage(isMaximum ? "MaxPool" : "AveragePool", [], attributes)
  }
}
