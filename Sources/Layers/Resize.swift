import ForgeOperations
import ForgeShapes

/// Resizes an image to a given size.
///
/// `y(i, j, c)` is `x` sampled at the half-pixel center `((i + ½)·height/height′ − ½, …)`: the
/// nearest pixel, or a linear interpolation of its neighbors, with the edge repeated.
///
/// The source rectangle is the whole image unless a prediction sets another by the layer's name.
///
/// - Input shape: (width, height, channels); width and height may be unknown.
/// - Output shape: (`width`, `height`, channels).
/// - Parameters: none.
/// - Mode: `.bilinear` by default, without antialiasing, like Keras's Resizing (the 2017 toolkit
///   used a Lanczos filter); `.bilinearAntialiased` is better for strong reductions.
/// - Errors: `invalidArgument` for a size out of range, `shapeMismatch` for an input that is not an
///   image.
/// - Names elsewhere: Keras Resizing, ONNX Resize with half_pixel coordinates, Core ML
///   resizeBilinear.
///
/// ```swift
/// Model() --> Resize(width: 64, height: 48)  // (64, 48, 3), whatever the picture's size
/// ```
public struct Resize: BuiltInLayer {
  package let label: LayerLabel
  /// The size of the output in pixels.
  public let size: Size
  /// How pixels are sampled.
  public let mode: ResizeMode

  /// Creates a resize.
  ///
  /// - Parameters:
  ///   - width: the width of the output in pixels.
  ///   - height: the height of the output in pixels.
  ///   - mode: how pixels are sampled.
  ///   - name: the name under which the source rectangle can be set.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    width: Int, height: Int, mode: ResizeMode = .bilinear, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.size = Size(width: width, height: height)
    self.mode = mode
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one resize, whose crop is set by the layer's name.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.applyToInput(
      .resize(.size(size, cropSlot: lowering.layerName), mode))
  }
}
