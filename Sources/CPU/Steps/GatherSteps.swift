import CForgeKernels
import ForgeOperations
import ForgeShapes

extension PlanBuilder {
  /// Adds a slice of a plain tensor: a copy with strides.
  mutating func addSlice(_ node: OperationGraph.Node, starts: [Int], steps: [Int]) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let strides = Shape.strides(of: sizes(of: node.inputs[0]))
    let sizes = sizes(of: node.output)
    addPlainCopy(
      from: source, to: target, sizes: sizes, sourceStrides: zip(strides, steps).map { $0 * $1 },
      targetStrides: Shape.strides(of: sizes),
      sourceOffset: zip(strides, starts).reduce(0) { $0 + $1.0 * $1.1 })
  }

  /// Adds the repetition of axes of size 1.
  mutating func addExpand(_ node: OperationGraph.Node) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let input = self.sizes(of: node.inputs[0])
    let sizes = sizes(of: node.output)
    addPlainCopy(
      from: source, to: target, sizes: sizes,
      sourceStrides: Shape.strides(of: input, broadcastTo: sizes),
      targetStrides: Shape.strides(of: sizes))
  }

  /// Adds the entries of an axis at fixed places.
  mutating func addGather(
    _ node: OperationGraph.Node, axis: Int, indices: [Int], value: Float
  ) throws {
    let source = try plain(node.inputs[0])
    let target = plainResult(node.output)
    let sizes = sizes(of: node.inputs[0])
    let along = axis < 0 ? axis + sizes.count : axis
    var arguments = forge_gather_plain_arguments()
    arguments.indices = try retain(indices.map { Int32(clamping: $0) })
    arguments.outer = Int64(sizes[..<along].reduce(1, *))
    arguments.size = Int64(sizes[along])
    arguments.count = Int64(indices.count)
    arguments.inner = Int64(sizes[(along + 1)...].reduce(1, *))
    arguments.value = value
    addStep(
      "gather", kernels.gather_plain, arguments, tiles: forge_gather_plain_tiles,
      reads: [\.in: source], writes: [\.out: target])
  }

  /// Adds the entries of an axis at computed places, which count from the end unless checked.
  mutating func addGatherRows(
    _ node: OperationGraph.Node, axis: Int, isChecked: Bool
  ) throws {
    let (source, positions) = (try plain(node.inputs[0]), try plain(node.inputs[1]))
    let target = plainResult(node.output)
    let sizes = sizes(of: node.inputs[0])
    let along = axis < 0 ? axis + sizes.count : axis
    var arguments = forge_gather_rows_arguments()
    arguments.outer = Int64(sizes[..<along].reduce(1, *))
    arguments.size = Int64(sizes[along])
    arguments.count = Int64(tensor(positions).count)
    arguments.inner = Int64(sizes[(along + 1)...].reduce(1, *))
    arguments.fault_source = addFaultSource(size: sizes[along], fromEnd: !isChecked)
    arguments.from_end = isChecked ? 0 : 1
    addStep(
      "gatherRows", kernels.gather_rows, arguments, tiles: forge_gather_rows_tiles,
      reads: [\.in: source, \.positions: positions], writes: [\.out: target])
  }

  /// Adds the elements at computed places along an axis.
  mutating func addGatherElements(_ node: OperationGraph.Node, axis: Int) throws {
    let (source, positions) = (try plain(node.inputs[0]), try plain(node.inputs[1]))
    let target = plainResult(node.output)
    let sizes = sizes(of: node.inputs[0])
    var arguments = forge_gather_elements_arguments()
    arguments.rank = Int32(sizes.count)
    let along = axis < 0 ? axis + sizes.count : axis
    arguments.axis = Int32(along)
    arguments.fault_source = addFaultSource(size: sizes[along], fromEnd: true)
    withUnsafeMutableBytes(of: &arguments.in_sizes) { $0.store(sizes) }
    withUnsafeMutableBytes(of: &arguments.out_sizes) { $0.store(self.sizes(of: node.output)) }
    addStep(
      "gatherElements", kernels.gather_elements, arguments, tiles: forge_gather_elements_tiles,
      reads: [\.in: source, \.positions: positions], writes: [\.out: target])
  }
}
