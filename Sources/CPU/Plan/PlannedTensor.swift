import ForgeOperations
import ForgeShapes

/// A tensor of a plan, independent of its final place in memory.
///
/// Distances are in words of four bytes: floats, or four bytes each.
struct PlannedTensor {
  /// The type and the arrangement of the elements.
  enum Element: Equatable {
    /// Floats, blocked images by 16 channels.
    case float32
    /// A blocked image of bytes, by 64 channels, whose border holds a byte.
    ///
    /// Numbers of int8 are stored with 128 added.
    case bytes(border: Int32)
    /// An image of at most four channels, each a byte, in pixels of four bytes.
    case pixels
  }

  /// The identity of a tensor in a plan.
  struct ID: Hashable {
    let index: Int
  }

  /// The memory that holds a tensor.
  enum Base: Equatable {
    /// Memory of one prediction that steps share; the memory plan determines the offset.
    case arena
    /// The constants of the plan, at an offset.
    case constants(Int)
    /// The caller's input with this index.
    case input(Int)
    /// The output with this index.
    case output(Int)
  }

  /// Height, width and channels, or the sizes of another rank in memory order.
  let sizes: [Int]
  var element = Element.float32
  let isBlocked: Bool
  /// The zero border around a blocked image.
  let halo: Edges
  /// The tensor that owns the memory; itself unless it is a part or a view of another.
  let root: ID
  /// The distance from the start of the root's memory to row 0, column 0, channel 0.
  let origin: Int
  /// The distance between rows.
  let rowStride: Int
  /// The distance between blocks of channels.
  let blockStride: Int
  /// The memory that holds the root.
  let base: Base
  /// The number of words in the root's memory.
  let storage: Int
  /// Whether the pixels of each block are contiguous, for each length of a sequence; an only row
  /// may be longer than its pixels.
  let isContiguous: Bool

  /// The channels per block of an image of floats, and the words of a pixel in any block.
  static let lanes = 16

  var height: Int { sizes.count == 3 ? sizes[0] : 1 }
  var width: Int { sizes.count == 3 ? sizes[1] : 1 }
  var channels: Int { sizes.count == 3 ? sizes[2] : count }
  var blocks: Int { (channels + channelsPerBlock - 1) / channelsPerBlock }
  /// The number of elements without padding.
  var count: Int { sizes.reduce(1, *) }
  /// The bytes of the elements without padding.
  var byteCount: Int { element == .float32 ? count * MemoryLayout<Float>.stride : count }

  private var channelsPerBlock: Int {
    switch element {
    case .float32: Self.lanes
    case .bytes: Self.lanes * 4
    case .pixels: 4
    }
  }

  /// Creates a blocked image with its own memory; gaps may be between rows that are apart.
  static func blocked(
    _ sizes: [Int], halo: Edges, id: ID, rowsAreApart: Bool
  ) -> PlannedTensor {
    let rowStride = (sizes[1] + halo.left + halo.right) * lanes
    let blockStride = rowStride * (sizes[0] + halo.top + halo.bottom)
    let blocks = (sizes[2] + lanes - 1) / lanes
    return PlannedTensor(
      sizes: sizes, isBlocked: true, halo: halo, root: id,
      origin: halo.top * rowStride + halo.left * lanes, rowStride: rowStride,
      blockStride: blockStride, base: .arena, storage: blocks * blockStride,
      isContiguous: rowStride == sizes[1] * lanes && !rowsAreApart)
  }

  /// Creates an image of bytes with its own memory.
  static func bytes(
    _ sizes: [Int], _ element: Element, halo: Edges, id: ID, rowsAreApart: Bool
  ) -> PlannedTensor {
    let pixel = element == .pixels ? 1 : lanes
    let channels = element == .pixels ? 4 : 4 * lanes
    let rowStride = (sizes[1] + halo.left + halo.right) * pixel
    let blockStride = rowStride * (sizes[0] + halo.top + halo.bottom)
    return PlannedTensor(
      sizes: sizes, element: element, isBlocked: true, halo: halo, root: id,
      origin: halo.top * rowStride + halo.left * pixel, rowStride: rowStride,
      blockStride: blockStride, base: .arena,
      storage: (sizes[2] + channels - 1) / channels * blockStride,
      isContiguous: rowStride == sizes[1] * pixel && !rowsAreApart)
  }

