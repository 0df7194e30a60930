import Forge
import ForgeShapes

/// Layers whose results have sizes that follow from those of their inputs.
extension CoreMLGraphWriter {
  // MARK: Movements

  /// The same elements with other sizes; the value itself if it has them.
  mutating func reshaped(
    _ x: String, to target: [Int], named: String? = nil
  ) throws(ExportRefusal) -> String {
    guard sizes(of: x) != target else { return x }
    return try add(.reshape, [x], sizes: target, named: named) { $0.integers(1, target) }
  }

  /// Axis `i` of the result is axis `order[i]`.
  mutating func transposed(
    _ x: String, _ order: [Int], named: String? = nil
  ) throws(ExportRefusal) -> String {
    guard order != Array(order.indices) else { return x }
    let from = sizes(of: x)
    return try add(.transpose, [x], sizes: order.map { from[$0] }, named: named) {
      $0.integers(1, order)
    }
  }

  /// Splits axes, changes their order, and joins them.
  ///
  /// Axes of size 1 are left out in between, and those that stay together are one axis, because a
  /// tensor of Core ML has five axes at most.
  mutating func rearranged(
    _ x: String, _ split: [Int], order: [Int], to target: [Int], named: String? = nil
  ) throws(ExportRefusal) -> String {
    let kept = order.filter { split[$0] != 1 }
    var groups: [[Int]] = []
    for axis in kept {
      // Axes of size 1 between two axes do not separate them.
      if let last = groups.last?.last, last < axis,
        (last + 1..<axis).allSatisfy({ split[$0] == 1 })
      {
        groups[groups.count - 1].append(axis)
      } else {
        groups.append([axis])
      }
    }
    let places = groups.indices.sorted { groups[$0][0] < groups[$1][0] }
    guard groups.count > 1 else { return try reshaped(x, to: target, named: named) }
    let merged = places.map { groups[$0].reduce(1) { $0 * split[$1] } }
    let turn = groups.indices.map { group in places.firstIndex(of: group) ?? 0 }
    let turned = try transposed(try reshaped(x, to: merged), turn)
    return try reshaped(turned, to: target, named: named)
  }

  /// A number of elements along an axis, in steps that may be negative.
  mutating func sliced(
    _ x: String, axis: Int, from start: Int, count: Int, step: Int = 1, named: String? = nil
  ) throws(ExportRefusal) -> String {
    try sliced(x, [(axis: axis, start: start, count: count, step: step)], named: named)
  }

  /// Elements along some axes, in steps that may be negative.
  mutating func sliced(
    _ x: String, _ parts: [(axis: Int, start: Int, count: Int, step: Int)], named: String? = nil
  ) throws(ExportRefusal) -> String {
    let from = sizes(of: x)
    let changed = parts.filter { $0.count != from[$0.axis] || $0.step != 1 }
    guard !changed.isEmpty else { return x }
    // Steps are positive: what is read backwards is reversed first.
    let backwards = Set(changed.filter { $0.step < 0 }.map(\.axis))
    let source = try reversed(x, axes: backwards)
    var (starts, ends, steps) = (from.map { _ in 0 }, from, from.map { _ in 1 })
    var target = from
    for part in changed {
      let start = part.step < 0 ? from[part.axis] - 1 - part.start : part.start
      let step = abs(part.step)
      starts[part.axis] = start
      ends[part.axis] = start + (part.count - 1) * step + 1
      steps[part.axis] = step
      target[part.axis] = part.count
    }
    guard starts != from.map({ _ in 0 }) || target != from || steps.contains(where: { $0 != 1 })
    else { return source }
    let masks = from.map { _ in false }
    return try add(.slice, [source], sizes: target, named: named) {
      $0.integers(1, starts)
      $0.flags(2, masks)
      $0.integers(3, ends)
      $0.flags(4, masks)
      $0.integers(5, steps)
      $0.flags(6, masks)
    }
  }

  /// The elements along some axes in reverse order.
  mutating func reversed(_ x: String, axes: Set<Int>) throws(ExportRefusal) -> String {
    let from = sizes(of: x)
    guard axes.contains(where: { from[$0] > 1 }) else { return x }
    return try add(.reverse, [x], sizes: from) { layer in
      layer.flags(1, from.indices.map { axes.contains($0) })
    }
  }

  /// Tensors joined along an axis.
  mutating func joined(
    _ parts: [String], axis: Int, named: String? = nil
  ) throws(ExportRefusal) -> String {
    guard parts.count > 1 else { return parts[0] }
    var target = sizes(of: parts[0])
    target[axis] = parts.reduce(0) { $0 + sizes(of: $1)[axis] }
    return try add(.concatenate, parts, sizes: target, named: named) { $0.integer(1, axis) }
  }

  /// Axes of size 1 repeated.
  mutating func broadcast(
    _ x: String, to target: [Int], named: String? = nil
  ) throws(ExportRefusal) -> String {
    let from = sizes(of: x)
    let ones = Array(repeating: 1, count: max(target.count - from.count, 0))
    let source = try reshaped(x, to: ones + from)
    guard sizes(of: source) != target else { return source }
    return try add(.broadcast, [source], sizes: target, named: named) { $0.integers(1, target) }
  }

  // MARK: Functions

