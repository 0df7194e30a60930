import Forge

/// How to read the boxes in an output of a Darknet detector; ``boxes(in:minimumScore:)`` does so.
///
/// The output is raw: the values in front of the `[yolo]`, `[Gaussian_yolo]` or `[region]` layer,
/// as an image of (grid width, grid height, anchors · values). For each anchor the channels hold x,
/// y, width and height (in the Gaussian form each followed by its uncertainty), the objectness, and
/// one score per class.
///
/// For an anchor in column `i` and row `j` of a grid of (w, h) cells, with σ the sigmoid:
/// - x is `(i + σ(x)·s − (s − 1)/2) / w` for ``scaleXY`` `s`, and likewise y, as fractions of the
///   image.
/// - The width is `exp(width)` times the anchor's, in pixels of the network's input for YOLO, and
///   in cells for a region; likewise the height.
/// - The score of a class is σ(objectness)·σ(class); a region with ``usesSoftmax`` has the softmax
///   of the classes in place of σ(class).
/// - In the Gaussian form, the score is also multiplied by 1 less the mean σ of the four
///   uncertainties.
/// - With ``usesNewCoordinates``, σ is left out everywhere, because the layer before has applied
///   it, and the width is `(2·width)²` times the anchor's.
public struct DarknetDetection: Hashable, Sendable {
  /// The layer that Darknet has here.
  public enum Kind: String, Hashable, Sendable {
    /// YOLO version 3 and 4.
    case yolo
    /// YOLO with uncertainties of the boxes.
    case gaussianYOLO = "gaussian_yolo"
    /// YOLO version 2.
    case region
  }

  /// The part of a box that x and y locate.
  public enum Point: String, Hashable, Sendable {
    /// The center.
    case center
    /// The left top corner.
    case leftTop = "left_top"
    /// The right bottom corner.
    case rightBottom = "right_bottom"
  }

  /// The width and the height of a box of average form.
  public struct Anchor: Hashable, Sendable {
    /// The width.
    public let width: Float
    /// The height.
    public let height: Float

    /// Creates an anchor.
    public init(width: Float, height: Float) {
      self.width = width
      self.height = height
    }
  }

  /// The name of the output of the model.
  public let output: String
  /// The layer that Darknet has here.
  public let kind: Kind
  /// The anchors of this output, in the order of its channels.
  public let anchors: [Anchor]
  /// The places of ``anchors`` in the list of the file.
  public let mask: [Int]
  /// The number of classes.
  public let classes: Int
  /// The factor of the position in a cell; 1 unless the file has `scale_x_y`.
  public let scaleXY: Float
  /// Whether the scores of the classes are a softmax.
  public let usesSoftmax: Bool
  /// Whether the values are already between 0 and 1, and sizes are squared (`new_coords`).
  public let usesNewCoordinates: Bool
  /// What x and y locate; other than the center in the Gaussian form only (`yolo_point`).
  public let point: Point
  /// The size of the network's input in pixels.
  public let inputSize: Size

  /// The number of channels for each anchor.
  public var valuesPerAnchor: Int { (kind == .gaussianYOLO ? 9 : 5) + classes }
}
