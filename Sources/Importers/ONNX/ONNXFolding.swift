import Forge
import Foundation

/// Computes nodes of known values while importing: shapes, axes, counts and weights.
enum ONNXFolding {
  /// Folds a node and returns whether it did.
  ///
  /// The call then has its results.
  typealias Fold = @Sendable (inout ONNXCall, [HostTensor]) throws -> Bool

  /// Computes a node if all that it needs is known.
  ///
  /// Large results can be let go and computed again (``FoldedValues``).
  static func fold(_ call: inout ONNXCall) throws -> Bool {
    let stated = call
    guard try compute(&call) else { return false }
    for index in call.outputs.indices {
      guard case .host(let tensor)? = call.outputs[index] else { continue }
      let operands = stated.inputs.indices.compactMap { stated.host($0) }
      call.outputs[index] = .host(
        FoldedValues.holding(tensor, of: operands) {
          var again = stated
          _ = try compute(&again)
          guard case .host(let tensor)? = again.outputs[index] else {
            throw NodeFailure.invalid("a constant that is not computed again")
          }
          return tensor
        })
    }
    return true
  }

  private static func compute(_ call: inout ONNXCall) throws -> Bool {
    let fold: Fold
    switch ONNXOperators.find(call.node)?.fold {
    case .always(let always)?: return try always(&call, [])
    case .known(let known)?: fold = known
    case nil, .some(.none): return false
    }
    guard call.host(0) != nil else { return false }
    var hosts: [HostTensor] = []
    for input in call.inputs {
      // An input that is left out is known too; folds ask for it by `call.has`.
      guard case .host(let tensor)? = input else {
        if input == nil { continue }
        return false
      }
      hosts.append(tensor)
    }
    return try fold(&call, hosts)
  }

  /// Nodes of which only the sizes of inputs count, or that have none.
  static let always: [String: Fold] = [
    "Shape": { call, _ in
      let sizes = try call.value(0).sizes
      let start = bound(call.node.int("start", 0), sizes.count)
      let end = bound(call.node.int("end", sizes.count), sizes.count)
      let part = start < end ? Array(sizes[start..<end]) : []
      set(&call, HostTensor(integers: part.map { Int64($0) }, sizes: [part.count]))
      return true
    },
    "Size": { call, _ in
      let count = try call.value(0).sizes.reduce(1, *)
      set(&call, HostTensor(integers: [Int64(count)], sizes: []))
      return true
    },
    "EyeLike": { call, _ in
      try ONNXWindows.unitMatrix(&call)
      return true
    },
    "Constant": { call, _ in
      set(&call, try constant(call))
      return true
    },
  ]

  private static func bound(_ index: Int, _ count: Int) -> Int {
    min(max(index < 0 ? index + count : index, 0), count)
  }

  /// Sets the only result.
  static func set(_ call: inout ONNXCall, _ tensor: HostTensor) { call.set(.host(tensor)) }

  /// Sets the result if there is one; returns whether there is.
  static func set(_ call: inout ONNXCall, ifThere tensor: HostTensor?) -> Bool {
    guard let tensor else { return false }
    call.set(.host(tensor))
    return true
  }

  private static func constant(_ call: ONNXCall) throws -> HostTensor {
    let node = call.node
    if let stored = node.tensor("value") { return try call.reader.tensor(stored) }
    if node.has("value_float") { return HostTensor(floats: [node.float("value_float")], sizes: []) }
    if let values = node.floats("value_floats"), !values.isEmpty {
      return HostTensor(floats: values, sizes: [values.count])
    }
    if node.has("value_int") {
      return HostTensor(integers: [Int64(node.int("value_int"))], sizes: [])
    }
    if let values = node.ints("value_ints") {
      return HostTensor(integers: values.map { Int64($0) }, sizes: [values.count])
    }
    throw NodeFailure.unsupported("a value that is no tensor of numbers")
  }

  static let table: [String: Fold] =
    movements.merging(arithmetic) { first, _ in first }
    .merging(ONNXWindows.folds) { first, _ in first }
    .merging(ONNXEmptyReductions.folds) { full, empty in
      { call, hosts in try empty(&call, hosts) || full(&call, hosts) }
    }

  // MARK: Movements

