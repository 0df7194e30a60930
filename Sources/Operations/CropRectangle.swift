/// A rectangle of a source image in pixels, possibly fractional.
public struct CropRectangle: Hashable, Sendable {
  /// The left edge, counted from the image's left edge.
  public let x: Double
  /// The upper edge, counted from the image's upper edge.
  public let y: Double
  /// The width.
  public let width: Double
  /// The height.
  public let height: Double

  /// Creates a rectangle whose upper left corner is (`x`, `y`).
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Whether the rectangle is finite, not empty, and inside an image of `width` by `height` pixels.
  public func fits(width imageWidth: Int, height imageHeight: Int) -> Bool {
    // Comparisons with NaN are false, and infinite sides end outside the image.
    x >= 0 && y >= 0 && width > 0 && height > 0
      && x + width <= Double(imageWidth) && y + height <= Double(imageHeight)
  }
}
