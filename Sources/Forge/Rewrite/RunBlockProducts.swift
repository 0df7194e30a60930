import ForgeOperations
import ForgeShapes

/// Multiplies a few rows with weights that stay in 4 bits.
///
/// Reading the weights limits such a product. More rows are multiplied with real numbers.
enum RunBlockProducts: Rewrite {
  static let name = "runBlockProducts"

  /// The most rows whose products with 4-bit weights are not slower than others.
  private static let mostRows = 4
  /// The sizes of blocks that kernels have.
  private static let sizes = 16...256

  static func apply(to graph: inout OperationGraph, constants: any ConstantSource) throws -> Int {
    // The number of rows of a sequence that varies is not known.
    guard !graph.hasVaryingLength else { return 0 }
    var count = 0
    for position in graph.nodes.indices {
      let node = graph.nodes[position]
      guard let blocks = graph.weightBlocks[node.inputs.dropFirst().first?.index ?? -1],
        sizes.contains(blocks.size), blocks.size.isMultiple(of: 16),
        let recipe = graph.constant(node.inputs[1])
      else { continue }
      let input = graph.shape(of: node.inputs[0])
      let outputs: Int
      switch node.primitive {
      case .convolution(let geometry, let stated, groups: 1) where geometry.isPointwise:
        outputs = stated
      case .dense(let stated) where input.sizes?.dropLast().allSatisfy({ $0 == 1 }) ?? false:
        outputs = stated
      default: continue
      }
      guard let sizes = input.sizes, sizes.count == 3, sizes[0] * sizes[1] <= mostRows else {
        continue
      }
      let weights = try constants.floats(of: recipe)
      guard blocks.numbers(UnsafeBufferPointer(weights.floats), inputs: sizes[2]) != nil else {
        continue
      }
      graph.nodes[position].primitive = .blockProduct(
        BlockProduct(outputs: outputs, blocks: blocks))
      count += 1
    }
    return count
  }
}