  private static let movements: [String: Fold] = [
    "Identity": { call, hosts in set(&call, ifThere: hosts.first) },
    "Cast": { call, hosts in
      guard let type = ElementType(onnx: Int32(clamping: call.node.int("to"))) else { return false }
      // Numbers of Float64 are held as Float32.
      if type == .float64, let host = hosts.first, host.isInteger {
        try ONNXCall.checkExact(host)
      }
      return set(&call, ifThere: try hosts.first?.cast(to: type))
    },
    "ConstantOfShape": { call, hosts in
      guard let host = hosts.first else { return false }
      let sizes = try host.integers().map { Int($0) }
      let value = try call.node.tensor("value").map { try call.reader.tensor($0) }
      guard sizes.allSatisfy({ $0 >= 0 }), let count = Shape.product(of: sizes),
        count <= 1 << 24 || value?.isInteger != true
      else { throw NodeFailure.unsupported("a constant of \(sizes)") }
      guard value.map({ $0.count == 1 }) ?? true else {
        throw NodeFailure.invalid("a value of \(value?.count ?? 0) numbers")
      }
      if let value, value.isInteger {
        set(&call, try value.reshaped([]).expanded(to: sizes))
      } else {
        let number = try value?.floats().first ?? 0
        set(
          &call,
          HostTensor(type: value?.type ?? .float32, sizes: sizes, storage: .repeated(number)))
      }
      return true
    },
    "Reshape": { call, hosts in
      let sizes = try ONNXReshape.target(call, from: hosts[0].sizes)
      set(&call, hosts[0].reshaped(sizes))
      return true
    },
    "Flatten": { call, hosts in
      set(&call, hosts[0].reshaped(try ONNXReshape.flattened(call, hosts[0].sizes)))
      return true
    },
    "Squeeze": { call, hosts in
      set(&call, hosts[0].reshaped(try ONNXReshape.squeezed(call, hosts[0].sizes).sizes))
      return true
    },
    "Unsqueeze": { call, hosts in
      set(&call, hosts[0].reshaped(try ONNXReshape.unsqueezed(call, hosts[0].sizes).sizes))
      return true
    },
    "Transpose": { call, hosts in
      let order = try ONNXReshape.order(call, rank: hosts[0].sizes.count)
      set(&call, try hosts[0].transposed(order))
      return true
    },
    "Concat": { call, hosts in
      guard let first = hosts.first else { return false }
      let axis = try ONNXCall.axis(call.node.int("axis"), rank: first.sizes.count)
      for host in hosts {
        var sizes = host.sizes
        guard sizes.count == first.sizes.count else {
          throw NodeFailure.invalid("tensors of ranks \(first.sizes.count) and \(sizes.count)")
        }
        sizes[axis] = first.sizes[axis]
        guard sizes == first.sizes else { throw NodeFailure.invalid("sizes that do not fit") }
      }
      set(&call, try HostTensor.concatenated(hosts, axis: axis))
      return true
    },
    "Slice": { call, hosts in
      var result = hosts[0]
      for part in try ONNXSlice.parts(call, sizes: result.sizes) {
        result = try result.sliced(
          axis: part.axis, start: part.start, count: part.count, step: part.step)
      }
      set(&call, result)
      return true
    },
    "Gather": { call, hosts in
      guard hosts.count == 2 else { return false }
      let axis = try ONNXCall.axis(call.node.int("axis"), rank: hosts[0].sizes.count)
      let size = hosts[0].sizes[axis]
      let positions = try hosts[1].integers().map { try ONNXCall.place(Int($0), of: size) }
      set(&call, try hosts[0].gathered(axis: axis, at: positions, sizes: hosts[1].sizes))
      return true
    },
    "Expand": { call, hosts in
      guard hosts.count == 2 else { return false }
      let wanted = try hosts[1].integers().map { Int($0) }
      guard let sizes = HostTensor.broadcast(hosts[0].sizes, wanted),
        let count = Shape.product(of: sizes), count <= 1 << 24
      else { return false }
      set(&call, try hosts[0].expanded(to: sizes))
      return true
    },
    "Range": { call, hosts in
      guard hosts.count == 3 else { return false }
      if hosts.allSatisfy(\.isInteger) {
        let numbers = try hosts.map { try $0.integers().first ?? 0 }
        guard numbers[2] != 0 else { throw NodeFailure.invalid("a step of 0") }
        let length = (Double(numbers[1]) - Double(numbers[0])) / Double(numbers[2])
        guard length < 0x1p24 else { throw NodeFailure.invalid("an endless range") }
        let held = try ImportBudget.hold(Int(max(length, 0)) + 1, width: 8)
        let values = Array(stride(from: numbers[0], to: numbers[1], by: Int(numbers[2])))
        var range = HostTensor(integers: values, sizes: [values.count], type: hosts[0].type)
        range.held = held
        set(&call, range)
      } else {
        let numbers = try hosts.map { try $0.floats().first ?? 0 }
        let count = ((numbers[1] - numbers[0]) / numbers[2]).rounded(.up)
        guard count.isFinite, count < 0x1p24 else { throw NodeFailure.invalid("an endless range") }
        let held = try ImportBudget.hold(Int(max(count, 0)), width: 4)
        let values = (0..<Int(max(count, 0))).map { numbers[0] + Float($0) * numbers[2] }
        var range = HostTensor(floats: values, sizes: [values.count])
        range.held = held
        set(&call, try range.cast(to: hosts[0].type))
      }
      return true
    },
    "DequantizeLinear": { call, _ in try ONNXQuantization.dequantize(&call) },
    "QuantizeLinear": { call, _ in try ONNXQuantization.quantize(&call) },
    "NonZero": { call, hosts in
      let values = try hosts[0].cast(to: .bool).integers()
      let strides = HostTensor.strides(hosts[0].sizes)
      let count = values.count { $0 != 0 }
      // The places and, for each axis, their indices.
      let held = try ImportBudget.hold(
        count.multipliedSaturated(by: strides.count + 1), width: MemoryLayout<Int64>.size)
      let places = values.indices.filter { values[$0] != 0 }
      let rows = zip(strides, hosts[0].sizes).flatMap { stride, size in
        places.map { Int64($0 / stride % max(size, 1)) }
      }
      var result = HostTensor(integers: rows, sizes: [hosts[0].sizes.count, places.count])
      result.held = held
      set(&call, result)
      return true
    },
  ]

