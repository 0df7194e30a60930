/// The axis order in which a source stores its parameters; Forge converts from it.
///
/// | parameter | `.forge` | `.keras` | `.pytorch` |
/// | --- | --- | --- | --- |
/// | convolution, dense | O H W I | H W I O | O I H W |
/// | depthwise | C M H W | H W C M | C M H W |
/// | one axis | as it is | as it is | as it is |
///
/// The inputs of a dense layer are the height, width and channels of the image it flattens. Keras's
/// matrix [inputs][outputs] after a channels-last flatten is therefore H W I O, and PyTorch's
/// [outputs][inputs] after a channels-first flatten is O I H W.
public enum ParameterLayout: Hashable, Sendable {
  /// Forge's own order, which is that of the 2017 toolkit.
  case forge
  /// Keras and TensorFlow.
  case keras
  /// PyTorch, ONNX and Core ML.
  case pytorch
  /// Any order; it must name each axis of the parameter once.
  case axes([ParameterAxis])

  /// The axes of `spec` in the order of this layout, outermost first; `nil` when they do not fit.
  public func order(for spec: ParameterSpec) -> [ParameterAxis]? {
    switch self {
    case .forge: spec.axes
    case .keras: spec.kerasAxes
    case .pytorch: spec.pytorchAxes
    case .axes(let order):
      order.count == spec.axes.count && Set(order) == Set(spec.axes) ? order : nil
    }
  }

  /// The strides for reading a parameter stored in this layout in Forge's order.
  ///
  /// - Returns: for each axis of `spec`, the distance in elements between neighbors in this
  ///   layout; `nil` when the layout's axes do not fit the parameter's, or the parameter is larger
  ///   than any memory.
  public func strides(for spec: ParameterSpec) -> [Int]? {
    guard let order = order(for: spec) else { return nil }
    var stride = 1
    var strides = Array(repeating: 0, count: spec.axes.count)
    for axis in order.reversed() {
      guard let index = spec.axes.firstIndex(of: axis) else { return nil }
      strides[index] = stride
      let (product, overflow) = stride.multipliedReportingOverflow(by: spec.sizes[index])
      guard !overflow else { return nil }
      stride = product
    }
    return strides
  }
}
