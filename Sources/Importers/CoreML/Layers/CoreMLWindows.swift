import Forge
import ForgeMessages

/// Convolutions and poolings.
enum CoreMLWindows {
  static func convolve(_ call: inout CoreMLCall, _ layer: CoreMLConvolution) throws {
    let input = try call.image()
    guard case (let height?, let width?, let channels?) = input.imageSizes else {
      throw NodeFailure.invalid("an image of unknown size")
    }
    let kernel = try CoreMLCall.pair(layer.kernelSize, 3, "kernelSize")
    let stride = try CoreMLCall.pair(layer.stride, 1, "stride")
    let dilation = try CoreMLCall.pair(layer.dilation, 1, "dilationFactor")
    let groups = max(try CoreMLCall.size(layer.groups), 1)
    let outputs = try CoreMLCall.size(layer.outputChannels)
    let kernelChannels = try CoreMLCall.size(layer.kernelChannels)
    guard call.inputs.count == 1 else {
      throw NodeFailure.unsupported("weights computed at run time")
    }
    let inputs = layer.isDeconvolution ? kernelChannels : kernelChannels.saturated(times: groups)
    guard inputs == channels, outputs > 0, channels.isMultiple(of: groups),
      outputs.isMultiple(of: groups)
    else {
      throw NodeFailure.invalid(
        "\(kernelChannels) kernel channels in \(groups) groups on \(channels) channels")
    }
    let sizes = [kernel.height, kernel.width]
    let weights = try layer.weights.tensor(
      layer.isDeconvolution
        ? [channels, outputs / groups] + sizes : [outputs, channels / groups] + sizes)
    if layer.isDeconvolution, layer.weights.hasQuantization,
      layer.weights.quantization.linear.scale.count > 1
    {
      throw NodeFailure.unsupported("a deconvolution with a scale per channel")
    }
    call.parameter(.weights, weights)
    if layer.hasBias { call.parameter(.biases, try layer.bias.tensor([outputs])) }
    guard !layer.isDeconvolution || dilation == (1, 1) else {
      throw NodeFailure.unsupported("a deconvolution with dilationFactor")
    }
    let window = ConvolutionGeometry(
      kernel: Size(width: kernel.width, height: kernel.height),
      stride: Size(width: stride.width, height: stride.height),
      dilation: Size(width: dilation.width, height: dilation.height))
    if layer.isDeconvolution {
      let (padding, extra) = try deconvolution(layer, window, width: width, height: height)
      return try call.mapImage(
        TransposedConvolution(
          kernel: (kernel.width, kernel.height), channels: outputs,
          stride: (stride.width, stride.height), padding: padding, outputPadding: extra,
          groups: groups, useBias: layer.hasBias,
          name: call.name))
    }
    let padding: Padding =
      switch layer.padding {
      case .valid(let valid): .edges(try edges(valid.amounts))
      case .same(let same): try self.same(same.mode, window, width: width, height: height)
      case nil: .valid
      }
    if groups == channels, groups > 1 {
      try call.mapImage(
        DepthwiseConvolution(
          kernel: (kernel.width, kernel.height), stride: (stride.width, stride.height),
          dilation: (dilation.width, dilation.height), padding: padding,
          multiplier: outputs / groups, useBias: layer.hasBias, name: call.name))
    } else {
      try call.mapImage(
        Convolution(
          kernel: (kernel.width, kernel.height), channels: outputs,
          stride: (stride.width, stride.height), dilation: (dilation.width, dilation.height),
          padding: padding, groups: groups, useBias: layer.hasBias, name: call.name))
    }
  }

  /// The padding of a transposed convolution, and the pixels that it adds.
  private static func deconvolution(
    _ layer: CoreMLConvolution, _ window: ConvolutionGeometry, width: Int, height: Int
  ) throws -> (Padding, (x: Int, y: Int)) {
    var edges = Edges.none
    var wanted: (height: Int, width: Int)?
    var isTopHeavy = false
    switch layer.padding {
    case .valid(let valid): edges = try self.edges(valid.amounts)
    case .same(let same):
      isTopHeavy = try isTopLeftHeavy(same.mode)
      wanted = (
        height.saturated(times: window.stride.height), width.saturated(times: window.stride.width)
      )
    case nil: break
    }
    if !layer.outputShape.isEmpty {
      wanted = try CoreMLCall.pair(layer.outputShape, 0, "outputShape")
      if case .same? = layer.padding {
      } else if edges != .none {
        throw NodeFailure.unsupported("outputShape with border amounts")
      }
    }
    guard let wanted else { return (.edges(edges), (0, 0)) }
    func split(_ size: Int, _ stride: Int, _ extent: Int, _ wanted: Int) -> (Int, Int, Int) {
      let full = (size - 1).saturated(times: stride).addingSaturated(extent)
      let total = full.addingSaturated(-wanted)
      guard total >= 0 else { return (0, 0, -total) }
      return isTopHeavy ? (total - total / 2, total / 2, 0) : (total / 2, total - total / 2, 0)
    }
    let extent = window.extent
    let y = split(height, window.stride.height, extent.height, wanted.height)
    let x = split(width, window.stride.width, extent.width, wanted.width)
    return (.explicit(top: y.0, left: x.0, bottom: y.1, right: x.1), (x.2, y.2))
  }

