import ForgeOperations
import ForgeShapes

/// Resamples a tensor along any of its axes.
///
/// Along each axis an element of the output is a weighted sum of elements of the input around its
/// coordinate. With output index `i`, sizes n and n′, and scale `s` = n′ / n unless it is given,
/// the coordinate is `(i + ½) / s − ½` for `.halfPixel`; for the others see
/// ``ResampleCoordinates``.
///
/// - Input shape: any; unknown sizes stay unknown where the axis is unchanged or has a scale.
/// - Output shape: `sizes`, or ⌊size · scale⌋ where there is only a scale.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a size or scale out of range or more of them than axes,
///   `unknownSize` for an unknown size along a resampled axis, `tooLarge` for an output beyond
///   bounds.
/// - Names elsewhere: ONNX Resize, PyTorch interpolate; Keras's Resizing is ``Resize``.
///
/// ```swift
/// Input(width: 20, height: 15, channels: 8)
///   --> Resample(sizes: [30, 40, nil], mode: .cubic(coefficient: -0.75))  // (40, 30, 8)
/// ```
public struct Resample: BuiltInLayer {
  package let label: LayerLabel
  /// The size of each axis in memory order; `nil` where it is unchanged or follows from the scale.
  public let sizes: [Int?]
  /// The scale of each axis, where it is given.
  public let scales: [Float?]
  /// The scale of each axis that has a size, where it is not that of the sizes.
  package var ratios: [SizeRatio?] = []
  /// How elements are weighted.
  public let mode: ResampleMode
  /// How indices of the output become coordinates of the input.
  public let coordinates: ResampleCoordinates
  /// Whether the filter is widened by the scale when shrinking.
  public let antialias: Bool
  /// Whether elements outside the input count nothing instead of repeating the edge.
  public let excludesOutside: Bool

  /// Creates a resampling.
  ///
  /// - Parameters:
  ///   - sizes: the size of each axis in memory order; `nil` where it is unchanged or follows from
  ///     the scale.
  ///   - scales: the scale of each axis, where it is given; it takes part in the coordinates.
  ///   - mode: how elements are weighted.
  ///   - coordinates: how indices of the output become coordinates of the input.
  ///   - antialias: whether the filter is widened by the scale when shrinking.
  ///   - excludesOutside: whether elements outside the input count nothing instead of repeating the
  ///     edge; for `.cubic` and with `antialias`.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    sizes: [Int?], scales: [Float?] = [], mode: ResampleMode = .linear,
    coordinates: ResampleCoordinates = .halfPixel, antialias: Bool = false,
    excludesOutside: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.sizes = sizes
    self.scales = scales
    self.mode = mode
    self.coordinates = coordinates
    self.antialias = antialias
    self.excludesOutside = excludesOutside
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one resampling.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let filter = Resampling.Filter.around(
      mode, coordinates, antialias: antialias, excludesOutside: excludesOutside)
    lowering.output = try lowering.applyToInput(
      .resample(Resampling(sizes: sizes, scales: scales, ratios: ratios, filter: filter)))
  }
}