  // MARK: Arithmetic

  private static func binary(
    type: ElementType? = nil, _ integers: @escaping @Sendable (Int64, Int64) -> Int64?,
    _ floats: @escaping @Sendable (Float, Float) -> Float
  ) -> Fold {
    { call, hosts in
      guard var result = hosts.first, hosts.count >= 2 else { return false }
      for other in hosts.dropFirst() {
        guard
          let next = try result.combined(other, type: type, integers: integers, floats: floats)
        else { return false }
        result = next
      }
      set(&call, result)
      return true
    }
  }

  private static func compare(
    _ integers: @escaping @Sendable (Int64, Int64) -> Bool,
    _ floats: @escaping @Sendable (Float, Float) -> Bool
  ) -> Fold {
    binary(type: .bool, { integers($0, $1) ? 1 : 0 }, { floats($0, $1) ? 1 : 0 })
  }

  private static func unary(
    _ integers: @escaping @Sendable (Int64) -> Int64?,
    _ floats: @escaping @Sendable (Float) -> Float
  ) -> Fold {
    { call, hosts in
      set(&call, ifThere: try hosts.first?.mapped(integers: integers, floats: floats))
    }
  }

  private static func reduction(
    _ integers: @escaping @Sendable (Int64, Int64) -> Int64?,
    _ floats: @escaping @Sendable (Float, Float) -> Float
  ) -> Fold {
    { call, hosts in
      guard let host = hosts.first else { return false }
      guard let axes = try reducedAxes(call, rank: host.sizes.count) else {
        set(&call, host)
        return true
      }
      return set(
        &call,
        ifThere: try host.reduced(
          axes: axes, keepsDimensions: call.node.int("keepdims", 1) != 0, integers: integers,
          floats: floats))
    }
  }

  /// The axes of a reduction, all of them unless the node states some; `nil` if no axes stand for
  /// the input as it is.
  private static func reducedAxes(_ call: ONNXCall, rank: Int) throws -> [Int]? {
    let stated = try call.ints("axes", input: 1) ?? []
    if stated.isEmpty {
      return call.node.int("noop_with_empty_axes") != 0 ? nil : Array(0..<rank)
    }
    let axes = try stated.map { try ONNXCall.axis($0, rank: rank) }
    guard Set(axes).count == axes.count else { throw NodeFailure.invalid("axes \(axes)") }
    return axes
  }

