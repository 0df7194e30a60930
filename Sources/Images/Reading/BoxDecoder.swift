import Forge
import ForgeSystem

/// Reads the boxes in the output of a detector.
///
/// A decoder says how a family of networks writes boxes; ``boxes(_:minimumScore:)`` decodes values
/// of one picture, and `suppressed(iou:)` leaves one box for each object:
///
/// ```swift
/// let decoder = try BoxDecoder.candidates(classes: 80, count: 8400, input: Size(square: 640))
/// let scores = [Float](repeating: 0, count: 84 * 8400)
/// let boxes = try decoder.boxes(scores, minimumScore: 0.25).suppressed(iou: 0.45)
/// print(boxes)  // []
/// ```
///
/// Boxes are fractions of the picture that entered the network; an ``ImageGeometry``
/// maps them to the photo. A box whose place or score is not a finite number is left out.
public struct BoxDecoder: Sendable {
  /// The number of values of one picture.
  public let valueCount: Int
  private let decode: @Sendable (UnsafeBufferPointer<Float>, Float) -> [DetectedBox]

  init(
    valueCount: Int,
    _ decode: @escaping @Sendable (UnsafeBufferPointer<Float>, Float) -> [DetectedBox]
  ) {
    self.valueCount = valueCount
    self.decode = decode
  }

  /// The boxes in the values of one picture, not yet suppressed.
  ///
  /// - Parameters:
  ///   - values: as many values as ``valueCount``.
  ///   - minimumScore: the score that a box must exceed.
  /// - Returns: the boxes in the order of the values.
  /// - Throws: ``ImageError`` of kind `wrongCount` when the number of values differs.
  public func boxes(_ values: [Float], minimumScore: Float) throws(ImageError) -> [DetectedBox] {
    guard values.count == valueCount else {
      throw .wrongOutput(values.count, needs: valueCount, what: "boxes")
    }
    return values.withUnsafeBufferPointer { values in
      decode(values, minimumScore).filter { box in
        [box.x, box.y, box.width, box.height, box.score].allSatisfy(\.isFinite)
          && box.width >= 0 && box.height >= 0 && box.score > minimumScore
      }
    }
  }
}

/// The width and height of a box of average form, from which a network's numbers are counted.
public struct BoxAnchor: Hashable, Sendable {
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

/// Sizes of an output that are products: an error unless all are positive and the product fits.
func checkedCount(_ sizes: [(String, Int)]) throws(ImageError) -> Int {
  var product = 1
  for (name, size) in sizes {
    guard size > 0 else { throw .badCount(name, size) }
    product = product.multipliedSaturated(by: size)
  }
  // More than this no array holds.
  guard product < 1 << 40 else { throw .badCount(sizes.map(\.0).joined(separator: " × "), product) }
  return product
}

/// The sigmoid in double precision.
func sigmoid(_ x: Float) -> Double { 1 / (1 + exp(-Double(x))) }

/// Reads channels of the cells of a grid in either layout.
struct GridValues {
  let values: UnsafeBufferPointer<Float>
  let cells: Int
  let channels: Int
  let layout: ImageLayout

  subscript(cell: Int, channel: Int) -> Float {
    layout == .channelsLast
      ? values[cell * channels + channel] : values[channel * cells + cell]
  }
}
