/// The sizes of one tensor of one example, in memory order.
///
/// A shape has one to ``maximumRank`` dimensions, outermost first. Images have three: height,
/// width, channels (the batch is not part of a shape). A dimension is `nil` when it is not known
/// yet, such as the width and height of an `Input` that takes images of any size.
public struct Shape: Hashable, Sendable, Encodable {
  /// The largest number of dimensions a tensor may have.
  public static let maximumRank = 8

  /// The largest number of elements one tensor may have (2⁴⁰ elements are 4 TiB of Float32).
  ///
  /// With this bound, all products of sizes, strides and bytes fit in 64 bits.
  public static let maximumElementCount = 1 << 40

  /// The sizes in memory order, outermost first; `nil` if unknown.
  public let dimensions: [Int?]

  /// Creates a shape from its dimensions in memory order, outermost first.
  public init(_ dimensions: [Int?]) {
    self.dimensions = dimensions
  }

  /// Creates a shape of known sizes in memory order, outermost first.
  public init(sizes: [Int]) {
    self.dimensions = sizes
  }

  /// Creates the shape of an image, or of a vector (width and height 1).
  ///
  /// - Parameters:
  ///   - width: pixels in a row, `nil` when unknown.
  ///   - height: rows, `nil` when unknown.
  ///   - channels: values per pixel.
  public init(width: Int?, height: Int?, channels: Int?) {
    self.dimensions = [height, width, channels]
  }

  /// The shape of a vector: an image of one pixel with `count` channels.
  public static func vector(_ count: Int) -> Shape {
    Shape(width: 1, height: 1, channels: count)
  }

  /// The number of dimensions.
  public var rank: Int { dimensions.count }

  /// Whether the shape has the three axes of an image: height, width, channels.
  public var isImage: Bool { rank == 3 }

  /// The width in pixels, when the shape is an image and its width is known.
  public var width: Int? { isImage ? dimensions[1] : nil }

  /// The height in rows, when the shape is an image and its height is known.
  public var height: Int? { isImage ? dimensions[0] : nil }

  /// The size of the last axis, which holds the channels of an image.
  public var channels: Int? { dimensions.last ?? nil }

  /// The meaning of each axis, as far as the rank determines it.
  public var axes: [Axis] {
    switch rank {
    case 1: [.channels]
    case 2: [.time, .channels]
    case 3: [.height, .width, .channels]
    default: Array(repeating: .unnamed, count: rank)
    }
  }

  /// All sizes, or `nil` if one is unknown.
  public var sizes: [Int]? {
    let known = dimensions.compactMap { $0 }
    return known.count == rank ? known : nil
  }

  /// Whether every size is known.
  public var isKnown: Bool { !dimensions.contains(nil) }

  /// The shape for another length of the sequences along some axes.
  package func replacing(_ axes: [LengthAxis], length: Int) -> Shape {
    var dimensions = dimensions
    for axis in axes where dimensions.indices.contains(axis.axis) {
      dimensions[axis.axis] = axis.sizes[length]
    }
    return Shape(dimensions)
  }

  /// Whether a tensor of another shape may stand for one of this shape; unknown sizes admit any.
  package func admits(_ other: Shape) -> Bool {
    rank == other.rank
      && zip(dimensions, other.dimensions).allSatisfy { needed, received in
        needed == nil || needed == received
      }
  }

  /// The number of elements; `nil` when a size is unknown or the product is out of bounds.
  public var elementCount: Int? {
    sizes.flatMap { Shape.product(of: $0) }
  }

  /// The product of `sizes`.
  ///
  /// It is `nil` when a size is negative or the product exceeds ``maximumElementCount``.
  public static func product(of sizes: [Int]) -> Int? {
    var product = 1
    for size in sizes {
      let (value, overflow) = product.multipliedReportingOverflow(by: size)
      guard size >= 0, !overflow, value <= maximumElementCount else { return nil }
      product = value
    }
    return product
  }
}

/// The meaning of one axis of a tensor.
public enum Axis: String, Hashable, Sendable {
  /// The examples of a batch.
  case batch
  /// Steps in time.
  case time
  /// Rows of an image.
  case height
  /// Columns of an image.
  case width
  /// Values per pixel or per step.
  case channels
  /// An axis of unknown meaning.
  case unnamed
}

extension Shape: CustomStringConvertible {
  /// The sizes as usual for an image, `2×3×20 (width×height×channels)`, or else in memory order.
  public var description: String {
    isImage ? "\(sizeText) (width×height×channels)" : "\(sizeText) (in memory order)"
  }

  /// The sizes alone: width×height×channels for an image, memory order for anything else.
  package var sizeText: String { spokenSizes.joined(separator: "×") }

  /// The sizes as in a summary: `(64, 64, 3)` is width, height, channels.
  package var tupleText: String { "(" + spokenSizes.joined(separator: ", ") + ")" }

  private var spokenSizes: [String] {
    let spoken = isImage ? [dimensions[1], dimensions[0], dimensions[2]] : dimensions
    return spoken.map { $0.map(String.init) ?? "?" }
  }
}
