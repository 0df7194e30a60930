import Forge

/// A layer that adds its inputs up, from one prediction to the next.
struct RunningSum: Layer {
  func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let sum = try lowering.state("sum", shape: lowering.shape(of: input))
    let next = try lowering.apply(.binary(.add), to: [sum, input])
    try lowering.setState(sum, to: next)
    lowering.output = next
  }
}
