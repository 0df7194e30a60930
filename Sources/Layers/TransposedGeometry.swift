import ForgeOperations
import ForgeShapes

/// How the kernels of a transposed convolution overlap: the window of the convolution whose
/// transpose it is, and the pixels added at the end.
struct TransposedGeometry {
  /// The window.
  let window: ConvolutionGeometry
  /// Pixels added at the right and the bottom.
  let outputPadding: Size

  /// One axis: the parts of the output, each of which a convolution makes.
  struct AxisParts {
    /// The taps of each part.
    let parts: [Part]
    /// The output of a part for an input of `n` pixels has `n + growth` pixels.
    let growth: Int
    /// The pixels at the end that belong to no part of the output.
    let cut: Int
  }

  /// The taps of the kernel that make one in `stride` pixels of the output, as a convolution.
  struct Part {
    /// The tap of the kernel that reads the first pixel; the others follow at −`step`.
    let firstTap: Int
    /// The distance between taps in the kernel.
    let step: Int
    /// The number of taps; 0 for a part that no tap reaches.
    let count: Int
    /// The distance between the pixels they read.
    let dilation: Int
    /// The pixel that the first tap reads for the first pixel of the part.
    let start: Int
  }

  /// Checks the window and the padding of the output.
  ///
  /// - Throws: `ShapeError` of kind `invalidArgument` naming the argument.
  func validate() throws(ShapeError) {
    try window.validate()
    let range = 0...ConvolutionGeometry.maximumArgument
    try ArgumentRule.require(
      range.contains(outputPadding.width) && range.contains(outputPadding.height),
      "outputPadding", "(\(outputPadding.width), \(outputPadding.height))",
      needs: "numbers from \(range.lowerBound) to \(range.upperBound)")
    try ArgumentRule.require(
      window.padding != .same || outputPadding == Size(width: 0, height: 0), "outputPadding",
      "(\(outputPadding.width), \(outputPadding.height))", needs: "(0, 0) with padding .same")
    // Each pixel of a block is a convolution of its own.
    try ArgumentRule.require(
      window.stride.width * window.stride.height <= 1024, "stride",
      window.stride.description, needs: "at most 1024 pixels in a block of width × height")
  }

  /// The parts of rows.
  var rows: AxisParts {
    let edges = edges
    return parts(
      kernel: window.kernel.height, stride: window.stride.height,
      dilation: window.dilation.height, before: edges.top, after: edges.bottom,
      extra: extra.height)
  }

  /// The parts of columns.
  var columns: AxisParts {
    let edges = edges
    return parts(
      kernel: window.kernel.width, stride: window.stride.width, dilation: window.dilation.width,
      before: edges.left, after: edges.right, extra: extra.width)
  }

  /// The padding of the convolution whose transpose it is.
  ///
  /// That of `.same` is the same for every size, because the output is a multiple of the stride.
  private var edges: Edges {
    switch window.padding {
    case .valid: .none
    case .same: window.edges(width: window.stride.width, height: window.stride.height)
    case .edges(let edges): edges
    }
  }

  /// The pixels added at the end, so that `.same` and `.valid` give what Keras gives.
  private var extra: Size {
    guard window.padding == .same || window.padding == .valid else { return outputPadding }
    return Size(
      width: outputPadding.width + max(window.stride.width - window.extent.width, 0),
      height: outputPadding.height + max(window.stride.height - window.extent.height, 0))
  }

  private func parts(
    kernel: Int, stride: Int, dilation: Int, before: Int, after: Int, extra: Int
  ) -> AxisParts {
    // The output has stride·input + difference pixels.
    let difference = extra + dilation * (kernel - 1) + 1 - before - after - stride
    let growth = Int((Double(difference) / Double(stride)).rounded(.up))
    let divisor = Self.commonDivisor(dilation, stride)
    let parts = (0..<stride).map { phase in
      // Tap k reads pixel q + (phase + before − dilation·k) / stride for pixel q of the part.
      let taps = (0..<min(kernel, stride / divisor)).first {
        (phase + before - dilation * $0) % stride == 0
      }
      guard let lowest = taps else {
        return Part(firstTap: 0, step: 1, count: 0, dilation: 1, start: 0)
      }
      let step = stride / divisor
      let count = (kernel - 1 - lowest) / step + 1
      let highest = lowest + (count - 1) * step
      return Part(
        firstTap: highest, step: step, count: count, dilation: dilation / divisor,
        start: (phase + before - dilation * highest) / stride)
    }
    return AxisParts(
      parts: parts, growth: growth, cut: growth * stride - difference)
  }

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}
