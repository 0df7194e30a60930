import Forge

/// Makes a layer from its description.
typealias LayerMaker = @Sendable (NetworkDescription.Layer) throws -> any Layer

/// The layers that random networks are made of, by type.
let layerTable: [String: LayerMaker] = [
  "Convolution": { layer in
    Convolution(
      kernel: try layer.window("kernel", \.kernel), channels: try layer.get("channels", \.channels),
      stride: try layer.step("stride", \.stride), dilation: try layer.step("dilation", \.dilation),
      padding: try layer.border(), groups: try layer.get("groups", \.groups),
      activation: try layer.function(), useBias: try layer.get("useBias", \.useBias),
      name: layer.name)
  },
  "DepthwiseConvolution": { layer in
    DepthwiseConvolution(
      kernel: try layer.window("kernel", \.kernel), stride: try layer.step("stride", \.stride),
      dilation: try layer.step("dilation", \.dilation), padding: try layer.border(),
      multiplier: try layer.get("multiplier", \.multiplier), activation: try layer.function(),
      useBias: try layer.get("useBias", \.useBias), name: layer.name)
  },
  "PointwiseConvolution": { layer in
    PointwiseConvolution(
      channels: try layer.get("channels", \.channels), stride: try layer.step("stride", \.stride),
      activation: try layer.function(), useBias: try layer.get("useBias", \.useBias),
      name: layer.name)
  },
  "Dense": { layer in
    Dense(
      neurons: try layer.get("channels", \.channels), activation: try layer.function(),
      useBias: try layer.get("useBias", \.useBias), name: layer.name)
  },
  "MaxPooling": { layer in
    MaxPooling(
      kernel: try layer.window("kernel", \.kernel), stride: try layer.step("stride", \.stride),
      padding: try layer.border(), name: layer.name)
  },
  "AveragePooling": { layer in
    AveragePooling(
      kernel: try layer.window("kernel", \.kernel), stride: try layer.step("stride", \.stride),
      padding: try layer.border(),
      border: try layer.get("counted", \.counted) ? .counted : .excluded, name: layer.name)
  },
  "GlobalMaxPooling": { GlobalMaxPooling(name: $0.name) },
  "GlobalAveragePooling": { GlobalAveragePooling(name: $0.name) },
  "Activation": { Activation(try $0.function(), name: $0.name) },
  "Softmax": { Softmax(name: $0.name) },
  "LogSoftmax": { LogSoftmax(name: $0.name) },
  "PReLU": { layer in
    PReLU(
      shared: Set(try layer.get("shared", \.shared).compactMap { Axis(rawValue: $0) }),
      name: layer.name)
  },
  "BatchNormalization": { layer in
    BatchNormalization(
      epsilon: try layer.get("epsilon", \.epsilon), center: try layer.get("center", \.center),
      scale: try layer.get("scale", \.scale), name: layer.name)
  },
  "Scale": { layer in
    Scale(
      by: try layer.get("factors", \.factors), bias: try layer.get("constant", \.constant),
      name: layer.name)
  },
  "Add": { Add(constant: $0.constant, name: $0.name) },
  "Subtract": { Subtract(constant: $0.constant, name: $0.name) },
  "Multiply": { Multiply(constant: $0.constant, name: $0.name) },
  "Maximum": { Maximum(constant: $0.constant, name: $0.name) },
  "Minimum": { Minimum(constant: $0.constant, name: $0.name) },
  "Average": { Average(name: $0.name) },
  "Concatenate": { Concatenate(axis: try $0.get("axis", \.axis), name: $0.name) },
  "Flatten": { Flatten(name: $0.name) },
  "Reshape": { Reshape(to: try $0.get("size", \.size), name: $0.name) },
  "Permute": { Permute(order: try $0.get("order", \.order), name: $0.name) },
  "Resize": { layer in
    let (width, height) = try layer.window("size", \.size)
    return Resize(width: width, height: height, mode: try layer.sampling(), name: layer.name)
  },
  "UpSampling": { layer in
    UpSampling(
      size: try layer.window("size", \.size), mode: try layer.sampling(), name: layer.name)
  },
  "Crop": { layer in
    let edges = try layer.four()
    return Crop(
      top: edges[0], left: edges[1], bottom: edges[2], right: edges[3], name: layer.name)
  },
  "ZeroPadding": { layer in
    let edges = try layer.four()
    return ZeroPadding(
      top: edges[0], left: edges[1], bottom: edges[2], right: edges[3], name: layer.name)
  },
  "Dropout": { Dropout(rate: 0.5, name: $0.name) },
]

extension NetworkDescription.Layer {
  /// An argument that the layer must have.
  fileprivate func get<Value>(
    _ argument: String, _ path: KeyPath<Self, Value?>
  ) throws -> Value {
    guard let value = self[keyPath: path] else {
      throw DescriptionError("\(name) (\(type)) has no \(argument)")
    }
    return value
  }

  private func two(_ argument: String, _ path: KeyPath<Self, [Int]?>) throws -> (Int, Int) {
    let values = try get(argument, path)
    guard values.count == 2 else {
      throw DescriptionError("\(name) (\(type)): \(argument) is \(values)")
    }
    return (values[0], values[1])
  }

  /// A size in pixels.
  fileprivate func window(
    _ argument: String, _ path: KeyPath<Self, [Int]?>
  ) throws -> (width: Int, height: Int) { try two(argument, path) }

  /// A step in pixels.
  fileprivate func step(
    _ argument: String, _ path: KeyPath<Self, [Int]?>
  ) throws -> (x: Int, y: Int) { try two(argument, path) }

  /// Top, left, bottom, right.
  fileprivate func four() throws -> [Int] {
    let edges = try get("edges", \.edges)
    guard edges.count == 4 else { throw DescriptionError("\(name): edges are \(edges)") }
    return edges
  }

  fileprivate func border() throws -> Padding {
    switch padding {
    case "same": return .same
    case "valid": return .valid
    default:
      let edges = try four()
      return .explicit(top: edges[0], left: edges[1], bottom: edges[2], right: edges[3])
    }
  }

  fileprivate func sampling() throws -> ResizeMode {
    switch try get("mode", \.mode) {
    case "nearest": .nearest
    case "bilinear": .bilinear
    case "bilinearAntialiased": .bilinearAntialiased
    case let other: throw DescriptionError("there is no mode \(other)")
    }
  }

  fileprivate func function() throws -> ActivationFunction {
    let name = try get("activation", \.activation)
    if let function = Self.functions[name] { return function }
    switch (name, numbers ?? []) {
    case ("clipped", let n) where n.count == 2: return .clipped(minimum: n[0], maximum: n[1])
    case ("leakyReLU", let n) where n.count == 1: return .leakyReLU(slope: n[0])
    case ("elu", let n) where n.count == 1: return .elu(alpha: n[0])
    case ("hardSigmoidLinear", let n) where n.count == 2:
      return .hardSigmoidLinear(alpha: n[0], beta: n[1])
    default: throw DescriptionError("there is no activation \(name) of \(numbers ?? [])")
    }
  }

  private static let functions: [String: ActivationFunction] = [
    "linear": .linear, "relu": .relu, "relu6": .relu6, "selu": .selu, "sigmoid": .sigmoid,
    "tanh": .tanh, "hardSigmoid": .hardSigmoid, "hardSigmoidKeras2": .hardSigmoidKeras2,
    "hardSwish": .hardSwish, "swish": .swish, "mish": .mish, "gelu": .gelu,
    "geluTanh": .geluTanh, "softplus": .softplus,
  ]
}
