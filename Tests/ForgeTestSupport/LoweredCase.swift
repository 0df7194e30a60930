import ForgeOperations
import ForgeShapes

/// A case of a fixture as a graph of primitive operations, with no layer of Forge's in between.
public struct LoweredCase: Sendable {
  /// The graph; its outputs are the case's, in the order of ``outputNames``.
  package private(set) var graph = OperationGraph()
  /// The values of the parameters by their index in the graph.
  public private(set) var parameters: [[Float]] = []
  /// The source rectangles by the name of their slot.
  public private(set) var crops: [String: CropRectangle] = [:]
  /// The names of the outputs.
  public let outputNames: [String]
  private var values: [String: OperationGraph.Value] = [:]
  private var types: [String: FixtureTensor] = [:]

  /// Lowers a case.
  ///
  /// - Throws: ``FixtureError`` for a mistake in the file, ``ShapeError`` where a rule is broken.
  public init(_ testCase: FixtureCase) throws {
    outputNames = testCase.outputs.keys.sorted()
    for (index, input) in testCase.inputs.enumerated() {
      values["input\(index)"] = graph.addInput(Shape(sizes: input.sizes))
    }
    for (index, layer) in testCase.layers.enumerated() {
      types = testCase.parameters[layer.name] ?? [:]
      let value = try lower(layer, index, try layer.inputs.map(value(named:)))
      values[layer.name] = value
      graph.layerOutputs[index] = value
    }
    graph.outputs = try outputNames.map(value(named:))
  }

  private func value(named name: String) throws -> OperationGraph.Value {
    guard let value = values[name] else { throw FixtureError("nothing is called \(name)") }
    return value
  }

  /// The parameter of a type as a value of the graph.
  private mutating func parameter(_ type: String) throws -> OperationGraph.Value {
    guard let tensor = types[type] else { throw FixtureError("no parameter \(type)") }
    parameters.append(tensor.values)
    return graph.addValue(
      Shape(sizes: tensor.sizes), .constant(.parameter(parameters.count - 1)))
  }

  /// The parameter of a type, or a vector of `value` where the layer has none.
  private mutating func parameter(
    _ type: String, count: Int, or value: Float
  ) throws -> OperationGraph.Value {
    if types[type] != nil { return try parameter(type) }
    return literal(Array(repeating: value, count: count), sizes: [count])
  }

  private mutating func literal(_ values: [Float], sizes: [Int]) -> OperationGraph.Value {
    graph.addValue(Shape(sizes: sizes), .constant(.literal(values)))
  }

  /// A product or sum with weights and biases, and the layer's activation.
  private mutating func weighted(
    _ primitive: Primitive, _ layer: FixtureLayer, _ position: Int, _ input: OperationGraph.Value
  ) throws -> OperationGraph.Value {
    var operands = [input, try parameter("weights")]
    if try layer.flag("useBias") { operands.append(try parameter("biases")) }
    let sum = try graph.addNode(primitive, operands, layer: position)
    let activation = try layer.activation()
    if activation == .linear { return sum }
    return try graph.addNode(.activation(activation), [sum], layer: position)
  }

  /// The operands combined from left to right, and with the layer's constant.
  private mutating func combined(
    _ operation: BinaryOperator, _ layer: FixtureLayer, _ position: Int,
    _ inputs: [OperationGraph.Value]
  ) throws -> OperationGraph.Value {
    var operands = inputs
    if layer.has("constant") {
      let constant = try layer.numbers("constant")
      operands.append(literal(constant, sizes: [1, 1, constant.count]))
    }
    var result = operands[0]
    for operand in operands.dropFirst() {
      result = try graph.addNode(.binary(operation), [result, operand], layer: position)
    }
    return result
  }

