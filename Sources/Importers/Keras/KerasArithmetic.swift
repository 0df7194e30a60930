import Forge

/// Arithmetic of tensors, and of tensors and numbers.
enum KerasArithmetic {
  static let functions: [KerasFunction] = [
    KerasFunction("add", "add_v2", activation: .none, build: binary(.add)),
    KerasFunction("subtract", "sub", activation: .none, build: binary(.subtract)),
    KerasFunction("multiply", "mul", activation: .none, build: binary(.multiply)),
    KerasFunction("divide", "true_divide", "truediv", activation: .none, build: binary(.divide)),
    KerasFunction("maximum", activation: .none, build: binary(.maximum)),
    KerasFunction("minimum", activation: .none, build: binary(.minimum)),
  ]

  private enum Kind: Sendable { case add, subtract, multiply, divide, maximum, minimum }

  /// A tensor, one number or one for each channel, or numbers of several axes.
  private enum Operand {
    case tensor(KerasTensor)
    case numbers([Float])
    case array([Int], [Float])
  }

  /// The numbers of an operation of a tensor and numbers.
  enum Numbers: Sendable {
    /// There are none but two tensors.
    case none
    /// They are the first operand.
    case first([Float])
    /// They are the second operand.
    case second([Float])
  }

  private static func binary(_ kind: Kind) -> KerasFunction.Build {
    { _ throws(KerasFault) in
      binary { numbers, name throws(KerasFault) in
        switch numbers {
        case .none: layer(kind, name)
        case .second(let numbers): layer(kind, tensorAnd: numbers, name)
        case .first(let numbers): layer(kind, numbers, andTensor: name)
        }
      }
    }
  }

  /// An operation of two tensors, or of a tensor and numbers.
  ///
  /// - Parameter layer: the layer, given the numbers and the name.
  /// - Returns: the step.
  static func binary(
    _ layer: @escaping @Sendable (Numbers, String) throws(KerasFault) -> (any Layer)?
  ) -> KerasStep {
    .one { call throws(KerasFault) in
      let (first, second) = try operands(call)
      func both(_ first: KerasTensor, _ second: KerasTensor) throws(KerasFault) -> KerasTensor {
        let (tensors, rank) = try KerasMerges.aligned([first, second], call)
        guard let layer = try layer(.none, call.name) else { throw .unsupported(nil) }
        return KerasTensor(tensor: try call.apply(layer, to: tensors), rank: rank)
      }
      func single(_ tensor: KerasTensor, _ numbers: Numbers) throws(KerasFault) -> KerasTensor? {
        guard let layer = try layer(numbers, call.name) else { return nil }
        return KerasTensor(tensor: try call.apply(layer, to: tensor.tensor), rank: tensor.rank)
      }
      switch (first, second) {
      case (.tensor(let first), .tensor(let second)): return try both(first, second)
      case (.tensor(let tensor), .numbers(let numbers)):
        if fits(numbers, tensor), let result = try single(tensor, .second(numbers)) {
          return result
        }
        return try both(tensor, call.constant(numbers, [numbers.count], beside: tensor))
      case (.numbers(let numbers), .tensor(let tensor)):
        if fits(numbers, tensor), let result = try single(tensor, .first(numbers)) {
          return result
        }
        return try both(call.constant(numbers, [numbers.count], beside: tensor), tensor)
      case (.tensor(let tensor), .array(let sizes, let values)):
        return try both(tensor, call.constant(values, sizes, beside: tensor))
      case (.array(let sizes, let values), .tensor(let tensor)):
        return try both(call.constant(values, sizes, beside: tensor), tensor)
      default: throw .unsupported("no tensor")
      }
    }
  }

  /// Whether numbers are one for all elements or for each channel; else the tensor is repeated.
  private static func fits(_ numbers: [Float], _ tensor: KerasTensor) -> Bool {
    numbers.count == 1 || tensor.tensor.channels != 1
  }

  private static func operands(_ call: KerasCall) throws(KerasFault) -> (Operand, Operand) {
    guard let first = call.value("x1", "x", at: 0),
      let second = call.value("x2", "y", at: call.arguments.count > 1 ? 1 : 0)
    else { throw .unsupported("missing arguments") }
    return (try operand(first), try operand(second))
  }

  private static func operand(_ value: KerasValue) throws(KerasFault) -> Operand {
    if case .tensor(let tensor) = value { return .tensor(tensor) }
    guard let (sizes, numbers) = value.json?.numbers, !numbers.isEmpty else {
      throw .unsupported("an argument that is neither a tensor nor a number")
    }
    return sizes.count <= 1 ? .numbers(numbers) : .array(sizes, numbers)
  }

  private static func layer(_ kind: Kind, _ name: String) -> any Layer {
    switch kind {
    case .add: Add(name: name)
    case .subtract: Subtract(name: name)
    case .multiply: Multiply(name: name)
    case .divide: Divide(name: name)
    case .maximum: Maximum(name: name)
    case .minimum: Minimum(name: name)
    }
  }

  private static func layer(
    _ kind: Kind, tensorAnd numbers: [Float], _ name: String
  ) -> any Layer {
    switch kind {
    case .add: Add(constant: numbers, name: name)
    case .subtract: Subtract(constant: numbers, name: name)
    case .multiply: Multiply(constant: numbers, name: name)
    case .divide: Divide(by: numbers, name: name)
    case .maximum: Maximum(constant: numbers, name: name)
    case .minimum: Minimum(constant: numbers, name: name)
    }
  }

  private static func layer(
    _ kind: Kind, _ numbers: [Float], andTensor name: String
  ) -> (any Layer)? {
    switch kind {
    case .add: Add(constant: numbers, name: name)
    case .subtract: Scale(by: [-1], bias: numbers, name: name)
    case .multiply: Multiply(constant: numbers, name: name)
    case .divide: nil
    case .maximum: Maximum(constant: numbers, name: name)
    case .minimum: Minimum(constant: numbers, name: name)
    }
  }
}

extension KerasCall {
  /// Numbers as a tensor that broadcasts to another one; an axis for the batch has size 1.
  func constant(
    _ values: [Float], _ stated: [Int], beside tensor: KerasTensor
  ) throws(KerasFault) -> KerasTensor {
    var sizes = stated
    if sizes.count == tensor.rank + 1 {
      guard sizes[0] == 1 else { throw .unsupported("numbers for each example of a batch") }
      sizes.removeFirst()
    }
    guard 1...tensor.rank ~= sizes.count, !sizes.contains(0) else {
      throw .unsupported("numbers of more axes than the tensor has")
    }
    let shape = Shape(sizes: KerasTensor.forgeSizes(sizes))
    return KerasTensor(
      tensor: try apply(Constant(values, shape: shape), to: []), rank: sizes.count)
  }
}

extension KerasStep {
  /// The only result of a call.
  func only(_ call: KerasCall) throws(KerasFault) -> KerasTensor {
    let results = try run(call)
    guard let result = results.first, results.count == 1 else { throw .unsupported(nil) }
    return result
  }
}