  /// Creates a plain tensor with its own memory.
  static func plain(_ sizes: [Int], base: Base, id: ID) -> PlannedTensor {
    let count = sizes.reduce(1, *)
    return PlannedTensor(
      sizes: sizes, isBlocked: false, halo: .none, root: id, origin: 0,
      rowStride: sizes.count == 3 ? sizes[1] * sizes[2] : count, blockStride: 0, base: base,
      storage: count, isContiguous: false)
  }

  /// Returns a tensor of a shorter sequence in the memory of the longest.
  ///
  /// Blocked images keep the distances of the longest; plain tensors are contiguous at its start.
  func inMemory(of longest: PlannedTensor) -> PlannedTensor {
    PlannedTensor(
      sizes: sizes, element: element, isBlocked: isBlocked, halo: halo, root: root,
      origin: isBlocked ? longest.origin : origin,
      rowStride: isBlocked ? longest.rowStride : rowStride,
      blockStride: isBlocked ? longest.blockStride : blockStride, base: longest.base,
      storage: longest.storage, isContiguous: longest.isContiguous)
  }

  /// Returns the same plain memory, or a part of it, with other sizes.
  func reshaped(_ sizes: [Int], from start: Int = 0) -> PlannedTensor {
    PlannedTensor(
      sizes: sizes, isBlocked: false, halo: .none, root: root, origin: origin + start,
      rowStride: sizes.count == 3 ? sizes[1] * sizes[2] : sizes.reduce(1, *), blockStride: 0,
      base: base, storage: storage, isContiguous: false)
  }

  /// Returns the image of bytes with as many pixels in other rows; `nil` if the pixels are not
  /// contiguous, or others.
  func bytesReshaped(_ sizes: [Int]) -> PlannedTensor? {
    guard case .bytes = element, isContiguous, sizes[2] == channels,
      sizes[0] * sizes[1] == height * width
    else { return nil }
    return PlannedTensor(
      sizes: sizes, element: element, isBlocked: true, halo: .none, root: root, origin: origin,
      rowStride: sizes[1] * Self.lanes, blockStride: blockStride, base: base, storage: storage,
      isContiguous: true)
  }

  /// Returns the same plain memory as a blocked image of one pixel.
  ///
  /// Its last block may extend past the elements; only kernels that ignore empty lanes may read it.
  var asVector: PlannedTensor {
    PlannedTensor(
      sizes: [1, 1, count], isBlocked: true, halo: .none, root: root, origin: origin,
      rowStride: Self.lanes, blockStride: Self.lanes, base: base, storage: storage,
      isContiguous: true)
  }

  /// Returns a blocked image of one row as one of one column, `nil` if the sizes are others.
  func column(_ sizes: [Int]) -> PlannedTensor? {
    guard isBlocked, !isVector, height == 1, sizes == [width, 1, channels] else { return nil }
    return PlannedTensor(
      sizes: sizes, isBlocked: true, halo: .none, root: root, origin: origin,
      rowStride: Self.lanes, blockStride: blockStride, base: base, storage: storage,
      isContiguous: true)
  }

  /// Whether this is a blocked image of one pixel whose blocks follow each other: its channels are
  /// in memory as those of a plain vector.
  var isVector: Bool { isBlocked && height == 1 && width == 1 && blockStride == Self.lanes }

  /// Returns a part of a blocked image, `sizes` large, starting at a row, a column and a whole
  /// block of channels.
  func part(
    _ sizes: [Int], row: Int = 0, column: Int = 0, channel: Int = 0, halo: Edges = .none
  ) -> PlannedTensor {
    PlannedTensor(
      sizes: sizes, isBlocked: true, halo: halo, root: root,
      origin: origin + channel / Self.lanes * blockStride + row * rowStride + column * Self.lanes,
      rowStride: rowStride, blockStride: blockStride, base: base, storage: storage,
      isContiguous: isContiguous && sizes[1] == width)
  }

  /// The tensor in reports: `112×112×32 f32 blocked, halo top 1, left 1, bottom 1, right 1`.
  var description: String {
    let border = halo == .none ? "" : ", halo \(halo)"
    let type = element == .float32 ? "f32" : "8-bit"
    return "\(Shape(sizes: sizes).sizeText) \(type) \(isBlocked ? "blocked\(border)" : "plain")"
  }
}
