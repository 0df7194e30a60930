import CForgeKernels
import ForgeShapes
import ForgeSystem

/// An image packed in words, with a border of zeros: `[block][row][column][words of a block]`.
struct ImageWords {
  /// The size without the border.
  let height, width, channels: Int
  let border: Edges
  /// The channels of a block.
  let blockChannels: Int
  let channelsPerWord: Int

  /// The rows with those of the border.
  var rows: Int { border.top + height + border.bottom }
  private var columns: Int { border.left + width + border.right }
  /// The words per pixel and block.
  private var perBlock: Int { blockChannels / channelsPerWord }

  /// The shape of the memory, in words.
  var shape: [Int] {
    [rows, columns, AlignedMemory.round(channels, to: blockChannels) / channelsPerWord]
  }

  /// Changes the view of the memory to that of the words; one row for a pointwise convolution,
  /// which has no border.
  func adjust(_ view: inout forge_view, isFlat: Bool = false) {
    let rowStride = columns * perBlock
    view.height = Int32(clamping: isFlat ? 1 : height)
    view.width = Int32(clamping: isFlat ? height * width : width)
    view.channels = Int32(clamping: channels)
    view.offset += Int64(border.top * rowStride + border.left * perBlock)
    view.row_stride = Int64(rowStride)
    view.block_stride = Int64(rowStride * rows)
  }
}
