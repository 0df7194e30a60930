import Forge
import ForgeOperations
import ForgeShapes

/// Operations along the last axis.
extension ONNXGraphWriter {
  mutating func reduceRows(_ call: ONNXOperation, _ kind: Reduction) throws(ExportRefusal) {
    let type =
      switch kind {
      case .sum: "ReduceSum"
      case .mean: "ReduceMean"
      case .maximum: "ReduceMax"
      case .minimum: "ReduceMin"
      case .product: "ReduceProd"
      case .l1: "ReduceL1"
      case .l2: "ReduceL2"
      case .sumOfSquares: "ReduceSumSquare"
      case .logSum: "ReduceLogSum"
      case .logSumExp: "ReduceLogSumExp"
      }
    let (x, form) = try rows(call.inputs[0])
    let last = integers([form == .channelsFirst ? 1 : -1])
    let result = add(type, [x, last], named: name(for: call.output), ("keepdims", .int(1)))
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  mutating func argumentRows(
    _ call: ONNXOperation, smallest: Bool, selectsLast: Bool
  ) throws(ExportRefusal) {
    let (x, form) = try rows(call.inputs[0])
    let index = add(
      smallest ? "ArgMin" : "ArgMax", [x], ("axis", .int(form == .channelsFirst ? 1 : -1)),
      ("keepdims", .int(1)), ("select_last_index", .int(selectsLast ? 1 : 0)))
    let result = cast(index, named: name(for: call.output))
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  mutating func topRows(
    _ call: ONNXOperation, count: Int, smallest: Bool, places: Bool
  ) throws(ExportRefusal) {
    let (x, form) = try rows(call.inputs[0])
    let both = add(
      "TopK", [x, integers([count])], outputs: 2, named: nil,
      [
        ("axis", .int(form == .channelsFirst ? 1 : -1)), ("largest", .int(smallest ? 0 : 1)),
        ("sorted", .int(1)),
      ])
    let outputName = name(for: call.output)
    let result =
      places ? cast(both[1], named: outputName) : add("Identity", [both[0]], named: outputName)
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  mutating func cumulativeSum(
    _ call: ONNXOperation, exclusive: Bool, reversed: Bool
  ) throws(ExportRefusal) {
    let (x, form) = try rows(call.inputs[0])
    let result = add(
      "CumSum", [x, integer(form == .channelsFirst ? 1 : sizes(call.inputs[0]).count)],
      named: name(for: call.output), ("exclusive", .int(exclusive ? 1 : 0)),
      ("reverse", .int(reversed ? 1 : 0)))
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  /// A value whose last axis is meant; images may have channels first.
  private mutating func rows(
    _ value: OperationGraph.Value
  ) throws(ExportRefusal) -> (name: String, form: ONNXValue.Form) {
    let stored = try self.value(value)
    let form: ONNXValue.Form = stored.primary == .channelsFirst ? .channelsFirst : .plain
    return (try name(of: value, in: form), form)
  }
}
