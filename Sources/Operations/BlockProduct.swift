/// A product of each row with 4-bit weights; see ``WeightBlocks``.
///
/// `y(o) = b(o) + Σ w(o, i) · x(i)`. Rows become 22-bit integers by blocks, so that sums of
/// products are exact within a block.
public struct BlockProduct: Hashable, Sendable, Encodable {
  /// The number of outputs.
  package let outputs: Int
  /// The blocks of the weights.
  package let blocks: WeightBlocks

  package init(outputs: Int, blocks: WeightBlocks) {
    self.outputs = outputs
    self.blocks = blocks
  }
}
