/// How the number of windows that fit into an input is rounded.
public enum WindowRounding: Hashable, Sendable, Encodable {
  /// Windows lie entirely inside the input and its padding.
  case floor
  /// A last window may reach beyond the padding, if it starts inside the input or the padding
  /// before it (PyTorch's and ONNX's ceil_mode).
  case ceiling

  /// The windows that fit along an axis of `size` elements; 0 if none does.
  ///
  /// - Parameters:
  ///   - size: the elements of the input.
  ///   - before: the padding before the first.
  ///   - after: the padding after the last.
  ///   - extent: the elements that a window covers.
  ///   - stride: the step between windows; below 1 it counts as 1.
  /// - Returns: the number of windows, saturated at the bounds of Int.
  package func count(_ size: Int, before: Int, after: Int, extent: Int, stride: Int) -> Int {
    let padded = size.addingSaturated(before).addingSaturated(after)
    guard padded >= extent else { return 0 }
    let (stride, rest) = (max(stride, 1), padded.subtractingSaturated(extent))
    let windows = (rest / stride).addingSaturated(1)
    guard self == .ceiling, !rest.isMultiple(of: stride) else { return windows }
    // One more window would start at stride·windows of the padded input.
    let start = windows.multipliedSaturated(by: stride)
    return start < size.addingSaturated(before) ? windows.addingSaturated(1) : windows
  }
}
