import CForgeKernels
import ForgeShapes

/// A convolution or pooling window in the form of C arguments.
struct Window {
  let kernelHeight, kernelWidth, strideY, strideX, dilationY, dilationX, padTop, padLeft: Int32

  /// Creates the window of a geometry for an input of known size; shape inference bounds every
  /// number.
  init(_ geometry: ConvolutionGeometry, input: PlannedTensor) {
    let edges = geometry.edges(width: input.width, height: input.height)
    kernelHeight = Int32(clamping: geometry.kernel.height)
    kernelWidth = Int32(clamping: geometry.kernel.width)
    strideY = Int32(clamping: geometry.stride.height)
    strideX = Int32(clamping: geometry.stride.width)
    dilationY = Int32(clamping: geometry.dilation.height)
    dilationX = Int32(clamping: geometry.dilation.width)
    padTop = Int32(clamping: edges.top)
    padLeft = Int32(clamping: edges.left)
  }
}

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
  /// Sets a window of dilation 1.
  mutating func setUndilated(_ window: Window) {
    kernel_height = window.kernelHeight
    kernel_width = window.kernelWidth
    stride_y = window.strideY
    stride_x = window.strideX
    pad_top = window.padTop
    pad_left = window.padLeft
  }
}

extension DilatedWindowArguments {
  /// Sets the window and its dilation.
  mutating func set(_ window: Window) {
    setUndilated(window)
    dilation_y = window.dilationY
    dilation_x = window.dilationX
  }
}

extension forge_plain_convolution_arguments: WindowArguments {}
extension forge_convolution_arguments: DilatedWindowArguments {}
extension forge_grouped_convolution_arguments: DilatedWindowArguments {}
extension forge_depthwise_arguments: DilatedWindowArguments {}
extension forge_pooling_arguments: DilatedWindowArguments {}
