/// How a window moves over an image: kernel, stride, dilation and padding.
///
/// Convolutions and poolings share it. For one axis with input size `n`, kernel `k`, stride `s`,
/// dilation `d` and total padding `p`, the window covers `e = d·(k − 1) + 1` pixels and the output
/// has `⌊(n + p − e) / s⌋ + 1` pixels; with `.same` it has `⌈n / s⌉` and `p` follows from that.
/// With ``WindowRounding/ceiling`` the quotient is rounded up, unless the last window would then
/// start after the input.
///
/// A geometry can hold any numbers; ``validate()`` reports wrong ones. The other members saturate
/// at the bounds of Int, and treat a stride below 1 as 1.
public struct ConvolutionGeometry: Hashable, Sendable, Encodable {
  /// Width and height of the window in taps.
  public let kernel: Size
  /// Step between windows in pixels.
  public let stride: Size
  /// Distance between taps in pixels.
  public let dilation: Size
  /// The padding at the border.
  public let padding: Padding
  /// How the number of windows is rounded.
  public let rounding: WindowRounding

  /// Creates the geometry of a window.
  public init(
    kernel: Size, stride: Size = .one, dilation: Size = .one, padding: Padding = .valid,
    rounding: WindowRounding = .floor
  ) {
    self.kernel = kernel
    self.stride = stride
    self.dilation = dilation
    self.padding = padding
    self.rounding = rounding
  }

  /// Returns the same window with another padding.
  public func withPadding(_ padding: Padding) -> ConvolutionGeometry {
    Self(
      kernel: kernel, stride: stride, dilation: dilation, padding: padding, rounding: rounding)
  }

  /// The pixels that one window covers, dilation included.
  public var extent: Size {
    Size(
      width: Self.extent(dilation.width, kernel.width),
      height: Self.extent(dilation.height, kernel.height))
  }

  private static func extent(_ dilation: Int, _ kernel: Int) -> Int {
    dilation.multipliedSaturated(by: kernel.subtractingSaturated(1)).addingSaturated(1)
  }

  /// Whether the window is one pixel with stride one and no padding.
  public var isPointwise: Bool {
    kernel == .one && stride == .one && edges(width: 1, height: 1) == .none
  }

  /// The padding in pixels on each edge for an input of `width` by `height` pixels.
  public func edges(width: Int, height: Int) -> Edges {
    switch padding {
    case .valid: return .none
    case .edges(let edges): return edges
    case .same:
      let x = Self.same(input: width, extent: extent.width, stride: stride.width)
      let y = Self.same(input: height, extent: extent.height, stride: stride.height)
      return Edges(top: y / 2, left: x / 2, bottom: y - y / 2, right: x - x / 2)
    }
  }

  /// The total padding along one axis for an output of ⌈input / stride⌉ (TensorFlow's rule).
  private static func same(input: Int, extent: Int, stride: Int) -> Int {
    let stride = max(stride, 1)
    let output = input.addingSaturated(stride - 1) / stride
    let covered = output.subtractingSaturated(1).multipliedSaturated(by: stride)
      .addingSaturated(extent)
    return max(covered.subtractingSaturated(input), 0)
  }

  /// The output size for an input of `width` by `height` pixels; a side may be 0 or less.
  public func output(width: Int, height: Int) -> Size {
    let edges = edges(width: width, height: height)
    return Size(
      width: rounding.count(
        width, before: edges.left, after: edges.right, extent: extent.width, stride: stride.width),
      height: rounding.count(
        height, before: edges.top, after: edges.bottom, extent: extent.height,
        stride: stride.height))
  }

  /// The largest kernel, stride, dilation or padding allowed, in pixels.
  ///
  /// It is far above practical values, and products of two of them fit in 64 bits.
  public static let maximumArgument = 1 << 20

  /// The most pixels that one dilated kernel may cover along an axis; padding is no wider.
  public static let maximumExtent = 1 << 22

  /// Checks that every argument is positive (padding: not negative) and within ``maximumArgument``.
  ///
  /// - Throws: ``ShapeError`` of kind `invalidArgument` naming the argument.
  public func validate() throws(ShapeError) {
    try ArgumentRule.positive(kernel, "kernel")
    try ArgumentRule.positive(stride, "stride")
    try ArgumentRule.positive(dilation, "dilation")
    // Both factors are bounded, so their product cannot overflow.
    try ArgumentRule.require(
      max(extent.width, extent.height) <= Self.maximumExtent, "the dilated kernel",
      extent.description,
      needs: "at most \(Self.maximumExtent) pixels along each axis")
    if case .edges(let edges) = padding { try ArgumentRule.nonNegative(edges, "padding") }
  }

  /// The output shape of a window that moves over `input`, with `channels` values per pixel.
  ///
  /// Unknown sizes stay unknown. `kind` is the error for a window that is too large: the output of
  /// a convolution "would be empty", the kernel of a pooling "is larger than the input".
  ///
  /// - Throws: ``ShapeError`` when `input` is not an image, an argument is out of range, or no
  ///   window fits.
  public func outputShape(
    for input: Shape, channels: Int, tooLarge kind: ShapeError.Kind = .emptyOutput
  ) throws(ShapeError) -> Shape {
    try validate()
    try ArgumentRule.image(input)
    let width = input.width.map { output(width: $0, height: 1).width }
    let height = input.height.map { output(width: 1, height: $0).height }
    if (width ?? 1) < 1 || (height ?? 1) < 1 { throw .windowTooLarge(self, kind: kind) }
    return try SizeRule.bounded(Shape(width: width, height: height, channels: channels))
  }

  /// The output shape of a pooling whose window moves over `input`.
  ///
  /// The padding of a pooling is smaller than its kernel: a window entirely in the padding has
  /// neither a maximum nor a mean.
  ///
  /// - Throws: ``ShapeError`` as ``outputShape(for:channels:tooLarge:)``, of kind `invalidArgument`
  ///   for too much padding, and of kind `kernelLargerThanInput` when no window fits.
  public func poolingShape(for input: Shape) throws(ShapeError) -> Shape {
    try validate()
    let channels = try ArgumentRule.channels(of: input)
    if case .edges(let edges) = padding {
      guard max(edges.left, edges.right) < extent.width,
        max(edges.top, edges.bottom) < extent.height
      else { throw .paddingTooLarge(self) }
    }
    return try outputShape(for: input, channels: channels, tooLarge: .kernelLargerThanInput)
  }
}
