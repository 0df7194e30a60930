import Forge

extension Image {
  /// Creates a picture of bytes from values, such as the output of a network.
  ///
  /// Each byte is `255 · (x − low) / (high − low)`, rounded to the nearest number and clamped.
  ///
  /// ```swift
  /// let styled = try Image(values: [0, 0.5, 1], width: 1, height: 1, format: .rgb, range: 0...1)
  /// print(styled.pixels)  // [0, 128, 255]
  /// ```
  ///
  /// - Parameters:
  ///   - values: height × width × channels values, or channels × height × width.
  ///   - width: the number of pixels in a row, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - format: the meaning of the channels.
  ///   - range: the values of black and white.
  ///   - layout: the order of the values.
  /// - Throws: ``ImageError`` when the sizes and the number of values do not fit each other, a
  ///   value is not a number or infinite, or the range is empty.
  public init(
    values: [Float], width: Int, height: Int, format: PixelFormat, range: ClosedRange<Float>,
    layout: ImageLayout = .channelsLast
  ) throws(ImageError) {
    try ImageView.check(width: width, height: height)
    let channels = format.channels
    let plane = width.multipliedSaturated(by: height)
    guard values.count == plane.multipliedSaturated(by: channels) else {
      throw .wrongValueCount(values.count, width: width, height: height, channels: channels)
    }
    let low = Double(range.lowerBound)
    let factor = 255 / (Double(range.upperBound) - low)
    guard low.isFinite, factor.isFinite, factor > 0 else { throw .badRange(range) }
    try self.init(filling: width, height, format) { target throws(ImageError) in
      for index in 0..<values.count {
        let (pixel, channel) = index.quotientAndRemainder(dividingBy: channels)
        let value = values[layout == .channelsLast ? index : channel * plane + pixel]
        guard value.isFinite else { throw .notFinite() }
        let level = ((Double(value) - low) * factor).rounded()
        target[index] = UInt8(min(max(level, 0), 255))
      }
    }
  }

  /// Creates a picture of bytes from a tensor of the shape height × width × channels, with 1, 3 or
  /// 4 channels, or from one of height × width.
  ///
  /// - Parameters:
  ///   - values: the tensor; three channels are RGB and four RGBA.
  ///   - range: the values of black and white.
  /// - Throws: ``ImageError`` when the shape is not that of a picture, a value is not a number or
  ///   infinite, or the range is empty.
  public init(_ values: TensorValues, range: ClosedRange<Float>) throws(ImageError) {
    let sizes = values.shape.dimensions.compactMap { $0 }
    let formats: [Int: PixelFormat] = [1: .gray, 3: .rgb, 4: .rgba]
    guard sizes.count == values.shape.dimensions.count, (2...3).contains(sizes.count),
      let format = formats[sizes.count == 2 ? 1 : sizes[2]]
    else { throw .wrongPictureShape(values.shape) }
    try self.init(
      values: values.values, width: sizes[1], height: sizes[0], format: format, range: range)
  }

  /// The samples as numbers, white being 1: height × width × channels values.
  ///
  /// - Returns: the values.
  /// - Throws: ``ImageError`` when there is not enough memory.
  public func values() throws(ImageError) -> TensorValues {
    let wide = try converted(to: format, samples: .float32)
    let count = width * height * format.channels
    let values = try [Float](filling: count) { target in
      wide.pixels.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(target).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[..<(4 * count)]))
      }
      return count
    }
    return TensorValues(width: width, height: height, channels: format.channels, values: values)
  }
}
