import Forge

/// Reductions of known values along axes.
extension ONNXFolding {
  /// A reduction, and its result where there are no elements.
  static func reduction(ofNothing neutral: Float, _ reduce: @escaping Fold) -> Fold {
    let empty = ONNXEmptyReductions.fold(neutral)
    return { call, hosts in try empty(&call, hosts) || reduce(&call, hosts) }
  }

  static let sums = reduction(
    { checked($0.addingReportingOverflow($1)) }, { $0 + $1 })
  static let products = reduction(
    { checked($0.multipliedReportingOverflow(by: $1)) }, { $0 * $1 })
  static let maxima = reduction(
    { max($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : max($0, $1) })
  static let minima = reduction(
    { min($0, $1) }, { $0.isNaN || $1.isNaN ? .nan : min($0, $1) })

  /// A reduction that a network computes unless there are no elements.
  static func computed(_ call: inout ONNXCall, _: [HostTensor]) throws -> Bool { false }

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

  /// Sums of a function of integers, whose results are exact; a network sums others.
  static func integerSums(of function: @escaping @Sendable (Int64) -> Int64?) -> Fold {
    { call, hosts in
      guard let host = hosts.first, host.isInteger,
        try reducedAxes(call, rank: host.sizes.count) != nil,
        let values = try host.mapped(integers: function, floats: { $0 })
      else { return false }
      return try sums(&call, [values])
    }
  }

  /// The roots of sums of squares; a network computes those of integers.
  static func norms(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard let host = hosts.first, !host.isInteger,
      let axes = try reducedAxes(call, rank: host.sizes.count)
    else { return false }
    return set(
      &call,
      ifThere: try host.norm(
        axes: axes, keepsDimensions: call.node.int("keepdims", 1) != 0))
  }

  /// Means of integers; those of floating-point numbers are computed as the network does.
  static func means(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard let host = hosts.first, host.isInteger, host.count > 0,
      try sums(&call, hosts), case .host(let sum)? = call.outputs[0],
      sum.count > 0
    else { return false }
    let count = Int64(host.count / sum.count)
    return set(&call, ifThere: try sum.mapped(integers: { $0 / count }, floats: { $0 }))
  }

  /// Sums of all elements up to each one along an axis.
  static func cumulativeSums(_ call: inout ONNXCall, _ hosts: [HostTensor]) throws -> Bool {
    guard hosts.count == 2, let stated = try hosts[1].integers().first, hosts[0].count > 0 else {
      return false
    }
    let sizes = hosts[0].sizes
    let axis = try ONNXCall.axis(Int(clamping: stated), rank: sizes.count)
    let (isExclusive, isReversed) = (
      call.node.int("exclusive") != 0, call.node.int("reverse") != 0
    )
    // The entries one after the other, from the end if the sums are.
    func entry(_ index: Int) throws -> HostTensor {
      let place = isReversed ? sizes[axis] - 1 - index : index
      return try hosts[0].sliced(axis: axis, start: place, count: 1, step: 1)
    }
    // The work grows with the entries.
    guard sizes[axis] <= 1 << 12 else { return false }
    guard var total = try entry(0).mapped(integers: { _ in 0 }, floats: { _ in 0 }) else {
      return false
    }
    var parts: [HostTensor] = []
    for index in 0..<sizes[axis] {
      if isExclusive { parts.append(total) }
      guard
        let next = try total.combined(
          entry(index), integers: { checked($0.addingReportingOverflow($1)) }, floats: { $0 + $1 })
      else { return false }
      total = next
      if !isExclusive { parts.append(total) }
    }
    set(&call, try HostTensor.concatenated(isReversed ? parts.reversed() : parts, axis: axis))
    return true
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
}
