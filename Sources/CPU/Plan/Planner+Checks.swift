import ForgeOperations
import ForgeShapes
import ForgeSystem

extension Planner {
  /// Rejects axes that exceed the 32-bit counters of kernels.
  func checkAxes(of bound: OperationGraph) throws(BackendError) {
    for value in bound.nodes.map(\.output) + bound.inputs {
      let shape = bound.shape(of: value)
      guard shape.sizes?.allSatisfy({ $0 <= Int32.max }) ?? false else {
        throw .unfit(.axisTooLong(), layer: 0, received: [shape])
      }
    }
  }

  /// Rejects images that exceed any memory once their blocks and borders are padded.
  ///
  /// The planner can therefore multiply sizes without checking for 64-bit overflow. Values
  /// concatenated in place share the border that their group needs.
  func checkMemory(
    of bound: OperationGraph, _ convolutions: ConvolutionPlan
  ) throws(BackendError) {
    let modelInputs = Set(bound.inputs)
    for (position, node) in bound.nodes.enumerated() {
      // An input has blocks and a border only when a layer cannot read it in its own layout.
      let inputs = bound.operands(of: node).filter { modelInputs.contains($0) }
      for value in (convolutions.readsPlain(position, node) ? [] : inputs) + [node.output] {
        let shape = bound.shape(of: value)
        guard shape.isImage, let sizes = shape.sizes else { continue }
        let halo = convolutions.layout.halos[value]
        let stored = [
          sizes[0] + halo.top + halo.bottom, sizes[1] + halo.left + halo.right,
          AlignedMemory.round(sizes[2], to: PlannedTensor.lanes),
        ]
        guard Shape.product(of: stored) == nil else { continue }
        throw .unfit(
          .imageTooLarge(shape, stored: Shape(sizes: stored)), layer: node.layers.last ?? 0)
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

extension ShapeError {
  static func axisTooLong() -> ShapeError {
    ShapeError(.tooLarge, "a tensor is too long", needs: "at most \(Int32.max) along each axis")
  }

  /// The error for an image that is too large; `stored` includes the border and padded channels.
  static func imageTooLarge(_ shape: Shape, stored: Shape) -> ShapeError {
    ShapeError(
      .tooLarge, "an image would be too large in memory",
      received: "\(shape), stored as \(stored): with the border that windows reach into and "
        + "channels in blocks of \(PlannedTensor.lanes)",
      needs: "at most \(Shape.maximumElementCount) elements as stored")
  }
}
