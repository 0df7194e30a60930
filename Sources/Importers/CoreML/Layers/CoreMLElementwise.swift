import Forge
import ForgeMessages

/// Layers of one or several tensors, element by element.
enum CoreMLElementwise {
  /// Combines all inputs from the first to the last, with NumPy's broadcasting.
  static func combine(_ call: inout CoreMLCall, _ layer: any Layer) throws {
    let (tensors, layout, rank) = try operands(call)
    guard tensors.count > 1 else { throw NodeFailure.invalid("1 input of at least 2") }
    call.set(FileTensor(try call.apply(layer, to: tensors), layout: layout, rank: rank))
  }

  /// A sum or product of all inputs, or of one and the number `alpha`.
  static func combine(
    _ call: inout CoreMLCall, alpha: Float, constant: (Float) -> any Layer,
    channels: ([Float]) -> any Layer, _ layer: any Layer
  ) throws {
    guard call.inputs.count != 1 else { return try call.map(constant(alpha)) }
    // A stored value per channel is folded into the layers around it.
    if call.inputs.count == 2 {
      for index in 0..<2 {
        guard case .host(let host) = try call.value(index),
          case .network(let input) = try call.value(1 - index), host.sizes.count <= input.rank
        else { continue }
        let missing = input.rank - host.sizes.count
        let wide = host.sizes.indices.filter { host.sizes[$0] != 1 }.map { $0 + missing }
        let isPerChannel =
          wide.count == 1 && input.layout.last == wide[0] && input.sizes[wide[0]] == host.count
        guard wide.isEmpty || isPerChannel else { continue }
        let result = try call.apply(channels(try host.floats()), to: input.tensor)
        return call.set(result, like: input)
      }
    }
    try combine(&call, layer)
  }

  static func average(_ call: inout CoreMLCall) throws {
    guard call.inputs.count > 1 else { return try call.map(Activation(.linear)) }
    try combine(&call, Average(name: call.name))
  }

  /// A comparison of two inputs, or of one and the number `alpha`.
  static func compare(
    _ call: inout CoreMLCall, _ comparison: Comparison, alpha: Float
  ) throws {
    guard call.inputs.count == 1 else {
      return try combine(&call, Compare(comparison, name: call.name))
    }
    let input = try call.network()
    let number = Tensor.applying(Constant([alpha], shape: Shape(sizes: [1])), to: [])
    call.set(
      try call.apply(Compare(comparison, name: call.name), to: input.tensor, number), like: input)
  }

  /// ⌊a / b⌋.
  static func floorDivide(_ call: inout CoreMLCall) throws {
    let (tensors, layout, rank) = try operands(call)
    let quotient = try call.apply(Divide(), to: tensors)
    call.set(
      FileTensor(
        try call.apply(Unary(.floor), to: quotient), layout: layout, rank: rank))
  }

  static func `where`(_ call: inout CoreMLCall) throws {
    guard call.inputs.count == 3 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
    try combine(&call, Where(name: call.name))
  }

  /// The inputs in one layout, with the rank of the largest.
  private static func operands(
    _ call: CoreMLCall
  ) throws -> (tensors: [Tensor], layout: [Int?], rank: Int) {
    let values = try call.networks()
    let rank = values.map(\.rank).max() ?? 0
    let raised = values.map { $0.raised(to: rank) }
    var layout: [Int?] = []
    var best = 0
    for value in raised where value.count > best { (layout, best) = (value.layout, value.count) }
    let wide = (0..<rank).filter { axis in raised.contains { $0.sizes[axis] != 1 } }
    let missing = wide.filter { !layout.contains($0) }
    if !missing.isEmpty { layout = missing + layout.compactMap { $0 } }
    return (raised.map { $0.tensor(as: layout) }, layout, rank)
  }

  // MARK: Functions

  /// The layer `unary`: a function of `scale · x + shift`.
  static func unary(_ call: inout CoreMLCall, _ layer: CoreMLUnary) throws {
    // A file that states no scale means 1.
    let scale = layer.scale == 0 ? 1 : layer.scale
    let usesEpsilon = layer.type == 1 || layer.type == 2
    let epsilon = usesEpsilon ? CoreMLCall.epsilon(layer.epsilon) : 0
    let before = Scale(scale, bias: layer.shift + epsilon)
    let function: any Layer
    switch layer.type {
    case 0: function = Unary(.squareRoot)
    case 1: function = Unary(.reciprocalSquareRoot)
    case 2: function = Unary(.reciprocal)
    case 3: function = Power(of: [layer.alpha])
    case 4: function = Unary(.exponential)
    case 5: function = Unary(.logarithm)
    case 6: function = Unary(.absolute)
    case 7: function = Maximum(constant: [layer.alpha])
    default: throw NodeFailure.unsupported("type \(layer.type)")
    }
    if before.factors == [1], before.bias == [0] {
      try call.map(function)
    } else {
      try call.map(before, function)
    }
  }

  static func gelu(_ call: inout CoreMLCall, _ mode: Int32) throws {
    switch mode {
    case 0: try call.map(Activation(.gelu))
    case 1: try call.map(Activation(.geluTanh))
    case 2:
      // x · σ(1.702·x).
      let input = try call.network()
      let gate = try call.apply(
        Activation(.sigmoid), to: try call.apply(Scale(1.702), to: input.tensor))
      call.set(try call.apply(Multiply(name: call.name), to: input.tensor, gate), like: input)
    default: throw NodeFailure.unsupported("mode \(mode)")
    }
  }

  /// `min(max(x, 0), beta)`, with the slope `alpha` below 0.
  static func clampedReLU(_ call: inout CoreMLCall, _ pair: CoreMLPair) throws {
    let upper = Activation(.clipped(minimum: -.infinity, maximum: pair.beta))
    try call.map(Activation(.leakyReLU(slope: pair.alpha)), upper)
  }

  /// Two to the power of x.
  static func exponentialOfTwo(_ call: inout CoreMLCall) throws {
    try call.map(Scale(0.693_147_180_559_945_3), Unary(.exponential))
  }
}
