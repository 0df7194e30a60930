import CForgeKernels
import Testing

/// The number of tiles of a step as documented in the header; the planner distributes them to
/// threads.
@Suite struct TileTests {
  private func view(_ height: Int32, _ width: Int32, _ channels: Int32) -> forge_view {
    var view = forge_view()
    (view.height, view.width, view.channels) = (height, width, channels)
    return view
  }

  @Test("rows of all channel blocks", arguments: [(1, 5), (16, 5), (17, 10), (130, 45)])
  func blockRows(channels: Int32, tiles: Int64) {
    let out = view(5, 7, channels)
    var block = forge_block_arguments()
    var grouped = forge_grouped_convolution_arguments()
    var depthwise = forge_depthwise_arguments()
    var pooling = forge_pooling_arguments()
    var activation = forge_activation_arguments()
    var affine = forge_affine_arguments()
    var binary = forge_binary_arguments()
    block.out = out
    grouped.out = out
    depthwise.out = out
    pooling.out = out
    activation.out = out
    affine.out = out
    binary.out = out
    #expect(forge_block_tiles(&block) == tiles)
    #expect(forge_grouped_convolution_tiles(&grouped) == tiles)
    #expect(forge_depthwise_tiles(&depthwise) == tiles)
    #expect(forge_pooling_tiles(&pooling) == tiles)
    #expect(forge_activation_tiles(&activation) == tiles)
    #expect(forge_affine_tiles(&affine) == tiles)
    #expect(forge_binary_tiles(&binary) == tiles)
  }

  @Test("channel blocks", arguments: [(1, 1), (16, 1), (17, 2), (130, 9)])
  func blocks(channels: Int32, tiles: Int64) {
    var clear = forge_clear_halo_arguments()
    var fill = forge_fill_arguments()
    var copy = forge_copy_arguments()
    clear.out = view(5, 7, channels)
    fill.out = clear.out
    copy.out = clear.out
    // Rows of them.
    #expect(forge_clear_halo_tiles(&clear) == 5 * tiles)
    #expect(forge_fill_tiles(&fill) == tiles)
    #expect(forge_copy_tiles(&copy) == tiles)
  }

  @Test("rows")
  func rows() {
    var unblock = forge_unblock_arguments()
    var gather = forge_gather_channels_arguments()
    var softmax = forge_softmax_arguments()
    unblock.out = view(5, 7, 40)
    gather.out = unblock.out
    softmax.out = unblock.out
    #expect(forge_unblock_tiles(&unblock) == 5)
    #expect(forge_gather_channels_tiles(&gather) == 5)
    #expect(forge_softmax_tiles(&softmax) == 5)
  }

  @Test(
    "panels and rows",
    arguments: [(1, 16, 5), (16, 16, 5), (17, 16, 10), (64, 64, 5), (65, 64, 10), (130, 48, 15)])
  func panels(channels: Int32, width: Int32, tiles: Int64) {
    var convolution = forge_convolution_arguments()
    convolution.out = view(5, 7, channels)
    convolution.panel_width = width
    #expect(forge_convolution_tiles(&convolution) == tiles)
    convolution.segments = 1
    #expect(forge_convolution_tiles(&convolution) == tiles)
    convolution.segments = 3
    #expect(forge_convolution_tiles(&convolution) == 3 * tiles)
    var plain = forge_plain_convolution_arguments()
    plain.out = view(5, 7, channels)
    plain.panel_width = width
    #expect(forge_plain_convolution_tiles(&plain) == tiles)
  }

  @Test("plain tensors")
  func plain() {
    var copy = forge_copy_plain_arguments()
    var binary = forge_binary_plain_arguments()
    #expect(forge_copy_plain_tiles(&copy) == 1, "a number is a tensor of rank 0")
    #expect(forge_binary_plain_tiles(&binary) == 1)
    (copy.rank, copy.sizes.0, copy.sizes.1) = (2, 3, 4)
    (binary.rank, binary.sizes.0, binary.sizes.1) = (2, 3, 4)
    #expect(forge_copy_plain_tiles(&copy) == 3)
    #expect(forge_binary_plain_tiles(&binary) == 3)
    var softmax = forge_softmax_plain_arguments()
    (softmax.rows, softmax.columns) = (7, 11)
    #expect(forge_softmax_plain_tiles(&softmax) == 7)
    var select = forge_select_arguments()
    #expect(forge_select_tiles(&select) == 1)
    (select.rank, select.sizes.0, select.sizes.1) = (2, 3, 4)
    #expect(forge_select_tiles(&select) == 3)
    var activation = forge_activation_plain_arguments()
    var unary = forge_unary_plain_arguments()
    for (count, tiles) in [(0, 0), (1, 1), (1024, 1), (1025, 2)] as [(Int64, Int64)] {
      activation.count = count
      #expect(forge_activation_plain_tiles(&activation) == tiles)
      unary.count = count
      #expect(forge_unary_plain_tiles(&unary) == tiles)
    }
  }
}
