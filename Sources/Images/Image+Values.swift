import Forge

extension Image {
  /// Converts the picture to the input of a network.
  ///
  /// - Parameter preparation: the crop, the size and the normalization.
  /// - Returns: height × width × channels values, as `predict` takes them.
  /// - Throws: ``ImageError`` when a size, a rectangle or a number of factors is invalid, the
  ///   result exceeds the limits, or there is not enough memory.
  public func values(prepared preparation: ImagePreparation) throws(ImageError) -> TensorValues {
    let normalization = preparation.normalization
    try normalization.check()
    if let size = preparation.size, !size.isPositive {
      throw .badSize(width: size.width, height: size.height)
    }
    // Gray stays one channel until the end; repeating it earlier would not change the result.
    let wanted: PixelFormat =
      normalization.order == .gray || format == .gray ? .gray : .rgb
    let source = try converted(to: wanted, background: preparation.background)
    let box = try preparation.box(of: self)
    let size = preparation.size(of: self, box: box)
    let image = try source.resized(
      width: size.width, height: size.height, filter: preparation.filter, box: box,
      limits: preparation.limits)
    return TensorValues(
      width: size.width, height: size.height, channels: normalization.order.channels,
      values: try image.normalized(normalization))
  }

  /// The values of a gray or RGB picture.
  private func normalized(_ normalization: PixelNormalization) throws(ImageError) -> [Float] {
    let channels = normalization.order.channels
    let count = width * height * channels
    // A lookup table: each channel has only 256 possible values.
    let tables = (0..<channels).flatMap { normalization.table(channel: $0) }
    // The offset of each channel's source within its pixel.
    let sources =
      format == .gray ? [0, 0, 0] : normalization.order == .bgr ? [2, 1, 0] : [0, 1, 2]
    let stride = format.channels
    return try [Float](filling: count) { values in
      for channel in 0..<channels {
        var source = sources[channel]
        for index in Swift.stride(from: channel, to: count, by: channels) {
          values[index] = tables[256 * channel + Int(pixels[source])]
          source += stride
        }
      }
      return count
    }
  }
}