  private mutating func lower(
    _ layer: FixtureLayer, _ position: Int, _ inputs: [OperationGraph.Value]
  ) throws -> OperationGraph.Value {
    func apply(
      _ primitive: Primitive, _ operands: [OperationGraph.Value]
    ) throws -> OperationGraph.Value {
      try graph.addNode(primitive, operands, layer: position)
    }
    let input = inputs[0]
    let channels = graph.shape(of: input).channels ?? 0
    switch layer.type {
    case "Convolution":
      let primitive = Primitive.convolution(
        try layer.geometry(), outputs: try layer.count("channels"),
        groups: try layer.count("groups"))
      return try weighted(primitive, layer, position, input)
    case "PointwiseConvolution":
      let primitive = Primitive.convolution(
        try layer.geometry(), outputs: try layer.count("channels"), groups: 1)
      return try weighted(primitive, layer, position, input)
    case "DepthwiseConvolution":
      let primitive = Primitive.depthwiseConvolution(
        try layer.geometry(), multiplier: try layer.count("multiplier"))
      return try weighted(primitive, layer, position, input)
    case "Dense":
      return try weighted(.dense(outputs: try layer.count("neurons")), layer, position, input)
    case "MaxPooling":
      return try apply(.pooling(.maximum, try layer.geometry()), inputs)
    case "AveragePooling":
      let counted = try layer.text("border") == "counted"
      return try apply(
        .pooling(counted ? .averageAll : .averageInside, try layer.geometry()), inputs)
    case "GlobalMaxPooling":
      return try apply(.globalPooling(.maximum), inputs)
    case "GlobalAveragePooling":
      return try apply(.globalPooling(.averageInside), inputs)
    case "Activation":
      return try apply(.activation(try layer.activation()), inputs)
    case "PReLU":
      return try apply(.binary(.prelu), inputs + [try parameter("slopes")])
    case "Softmax":
      return try apply(.softmax(logarithm: false), inputs)
    case "LogSoftmax":
      return try apply(.softmax(logarithm: true), inputs)
    case "Flatten":
      return try apply(.reshape([1, 1, -1]), inputs)
    case "Reshape":
      return try apply(.reshape(try layer.counts("shape")), inputs)
    case "Permute":
      return try apply(.permute(try layer.counts("order")), inputs)
    case "Concatenate":
      return try apply(.concatenate(axis: try layer.count("axis")), inputs)
    case "GatherChannels":
      return try apply(.gatherChannels(try layer.counts("order")), inputs)
    case "ChannelShuffle":
      let groups = try layer.count("groups")
      let order = (0..<channels).map { $0 % groups * (channels / groups) + $0 / groups }
      return try apply(.gatherChannels(order), inputs)
    case "SwapRedBlue":
      return try apply(.gatherChannels(channels == 4 ? [2, 1, 0, 3] : [2, 1, 0]), inputs)
    case "Grayscale":
      let weights = literal([0.299, 0.587, 0.114], sizes: [1, 1, 1, 3])
      return try apply(
        .convolution(ConvolutionGeometry(kernel: .one), outputs: 1, groups: 1), [input, weights])
    case "SubtractMeanColor":
      let mean = literal(try layer.meanColor(), sizes: [1, 1, 3])
      return try apply(.binary(.subtract), [input, mean])
    case "Dropout":
      return input  // Identity computes nothing: the value is the input.
    case "Add": return try combined(.add, layer, position, inputs)
    case "Subtract": return try combined(.subtract, layer, position, inputs)
    case "Multiply": return try combined(.multiply, layer, position, inputs)
    case "Maximum": return try combined(.maximum, layer, position, inputs)
    case "Minimum": return try combined(.minimum, layer, position, inputs)
    case "Average":
      let sum = try combined(.add, layer, position, inputs)
      let share = literal([1 / Float(inputs.count)], sizes: [1, 1, 1])
      return try apply(.binary(.multiply), [sum, share])
    case "BatchNormalization":
      let operands = [
        input, try parameter("gamma", count: channels, or: 1),
        try parameter("beta", count: channels, or: 0), try parameter("mean"),
        try parameter("variance"),
      ]
      let epsilon = Float(try layer.number("epsilon"))
      return try apply(.batchNormalization(epsilon: epsilon), operands)
    case "Scale":
      let scale = try layer.numbers("scale")
      let bias = try layer.numbers("bias")
      func perChannel(_ values: [Float]) -> [Float] {
        values.count == 1 ? Array(repeating: values[0], count: channels) : values
      }
      let operands = [
        input, literal(perChannel(scale), sizes: [channels]),
        literal(perChannel(bias), sizes: [channels]),
      ]
      return try apply(.affine, operands)
    case "ZeroPadding":
      return try apply(.pad(try layer.edges("padding")), inputs)
    case "Cropping":
      return try apply(.crop(try layer.edges("cropping")), inputs)
    case "UpSampling":
      return try apply(
        .resize(.factor(try layer.size("size")), try layer.resizeMode()), inputs)
    case "Resize":
      let size = Size(width: try layer.count("width"), height: try layer.count("height"))
      var slot: String?
      if let crop = try layer.crop() {
        slot = layer.name
        crops[layer.name] = crop
      }
      return try apply(
        .resize(.size(size, cropSlot: slot), try layer.resizeMode()), inputs)
    default:
      throw FixtureError("no layer \(layer.type)")
    }
  }
}