  /// A function of each element.
  mutating func map(
    _ kind: CoreMLKind, _ x: String, named: String? = nil,
    _ fill: (inout CoreMLMessage) -> Void = { _ in }
  ) throws(ExportRefusal) -> String {
    try add(kind, [x], sizes: sizes(of: x), named: named, fill)
  }

  /// One of the functions of `activation`.
  mutating func activated(
    _ x: String, _ function: CoreMLFunction, named: String? = nil
  ) throws(ExportRefusal) -> String {
    try map(.activation, x, named: named) { function.write(to: &$0) }
  }

  /// `factor · x`.
  mutating func scaled(
    _ x: String, by factor: Float, named: String? = nil
  ) throws(ExportRefusal) -> String {
    try map(.multiplyNumber, x, named: named) { $0.float(1, factor) }
  }

  /// `x + number`.
  mutating func shifted(
    _ x: String, by number: Float, named: String? = nil
  ) throws(ExportRefusal) -> String {
    try map(.addNumber, x, named: named) { $0.float(1, number) }
  }

  /// Whether `x` has a relation to a number, as 1 or 0.
  mutating func compared(
    _ kind: CoreMLKind, _ x: String, to number: Float, named: String? = nil
  ) throws(ExportRefusal) -> String {
    let isEquality = kind.field == CoreMLKind.equal.field || kind.field == CoreMLKind.notEqual.field
    return try map(kind, x, named: named) { $0.float(isEquality ? 1 : 2, number) }
  }

  /// A function of two tensors, with NumPy's broadcasting.
  mutating func combined(
    _ kind: CoreMLKind, _ a: String, _ b: String, named: String? = nil
  ) throws(ExportRefusal) -> String {
    let target = Self.broadcast(sizes(of: a), sizes(of: b))
    return try add(kind, [a, b], sizes: target, named: named)
  }

  /// The second value where the first is not 0, else the third.
  mutating func selected(
    _ condition: String, _ a: String, _ b: String, named: String? = nil
  ) throws(ExportRefusal) -> String {
    let target = Self.broadcast(
      sizes(of: condition), Self.broadcast(sizes(of: a), sizes(of: b)))
    return try add(.select, [condition, a, b], sizes: target, named: named)
  }

  /// A reduction along an axis, which stays with size 1.
  mutating func reduced(
    _ kind: CoreMLKind, _ x: String, axes: [Int], named: String? = nil
  ) throws(ExportRefusal) -> String {
    var target = sizes(of: x)
    for axis in axes { target[axis] = 1 }
    return try add(kind, [x], sizes: target, named: named) {
      $0.integers(1, axes)
      $0.flag(2, true)
    }
  }

  /// The softmax along an axis.
  mutating func softmax(
    _ x: String, axis: Int, named: String? = nil
  ) throws(ExportRefusal) -> String {
    try map(.softmax, x, named: named) { $0.integer(1, axis) }
  }

  /// The products of the matrices in the last two axes; the second ones may be transposed.
  mutating func product(
    _ a: String, _ b: String, transposesB: Bool = false, named: String? = nil
  ) throws(ExportRefusal) -> String {
    let (left, right) = (sizes(of: a), sizes(of: b))
    let front = Self.broadcast(Array(left.dropLast(2)), Array(right.dropLast(2)))
    let columns = transposesB ? right[right.count - 2] : right[right.count - 1]
    return try add(
      .batchedProduct, [a, b], sizes: front + [left[left.count - 2], columns], named: named
    ) { if transposesB { $0.flag(2, true) } }
  }

  /// The sizes to which two tensors are broadcast.
  static func broadcast(_ a: [Int], _ b: [Int]) -> [Int] {
    let rank = max(a.count, b.count)
    let both = [a, b].map { Array(repeating: 1, count: rank - $0.count) + $0 }
    return (0..<rank).map { both[0][$0] == 1 ? both[1][$0] : both[0][$0] }
  }
}

/// A function of the layer `activation` (`ActivationParams`).
struct CoreMLFunction {
  private let field: Int
  private let numbers: [Float]

  static let (relu, tanh) = (CoreMLFunction(field: 10), CoreMLFunction(field: 30))
  static let (sigmoid, softsign) = (CoreMLFunction(field: 40), CoreMLFunction(field: 60))
  static let softplus = CoreMLFunction(field: 70)

  private init(field: Int, _ numbers: Float...) {
    (self.field, self.numbers) = (field, numbers)
  }

  static func linear(_ alpha: Float, _ beta: Float) -> CoreMLFunction {
    CoreMLFunction(field: 5, alpha, beta)
  }
  static func leakyReLU(_ slope: Float) -> CoreMLFunction { CoreMLFunction(field: 15, slope) }
  static func scaledTanh(_ alpha: Float, _ beta: Float) -> CoreMLFunction {
    CoreMLFunction(field: 31, alpha, beta)
  }
  static func hardSigmoid(_ alpha: Float, _ beta: Float) -> CoreMLFunction {
    CoreMLFunction(field: 41, alpha, beta)
  }
  static func elu(_ alpha: Float) -> CoreMLFunction { CoreMLFunction(field: 50, alpha) }

  /// Writes the fields of the parameters.
  func write(to layer: inout CoreMLMessage) {
    layer.message(field) { function in
      for (index, number) in numbers.enumerated() { function.float(index + 1, number) }
    }
  }
}
