import CForgePixels
import Forge

extension Image {
  /// Resizes the picture, or a rectangle of it.
  ///
  /// The result is bit-identical to `resize((width, height), BILINEAR, box)` in Pillow 13, and
  /// alike for the other filters of Pillow. Pixels are resampled along rows, rounded to bytes, then
  /// resampled along columns. The order is reversed if the picture loses many more rows than
  /// columns; Pillow 12 lacks this rule, so its gray and RGB results differ by at most 1. The
  /// colors of transparent pictures are premultiplied by alpha. As with Pillow's `box`, pixels next
  /// to the rectangle contribute at its border. Samples of 16 bits and floats are resampled as
  /// floats.
  ///
  /// - Parameters:
  ///   - width: pixels in a row of the result, at least 1.
  ///   - height: rows of the result, at least 1.
  ///   - filter: the resampling filter.
  ///   - box: the source rectangle in pixels, possibly fractional; the whole picture by default.
  ///   - limits: the limits on the size of the result.
  /// - Returns: the picture, in the same format.
  /// - Throws: ``ImageError`` when a size is not positive or too large, the rectangle is empty or
  ///   not inside the picture, or a sample is not finite.
  public func resized(
    width: Int, height: Int, filter: ResamplingFilter = .bilinear, box: CropRectangle? = nil,
    limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> Image {
    guard width > 0, height > 0 else { throw .badSize(width: width, height: height) }
    try limits.check(width: width, height: height)
    let box =
      box
      ?? CropRectangle(x: 0, y: 0, width: Double(self.width), height: Double(self.height))
    try check(box)
    let source = PixelSource(
      width: self.width, height: self.height, format: format, samples: samples)
    let isNearest = filter == .nearest
    let request = PixelRequest(
      source: source, isGray: source.isGray,
      // Colors are premultiplied by alpha, so that those of transparent pixels do not bleed.
      alpha: isNearest ? FORGE_ALPHA_KEPT : FORGE_ALPHA_PREMULTIPLIED, filter: filter,
      columns: AxisPart(inputs: self.width, from: box.x, box.width, outputs: width),
      rows: AxisPart(inputs: self.height, from: box.y, box.height, outputs: height),
      wholeWidth: width, wholeHeight: height,
      target: .pixels(
        format, samples, rowBytes: width * format.channels * samples.byteCount),
      width: width, height: height)
    if request.isUnchanged { return self }
    let plan = try PixelPlan(request)
    return try withView { view throws(ImageError) in
      let planes = view.planes
      return try Image(filling: width, height, format, samples) { target throws(ImageError) in
        guard let base = target.baseAddress else { return }
        try plan.run(planes, into: UnsafeMutableRawPointer(base))
      }
    }
  }
}
