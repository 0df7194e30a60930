import ForgeOperations
import ForgeShapes

/// Selects boxes of high score that overlap little, class by class.
///
/// In each class the boxes whose score is above the threshold are taken in order of falling score,
/// equal ones in order of their index; a box is dropped when its intersection over union with one
/// already taken is above `iouThreshold`.
///
/// - Input shape: two tensors: boxes [boxes][4] and scores [classes][boxes], or of several images
///   [images][boxes][4] and [images][classes][boxes]. A box is two opposite corners (y₁, x₁, y₂,
///   x₂), or with `centerPointBoxes` (x center, y center, width, height).
/// - Output shape: [images · classes · min(`maximumPerClass`, boxes)][3]: rows (image, class, box)
///   in order of the image, the class and then of falling score; unused rows at the end are −1.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a number out of range, `wrongInputCount` for other than two
///   tensors, `shapeMismatch` for other shapes, `unknownSize` for unknown sizes.
/// - Names elsewhere: ONNX NonMaxSuppression.
///
/// ```swift
/// [a, b]
///   --> NonMaximumSuppression(maximumPerClass: 100, iouThreshold: 0.5, scoreThreshold: 0.25)
/// ```
///
/// The number of rows that count is the sum of those without −1:
/// ```swift
/// let rows =
///   [a, b]
///   --> NonMaximumSuppression(maximumPerClass: 100, iouThreshold: 0.5, scoreThreshold: 0.25)
/// rows --> Slice(starts: [0], ends: [1], axes: [1]) --> Compare(.greaterOrEqual, than: [0])
///   --> Reduce(.sum)
/// ```
public struct NonMaximumSuppression: BuiltInLayer {
  /// `NMS` for short.
  public static var summaryName: String { "NMS" }
  package let label: LayerLabel
  /// The most boxes of a class.
  public let maximumPerClass: Int
  /// The largest intersection over union that is kept.
  public let iouThreshold: Float
  /// Scores must be above it.
  public let scoreThreshold: Float
  /// Whether boxes are given by center and size.
  public let centerPointBoxes: Bool

  /// Creates a selection of boxes.
  ///
  /// - Parameters:
  ///   - maximumPerClass: the most boxes of a class.
  ///   - iouThreshold: the largest intersection over union that is kept, 0 to 1.
  ///   - scoreThreshold: scores must be above it.
  ///   - centerPointBoxes: whether boxes are given by center and size.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    maximumPerClass: Int, iouThreshold: Float, scoreThreshold: Float,
    centerPointBoxes: Bool = false, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.maximumPerClass = maximumPerClass
    self.iouThreshold = iouThreshold
    self.scoreThreshold = scoreThreshold
    self.centerPointBoxes = centerPointBoxes
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to one operation on both inputs.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let shapes = lowering.inputs.map { lowering.shape(of: $0) }
    try ArgumentRule.count(
      shapes, from: 2, to: 2, example: "[boxes, scores] --> NonMaximumSuppression(…)")
    let rule = SuppressionRule(
      maximumPerClass: maximumPerClass, iouThreshold: iouThreshold,
      scoreThreshold: scoreThreshold, centerPointBoxes: centerPointBoxes)
    lowering.output = try lowering.apply(.nonMaximumSuppression(rule), to: lowering.inputs)
  }
}