  /// The result of an operation that may overflow.
  private static func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
    result.overflow ? nil : result.partialValue
  }

  /// A power of integers; `nil` if it overflows, or the exponent is negative.
  private static func power(_ base: Int64, _ exponent: Int64) -> Int64? {
    if base == 0 || base == 1 { return exponent == 0 ? 1 : exponent > 0 ? base : nil }
    if base == -1 { return exponent >= 0 ? (exponent & 1 == 0 ? 1 : -1) : nil }
    guard (0...63).contains(exponent) else { return nil }
    var result: Int64 = 1
    for _ in 0..<exponent {
      guard let next = checked(result.multipliedReportingOverflow(by: base)) else { return nil }
      result = next
    }
    return result
  }

  private static let arithmetic: [String: Fold] = [
    "Add": binary({ checked($0.addingReportingOverflow($1)) }, { $0 + $1 }),
    "Sub": binary({ checked($0.subtractingReportingOverflow($1)) }, { $0 - $1 }),
    "Mul": binary({ checked($0.multipliedReportingOverflow(by: $1)) }, { $0 * $1 }),
    "Div": binary({ checked($0.dividedReportingOverflow(by: $1)) }, { $0 / $1 }),
    "Mod": { call, hosts in
      if call.node.int("fmod") != 0 {
        return try binary(
          { checked($0.remainderReportingOverflow(dividingBy: $1)) },
          { $0.truncatingRemainder(dividingBy: $1) })(&call, hosts)
      }
      guard hosts.allSatisfy(\.isInteger) else { return false }
      return try binary(
        { a, b in
          checked(a.remainderReportingOverflow(dividingBy: b)).map { rest in
            rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest
          }
        }, { $0 + $1 })(&call, hosts)
    },
    "Pow": binary(power, { Float(pow(Double($0), Double($1))) }),
    "Min": binary({ min($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : min($0, $1) }),
    "Max": binary({ max($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : max($0, $1) }),
    "Clip": { call, hosts in
      guard var result = hosts.first, !call.node.has("min"), !call.node.has("max") else {
        return false
      }
      // The upper bound wins where they cross.
      for (index, name) in [(1, "Max"), (2, "Min")] {
        guard let bound = call.host(index), let combine = arithmetic[name] else { continue }
        guard try bound.isInteger || !bound.floats().contains(where: \.isNaN) else {
          throw NodeFailure.unsupported("a bound that is no number")
        }
        guard try combine(&call, [result, bound]), case .host(let next)? = call.outputs[0] else {
          return false
        }
        result = next
      }
      set(&call, result)
      return true
    },
    "Neg": unary({ checked(Int64(0).subtractingReportingOverflow($0)) }, { -$0 }),
    "Abs": unary({ $0 == .min ? nil : abs($0) }, { abs($0) }),
    "Sign": unary({ $0.signum() }, { $0 > 0 ? 1 : $0 < 0 ? -1 : $0.isNaN ? .nan : 0 }),
    "Sqrt": unary({ _ in nil }, { $0.squareRoot() }),
    "Exp": unary({ _ in nil }, { Float(exp(Double($0))) }),
    "Log": unary({ _ in nil }, { Float(log(Double($0))) }),
    "Reciprocal": unary({ _ in nil }, { 1 / $0 }),
    "Floor": unary({ $0 }, { $0.rounded(.down) }),
    "Ceil": unary({ $0 }, { $0.rounded(.up) }),
    "Equal": compare({ $0 == $1 }, { $0 == $1 }),
    "Less": compare({ $0 < $1 }, { $0 < $1 }),
    "LessOrEqual": compare({ $0 <= $1 }, { $0 <= $1 }),
    "Greater": compare({ $0 > $1 }, { $0 > $1 }),
    "GreaterOrEqual": compare({ $0 >= $1 }, { $0 >= $1 }),
    "And": compare({ $0 != 0 && $1 != 0 }, { $0 != 0 && $1 != 0 }),
    "Or": compare({ $0 != 0 || $1 != 0 }, { $0 != 0 || $1 != 0 }),
    "Not": unary({ $0 == 0 ? 1 : 0 }, { $0 == 0 ? 1 : 0 }),
    "Where": { call, hosts in
      guard hosts.count == 3,
        let first = HostTensor.broadcast(hosts[0].sizes, hosts[1].sizes),
        let sizes = HostTensor.broadcast(first, hosts[2].sizes)
      else { return false }
      set(
        &call, try HostTensor.chosen(by: hosts[0], hosts[1], hosts[2], sizes: sizes))
      return true
    },
    "ReduceL2": { call, hosts in
      guard let host = hosts.first, !host.isInteger,
        let axes = try reducedAxes(call, rank: host.sizes.count)
      else { return false }
      return set(
        &call,
        ifThere: try host.norm(
          axes: axes, keepsDimensions: call.node.int("keepdims", 1) != 0))
    },
    "ReduceMean": { call, hosts in
      // Means of floating-point numbers are computed as the network does.
      guard let host = hosts.first, host.isInteger, host.count > 0,
        try arithmetic["ReduceSum"]?(&call, hosts) == true, case .host(let sum)? = call.outputs[0],
        sum.count > 0
      else { return false }
      let count = Int64(host.count / sum.count)
      return set(&call, ifThere: try sum.mapped(integers: { $0 / count }, floats: { $0 }))
    },
    "ReduceProd": reduction({ checked($0.multipliedReportingOverflow(by: $1)) }, { $0 * $1 }),
    "ReduceSum": reduction({ checked($0.addingReportingOverflow($1)) }, { $0 + $1 }),
    "ReduceMax": reduction({ max($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : max($0, $1) }),
    "ReduceMin": reduction({ min($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : min($0, $1) }),
  ]
}
