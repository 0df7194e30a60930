import ForgeOperations
import ForgeShapes

extension Compiler {
  /// Refuses images that no memory holds once blocks are filled up and borders are added.
  ///
  /// Whoever plans then need not look out for products beyond 64 bits. `border` gives each value's; what is
  /// concatenated in place has the one that the others of its group need.
  func checkMemory(
    of bound: OperationGraph, _ convolutions: ConvolutionPlan,
    border: (OperationGraph.Value) -> Edges
  ) throws(PlanError) {
    for (position, node) in bound.nodes.enumerated() {
      // An input has blocks and a border only for the layers that do not read it as it is.
      let inputs = bound.operands(of: node).filter { bound.inputs.contains($0) }
      for value in (convolutions.readsPlain(position, node) ? [] : inputs) + [node.output] {
        let shape = bound.shape(of: value)
        guard shape.isImage, let sizes = shape.sizes else { continue }
        let halo = border(value)
        let stored = [
          sizes[0] + halo.top + halo.bottom, sizes[1] + halo.left + halo.right,
          AlignedMemory.round(sizes[2], to: PlannedTensor.lanes),
        ]
        guard Shape.product(of: stored) == nil else { continue }
        throw .unfit(
          .imageTooLarge(shape, stored: Shape(sizes: stored)), layer: node.layers.last ?? 0,
          received: [])
      }
    }
  }
}

extension ConvolutionPlan {
  /// Whether the node at a position reads inputs of the model in row-major order.
  fileprivate func readsPlain(_ position: Int, _ node: OperationGraph.Node) -> Bool {
    if case .resize = node.primitive { return true }
    return planned[position]?.algorithm.readsPlainInput ?? false
  }
}
