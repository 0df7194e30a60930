import Forge
import ForgeOperations
import ForgeShapes

/// Operations along the last axis.
extension KerasGraphWriter {
  mutating func reduceRows(_ call: KerasOperation, _ kind: Reduction) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    let isResult = isResult(call.output)
    func reduce(
      _ writer: inout KerasGraphWriter, _ kind: KerasRecord.Kind, _ x: KerasTensor,
      named: Bool = false
    ) -> KerasTensor {
      writer.one(
        kind, [.tensor(x)], [("axis", .integer(-1)), ("keepdims", .flag(true))],
        sizes: x.sizes.dropLast() + [1], named: named)
    }
    let result: KerasTensor =
      switch kind {
      case .sum: reduce(&self, .numpy("Sum"), x, named: isResult)
      case .mean: reduce(&self, .numpy("Mean"), x, named: isResult)
      case .maximum: reduce(&self, .numpy("Max"), x, named: isResult)
      case .minimum: reduce(&self, .numpy("Min"), x, named: isResult)
      case .product: reduce(&self, .numpy("Prod"), x, named: isResult)
      case .logSumExp: reduce(&self, .math("Logsumexp"), x, named: isResult)
      case .l1: reduce(&self, .numpy("Sum"), numpy("Absolute", x), named: isResult)
      case .sumOfSquares: reduce(&self, .numpy("Sum"), numpy("Square", x), named: isResult)
      case .l2:
        numpy("Sqrt", reduce(&self, .numpy("Sum"), numpy("Square", x)), named: isResult)
      case .logSum: numpy("Log", reduce(&self, .numpy("Sum"), x), named: isResult)
      }
    set(call.output, to: result)
  }

  mutating func argumentRows(
    _ call: KerasOperation, smallest: Bool, selectsLast: Bool
  ) throws(ExportRefusal) {
    var x = try rows(call.inputs[0])
    if selectsLast { x = reversed(x) }
    let index = one(
      .numpy(smallest ? "Argmin" : "Argmax"), [.tensor(x)],
      [("axis", .integer(-1)), ("keepdims", .flag(true))], sizes: x.sizes.dropLast() + [1],
      type: "int32")
    let isResult = isResult(call.output)
    var result = cast(index, named: isResult && !selectsLast)
    if selectsLast {
      let last = Float((x.sizes.last ?? 1) - 1)
      result = one(
        .numpy("Subtract"), [.json(.number(last)), .tensor(result)], sizes: result.sizes,
        named: isResult)
    }
    set(call.output, to: result)
  }

  /// A tensor whose last axis is turned around.
  private mutating func reversed(_ x: KerasTensor) -> KerasTensor {
    one(.numpy("Flip"), [.tensor(x)], [("axis", .integer(x.sizes.count))], sizes: x.sizes)
  }

  mutating func topRows(
    _ call: KerasOperation, count: Int, smallest: Bool, places: Bool
  ) throws(ExportRefusal) {
    let x = try rows(call.inputs[0])
    let made = x.sizes.dropLast() + [count]
    let isResult = isResult(call.output)
    let both = add(
      .math("TopK"), [.tensor(smallest ? numpy("Negative", x) : x)],
      config: [("k", .integer(count)), ("sorted", .flag(true))],
      outputs: [Array(made), Array(made)], types: ["float32", "int32"])
    set(
      call.output,
      to: places
        ? cast(both[1], named: isResult)
        : smallest ? numpy("Negative", both[0], named: isResult) : both[0])
  }

  mutating func cumulativeSum(
    _ call: KerasOperation, exclusive: Bool, reversed: Bool
  ) throws(ExportRefusal) {
    var x = try rows(call.inputs[0])
    let count = x.sizes.last ?? 1
    let isResult = isResult(call.output)
    if reversed { x = self.reversed(x) }
    if exclusive {
      // A zero comes first, and the last element is left out.
      let wide = padded(
        x, x.sizes.indices.map { [$0 == x.sizes.count - 1 ? 1 : 0, 0] }, value: 0)
      let parts = x.sizes.indices.map { axis in
        KerasArgument.json(axis == x.sizes.count - 1 ? .slice(0, count, 1) : .slice(nil, nil, nil))
      }
      x = one(
        .numpy("GetItem"), [.tensor(wide), .list([.json(.slice(nil, nil, nil))] + parts)],
        sizes: x.sizes)
    }
    var result = one(
      .numpy("Cumsum"), [.tensor(x)], [("axis", .integer(-1))], sizes: x.sizes,
      named: isResult && !reversed)
    if reversed {
      result = one(
        .numpy("Flip"), [.tensor(result)], [("axis", .integer(x.sizes.count))], sizes: x.sizes,
        named: isResult)
    }
    set(call.output, to: result)
  }
}
