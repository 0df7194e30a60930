import ForgeOperations
import ForgeShapes

/// A tensor of a plan before and after it has a place in memory.
///
/// Distances are in floats.
struct PlannedTensor {
  /// Which tensor of the plan.
  struct ID: Hashable {
    let index: Int
  }

  /// The memory a tensor lies in.
  enum Base: Equatable {
    /// Memory of one prediction that steps share; the offset comes with the memory plan.
    case arena
    /// The constants of the plan, from an offset.
    case constants(Int)
    /// The caller's input of this index.
    case input(Int)
    /// The output of this index.
    case output(Int)
  }

  /// Height, width and channels, or the sizes of another rank in memory order.
  let sizes: [Int]
  /// Whether channels are blocked.
  let isBlocked: Bool
  /// The border of zeros around a blocked image.
  let halo: Edges
  /// The tensor whose memory it lies in; itself unless it is a part or another reading of one.
  let root: ID
  /// From the start of the root's memory to row 0, column 0, channel 0.
  let origin: Int
  /// Between rows.
  let rowStride: Int
  /// Between blocks of channels.
  let blockStride: Int
  /// Where the root lies.
  let base: Base
  /// The floats that the root's memory has.
  let storage: Int

  /// Channels per block.
  static let lanes = TensorDescriptor.blockWidth

  var height: Int { sizes.count == 3 ? sizes[0] : 1 }
  var width: Int { sizes.count == 3 ? sizes[1] : 1 }
  var channels: Int { sizes.count == 3 ? sizes[2] : count }
  var blocks: Int { (channels + Self.lanes - 1) / Self.lanes }
  /// The number of elements, padding not counted.
  var count: Int { sizes.reduce(1, *) }

  /// A blocked image with memory of its own.
  static func blocked(_ sizes: [Int], halo: Edges, id: ID) -> PlannedTensor {
    let rowStride = (sizes[1] + halo.left + halo.right) * lanes
    let blockStride = rowStride * (sizes[0] + halo.top + halo.bottom)
    let blocks = (sizes[2] + lanes - 1) / lanes
    return PlannedTensor(
      sizes: sizes, isBlocked: true, halo: halo, root: id,
      origin: halo.top * rowStride + halo.left * lanes, rowStride: rowStride,
      blockStride: blockStride, base: .arena, storage: blocks * blockStride)
  }

  /// A plain tensor with memory of its own.
  static func plain(_ sizes: [Int], base: Base, id: ID) -> PlannedTensor {
    let count = sizes.reduce(1, *)
    return PlannedTensor(
      sizes: sizes, isBlocked: false, halo: .none, root: id, origin: 0,
      rowStride: sizes.count == 3 ? sizes[1] * sizes[2] : count, blockStride: 0, base: base,
      storage: count)
  }

  /// The same plain memory with other sizes.
  func reshaped(_ sizes: [Int]) -> PlannedTensor {
    PlannedTensor(
      sizes: sizes, isBlocked: false, halo: .none, root: root, origin: origin,
      rowStride: sizes.count == 3 ? sizes[1] * sizes[2] : sizes.reduce(1, *), blockStride: 0,
      base: base, storage: storage)
  }

  /// The same plain memory as a blocked image of one pixel, whose channels follow each other too.
  ///
  /// Its last block may reach past the elements; only kernels that pass over empty lanes may read
  /// it.
  func asVector(_ count: Int) -> PlannedTensor {
    PlannedTensor(
      sizes: [1, 1, count], isBlocked: true, halo: .none, root: root, origin: origin,
      rowStride: Self.lanes, blockStride: Self.lanes, base: base, storage: storage)
  }

  /// A part of a blocked image: `sizes` from a row, a column and a channel that is a whole block
  /// on.
  func part(
    _ sizes: [Int], row: Int = 0, column: Int = 0, channel: Int = 0, halo: Edges = .none
  )
    -> PlannedTensor
  {
    PlannedTensor(
      sizes: sizes, isBlocked: true, halo: halo, root: root,
      origin: origin + channel / Self.lanes * blockStride + row * rowStride + column * Self.lanes,
      rowStride: rowStride, blockStride: blockStride, base: base, storage: storage)
  }

  /// What the tensor is, in the words of reports.
  var descriptor: TensorDescriptor {
    let role: TensorDescriptor.Role =
      switch base {
      case .arena: .activation
      case .constants: .constant
      case .input: .input
      case .output: .output
      }
    return TensorDescriptor(
      sizes: sizes, isBatched: role != .constant,
      layout: isBlocked ? .blocked(halo: halo) : .plain, role: role)
  }

  /// Whether the pixels of each block follow each other without a gap.
  var isContiguous: Bool { isBlocked && rowStride == width * Self.lanes }
}
