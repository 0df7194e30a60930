import Forge
import ForgeTestSupport

/// A layer as a user writes one: channels in another order, for fixtures that no layer of Forge's has.
struct GatherChannels: Layer {
  let name: String?
  let place: SourcePlace
  let order: [Int]

  init(
    order: [Int], name: String? = nil, fileID: String = #fileID, line: Int = #line,
    column: Int = #column
  ) {
    self.order = order
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(.gatherChannels(order), to: lowering.inputs)
  }
}

/// A pooling whose taps lie apart, which Forge's own layers do not offer.
struct DilatedPooling: Layer {
  let name: String?
  let place: SourcePlace
  let kind: PoolingKind
  let geometry: ConvolutionGeometry

  init(
    _ kind: PoolingKind, _ geometry: ConvolutionGeometry, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kind = kind
    self.geometry = geometry
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(.pooling(kind, geometry), to: lowering.inputs)
  }
}

/// A case of a fixture written with Forge's layers.
struct FixtureModel {
  /// The model; its outputs are those of ``outputNames``.
  let model: Model
  /// The parameters by name.
  let parameters: NamedParameters
  /// The source rectangles by the name of their layer.
  let crops: [String: CropRectangle]
  /// The inputs in order.
  let inputs: [TensorValues]
  /// The names of the outputs in order.
  let outputNames: [String]

  init(_ testCase: FixtureCase) throws {
    var tensors: [String: Tensor] = [:]
    var inputTensors: [Tensor] = []
    for (index, input) in testCase.inputs.enumerated() {
      let tensor = Input(shape: input.sizes, name: "input\(index)")
      tensors["input\(index)"] = tensor
      inputTensors.append(tensor)
    }
    func tensor(_ name: String) throws -> Tensor {
      guard let tensor = tensors[name] else { throw FixtureError("nothing is called \(name)") }
      return tensor
    }
    var crops: [String: CropRectangle] = [:]
    for layer in testCase.layers {
      let inputs = try layer.inputs.map(tensor)
      tensors[layer.name] = try layer.applied(to: inputs)
      if layer.type == "Resize" { crops[layer.name] = try layer.crop() }
    }
    outputNames = testCase.outputs.keys.sorted()
    model = Model(inputs: inputTensors, outputs: try outputNames.map(tensor))
    // A dense layer's weights keep the axes of inputs of any rank, which Forge flattens.
    let dense = Set(testCase.layers.filter { $0.type == "Dense" }.map(\.name))
    var values: [String: [ParameterType: any ParameterData]] = [:]
    for (layer, types) in testCase.parameters {
      for (type, tensor) in types {
        let sizes = dense.contains(layer) ? nil : tensor.sizes
        values[layer, default: [:]][ParameterType(type)] = StoredValues(
          tensor.values, sizes: sizes)
      }
    }
    parameters = NamedParameters(values: values)
    self.crops = crops
    inputs = testCase.inputs.map {
      TensorValues(shape: Shape(sizes: $0.sizes), values: $0.values)
    }
  }
}

extension FixtureLayer {
  private func pair(_ name: String) throws -> (width: Int, height: Int) {
    let size = try size(name)
    return (size.width, size.height)
  }

  private func step(_ name: String) throws -> (x: Int, y: Int) {
    let size = try size(name)
    return (size.width, size.height)
  }

  private func constant() throws -> [Float]? { has("constant") ? try numbers("constant") : nil }

  private func pooling(_ kind: PoolingKind) throws -> any Layer {
    let geometry = try geometry()
    guard geometry.dilation == .one else { return DilatedPooling(kind, geometry, name: name) }
    let kernel = try pair("kernel")
    let (stride, padding) = (try step("stride"), try padding())
    switch kind {
    case .maximum:
      return MaxPooling(kernel: kernel, stride: stride, padding: padding, name: name)
    case .averageInside:
      return AveragePooling(kernel: kernel, stride: stride, padding: padding, name: name)
    case .averageAll:
      return AveragePooling(
        kernel: kernel, stride: stride, padding: padding, border: .counted, name: name)
    }
  }

