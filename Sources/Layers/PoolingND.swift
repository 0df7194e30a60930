import ForgeOperations
import ForgeShapes

/// A function of a moving window over any number of axes, channel by channel.
///
/// `y(i…, c) = f{x(i·s + u·d − before…, c)}` over the taps of the window that lie inside the
/// tensor: the maximum or its index, the mean of those inside, the sum divided by the number of all
/// taps, or `(Σ |x|ᵖ)^(1/p)`.
///
/// - Input shape: one axis for each number of `kernel`, then the channels: (time, channels),
///   (height, width, channels), (depth, height, width, channels) in memory order.
/// - Output shape: ⌊(size + before + after − dilation·(kernel − 1) − 1) / stride⌋ + 1 along each
///   axis, rounded up with `rounding: .ceiling` if the last window then starts inside the tensor or
///   the padding before it; the same channels.
/// - Parameters: none.
/// - Padding: none by default; it must be smaller than the window.
/// - Errors: `invalidArgument` for a number out of range or lists of other lengths,
///   `kernelLargerThanInput` when no window fits, `shapeMismatch` for an input of another rank.
/// - Names elsewhere: ONNX MaxPool, AveragePool and LpPool, Keras MaxPooling3D and
///   AveragePooling3D.
///
/// ```swift
/// x --> Reshape(to: [8, 24, 24, 16])
///   --> PoolingND(.maximum, kernel: [2, 2, 2], strides: [2, 2, 2])  // [4, 12, 12, 16]
/// ```
public struct PoolingND: BuiltInLayer {
  /// `PoolND` for short.
  public static var summaryName: String { "PoolND" }
  package let label: LayerLabel
  /// The window.
  public let window: PoolingWindow

  /// Creates a pooling over any number of axes.
  ///
  /// - Parameters:
  ///   - kind: the function applied to each window.
  ///   - kernel: the size of the window along each axis in memory order.
  ///   - strides: the steps between windows; 1 when left out.
  ///   - dilations: the distances between taps; 1 when left out.
  ///   - before: the padding before the first element of each axis; 0 when left out.
  ///   - after: the padding after the last element of each axis; 0 when left out.
  ///   - rounding: how the number of windows is rounded.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ kind: PoolingNDKind, kernel: [Int], strides: [Int]? = nil, dilations: [Int]? = nil,
    before: [Int]? = nil, after: [Int]? = nil, rounding: WindowRounding = .floor,
    name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    let ones = Array(repeating: 1, count: kernel.count)
    let zeros = Array(repeating: 0, count: kernel.count)
    window = PoolingWindow(
      kind: kind, kernel: kernel, strides: strides ?? ones, dilations: dilations ?? ones,
      before: before ?? zeros, after: after ?? zeros, rounding: rounding)
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one pooling.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.applyToInput(.poolingND(window))
  }
}
