import CForgeKernels
import ForgeShapes

// C's names.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A kernel's arguments that hold a window without dilation.
protocol WindowArguments {
  var kernel_height: Int32 { get set }
  var kernel_width: Int32 { get set }
  var stride_y: Int32 { get set }
  var stride_x: Int32 { get set }
  var pad_top: Int32 { get set }
  var pad_left: Int32 { get set }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A kernel's arguments that hold a window.
protocol DilatedWindowArguments: WindowArguments {
  var dilation_y: Int32 { get set }
  var dilation_x: Int32 { get set }
}

extension WindowArguments {
  /// Sets a window of dilation 1 for an input of known size; shape inference bounds every number.
  mutating func setUndilated(_ geometry: ConvolutionGeometry, input: PlannedTensor) {
    let edges = geometry.edges(width: input.width, height: input.height)
    kernel_height = Int32(clamping: geometry.kernel.height)
    kernel_width = Int32(clamping: geometry.kernel.width)
    stride_y = Int32(clamping: geometry.stride.height)
    stride_x = Int32(clamping: geometry.stride.width)
    pad_top = Int32(clamping: edges.top)
    pad_left = Int32(clamping: edges.left)
  }
}

extension DilatedWindowArguments {
  /// Sets a window and its dilation.
  mutating func set(_ geometry: ConvolutionGeometry, input: PlannedTensor) {
    setUndilated(geometry, input: input)
    dilation_y = Int32(clamping: geometry.dilation.height)
    dilation_x = Int32(clamping: geometry.dilation.width)
  }
}

extension forge_plain_convolution_arguments: WindowArguments {}
extension forge_convolution_arguments: DilatedWindowArguments {}
extension forge_grouped_convolution_arguments: DilatedWindowArguments {}
extension forge_depthwise_arguments: DilatedWindowArguments {}
extension forge_pooling_arguments: DilatedWindowArguments {}