  // MARK: Padding

  /// The amounts of height and width, each at the start and the end.
  static func edges(_ border: CoreMLBorder) throws -> Edges {
    guard !border.edges.isEmpty else { return .none }
    guard border.edges.count == 2 else {
      throw NodeFailure.invalid("\(border.edges.count) border amounts, which need 2")
    }
    let (y, x) = (border.edges[0], border.edges[1])
    return Edges(
      top: try CoreMLCall.size(y.start), left: try CoreMLCall.size(x.start),
      bottom: try CoreMLCall.size(y.end), right: try CoreMLCall.size(x.end))
  }

  private static func isTopLeftHeavy(_ mode: Int32) throws -> Bool {
    guard (0...1).contains(mode) else { throw NodeFailure.unsupported("asymmetryMode \(mode)") }
    return mode == 1
  }

  /// The padding for an output of ⌈input / stride⌉ pixels.
  private static func same(
    _ mode: Int32, _ window: ConvolutionGeometry, width: Int, height: Int
  ) throws -> Padding {
    guard try isTopLeftHeavy(mode) else { return .same }
    let edges = window.withPadding(.same).edges(width: width, height: height)
    return .explicit(top: edges.bottom, left: edges.right, bottom: edges.top, right: edges.left)
  }

  // MARK: Poolings

  static func pool(_ call: inout CoreMLCall, _ layer: CoreMLPooling) throws {
    guard (0...1).contains(layer.type) else {
      throw NodeFailure.unsupported(layer.type == 2 ? "type L2" : "type \(layer.type)")
    }
    let isMaximum = layer.type == 0
    let input = try call.image()
    guard !layer.isGlobal else {
      let pooling: any Layer =
        isMaximum ? GlobalMaxPooling(name: call.name) : GlobalAveragePooling(name: call.name)
      return try call.mapImage(pooling)
    }
    guard case (let height?, let width?, _) = input.imageSizes else {
      throw NodeFailure.invalid("an image of unknown size")
    }
    let kernel = try CoreMLCall.pair(layer.kernelSize, 3, "kernelSize")
    let stride = try CoreMLCall.pair(layer.stride, 1, "stride")
    let window = ConvolutionGeometry(
      kernel: Size(width: kernel.width, height: kernel.height),
      stride: Size(width: stride.width, height: stride.height))
    var padding = Padding.valid
    var rounding = WindowRounding.floor
    switch layer.padding {
    case .valid(let valid): padding = .edges(try edges(valid.amounts))
    case .same(let same): padding = try self.same(same.mode, window, width: width, height: height)
    case .includeLastPixel(let last):
      let amounts = try CoreMLCall.pair(last.amounts, 0, "paddingAmounts")
      padding = .explicit(
        top: amounts.height, left: amounts.width, bottom: amounts.height, right: amounts.width)
      rounding = .ceiling
    case nil: break
    }
    if isMaximum {
      try call.mapImage(
        MaxPooling(
          kernel: (kernel.width, kernel.height), stride: (stride.width, stride.height),
          padding: padding, rounding: rounding, name: call.name))
    } else {
      try call.mapImage(
        AveragePooling(
          kernel: (kernel.width, kernel.height), stride: (stride.width, stride.height),
          padding: padding, border: layer.excludesPadding ? .excluded : .counted,
          rounding: rounding, name: call.name))
    }
  }
}

extension FileTensor {
  /// Height, width and channels of a tensor in the layout of an image, where they are known.
  var imageSizes: (height: Int?, width: Int?, channels: Int?) {
    (tensor.height, tensor.width, tensor.channels)
  }
}

extension Int {
  /// The product, clamped to the bounds of Int.
  func saturated(times other: Int) -> Int { multipliedSaturated(by: other) }
}