  private func shared() throws -> Set<Axis> {
    switch try text("slopesPer") {
    case "channel": [.time, .height, .width]
    case "element": []
    default: [.time, .height, .width, .channels]
    }
  }

  /// The layer of Forge's with the same arguments, applied.
  fileprivate func applied(to tensors: [Tensor]) throws -> Tensor {
    tensors.chained(to: try layer(channels: tensors.first?.shape?.channels ?? 0))
  }

  private func layer(channels: Int) throws -> any Layer {
    switch type {
    case "Convolution":
      return Convolution(
        kernel: try pair("kernel"), channels: try count("channels"), stride: try step("stride"),
        dilation: try step("dilation"), padding: try padding(), groups: try count("groups"),
        activation: try activation(), useBias: try flag("useBias"), name: name)
    case "PointwiseConvolution":
      return PointwiseConvolution(
        channels: try count("channels"), stride: try step("stride"),
        activation: try activation(), useBias: try flag("useBias"), name: name)
    case "DepthwiseConvolution":
      return DepthwiseConvolution(
        kernel: try pair("kernel"), stride: try step("stride"), dilation: try step("dilation"),
        padding: try padding(), multiplier: try count("multiplier"),
        activation: try activation(), useBias: try flag("useBias"), name: name)
    case "Dense":
      return Dense(
        neurons: try count("neurons"), activation: try activation(),
        useBias: try flag("useBias"), name: name)
    case "MaxPooling": return try pooling(.maximum)
    case "AveragePooling":
      return try pooling(try text("border") == "counted" ? .averageAll : .averageInside)
    case "GlobalMaxPooling": return GlobalMaxPooling(name: name)
    case "GlobalAveragePooling": return GlobalAveragePooling(name: name)
    case "Activation": return Activation(try activation(), name: name)
    case "PReLU": return PReLU(shared: try shared(), name: name)
    case "Softmax": return Softmax(name: name)
    case "LogSoftmax": return LogSoftmax(name: name)
    case "BatchNormalization":
      return BatchNormalization(
        epsilon: Float(try number("epsilon")), center: try flag("useBeta"),
        scale: try flag("useGamma"), name: name)
    case "Scale": return Scale(by: try numbers("scale"), bias: try numbers("bias"), name: name)
    default: return try rearrangement(channels: channels)
    }
  }

  private func rearrangement(channels: Int) throws -> any Layer {
    switch type {
    case "Add": return Add(constant: try constant(), name: name)
    case "Subtract": return Subtract(constant: try constant(), name: name)
    case "Multiply": return Multiply(constant: try constant(), name: name)
    case "Maximum": return Maximum(constant: try constant(), name: name)
    case "Minimum": return Minimum(constant: try constant(), name: name)
    case "Average": return Average(name: name)
    case "Concatenate": return ForgeLayers.Concatenate(axis: try count("axis"), name: name)
    case "Flatten": return Flatten(name: name)
    case "Reshape": return Reshape(to: try counts("shape"), name: name)
    case "Permute": return Permute(order: try counts("order"), name: name)
    case "GatherChannels": return GatherChannels(order: try counts("order"), name: name)
    case "ChannelShuffle":
      let groups = try count("groups")
      let order = (0..<channels).map { $0 % groups * (channels / groups) + $0 / groups }
      return GatherChannels(order: order, name: name)
    case "SwapRedBlue": return SwapRedBlue(name: name)
    case "Grayscale": return Grayscale(name: name)
    case "SubtractMeanColor":
      let mean = try meanColor()
      return SubtractMeanColor(red: mean[0], green: mean[1], blue: mean[2], name: name)
    case "Dropout": return Dropout(rate: Float(try number("rate")), name: name)
    case "ZeroPadding":
      let edges = try edges("padding")
      return ZeroPadding(
        top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right, name: name)
    case "Cropping":
      let edges = try edges("cropping")
      return Crop(
        top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right, name: name)
    case "UpSampling":
      return UpSampling(size: try pair("size"), mode: try resizeMode(), name: name)
    case "Resize":
      return Resize(
        width: try count("width"), height: try count("height"), mode: try resizeMode(),
        name: name)
    default: throw FixtureError("no layer \(type)")
    }
  }
}
