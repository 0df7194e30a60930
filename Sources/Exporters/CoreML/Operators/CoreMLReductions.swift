import Forge
import ForgeOperations
import ForgeShapes

/// Operations along the last axis.
extension CoreMLGraphWriter {
  mutating func reduceRows(_ call: CoreMLOperation, _ kind: Reduction) throws(ExportRefusal) {
    let type: CoreMLKind =
      switch kind {
      case .sum: .reduceSum
      case .mean: .reduceMean
      case .maximum: .reduceMax
      case .minimum: .reduceMin
      case .product: .reduceProd
      case .l1: .reduceL1
      case .l2: .reduceL2
      case .sumOfSquares: .reduceSumSquare
      case .logSum: .reduceLogSum
      case .logSumExp: .reduceLogSumExp
      }
    let (x, axis, form) = try rows(call.inputs[0])
    set(call.output, form, try reduced(type, x, axes: [axis], named: name(for: call.output)))
  }

  mutating func argumentRows(
    _ call: CoreMLOperation, smallest: Bool, selectsLast: Bool
  ) throws(ExportRefusal) {
    let (x, axis, form) = try rows(call.inputs[0])
    let count = sizes(of: x)[axis]
    // The last one is the first one of the axis in reverse order.
    let source = selectsLast ? try reversed(x, axes: [axis]) : x
    var target = sizes(of: x)
    target[axis] = 1
    let name = name(for: call.output)
    let place = try add(
      smallest ? .argMin : .argMax, [source], sizes: target, named: selectsLast ? nil : name
    ) { $0.integer(1, axis) }
    guard selectsLast else { return set(call.output, form, place) }
    let back = try scaled(place, by: -1)
    set(call.output, form, try shifted(back, by: Float(count - 1), named: name))
  }

  mutating func topRows(
    _ call: CoreMLOperation, count: Int, smallest: Bool, places: Bool
  ) throws(ExportRefusal) {
    let (x, axis, form) = try rows(call.inputs[0])
    var target = sizes(of: x)
    target[axis] = count
    let both = try add(.topK, [x], outputs: [target, target], named: nil) {
      $0.integer(1, axis)
      $0.integer(2, count)
      $0.flag(3, smallest)
    }
    set(call.output, form, both[places ? 1 : 0])
  }

  mutating func cumulativeSum(
    _ call: CoreMLOperation, exclusive: Bool, reversed: Bool
  ) throws(ExportRefusal) {
    let (x, axis, form) = try rows(call.inputs[0])
    let result = try map(.cumulativeSum, x, named: name(for: call.output)) {
      $0.integer(1, axis)
      $0.flag(2, exclusive)
      $0.flag(3, reversed)
    }
    set(call.output, form, result)
  }

  /// A value whose last axis is meant, with the place of that axis.
  private mutating func rows(
    _ value: OperationGraph.Value
  ) throws(ExportRefusal) -> (name: String, axis: Int, form: CoreMLValue.Form) {
    let form = try self.value(value).primary
    let name = try name(of: value, in: form)
    return (name, form == .channelsFirst ? 1 : sizes(of: name).count - 1, form)
  }
}
