import Forge

extension Image {
  /// Resizes the picture, or a rectangle of it.
  ///
  /// The result is bit-identical to `resize((width, height), BILINEAR, box)` in Pillow 13. Pixels
  /// are resampled along rows, rounded to bytes, then resampled along columns. The order is
  /// reversed if the picture loses many more rows than columns; Pillow 12 lacks this rule, so its
  /// gray and RGB results differ by at most 1. The colors of transparent pictures are
  /// premultiplied by alpha. As with Pillow's `box`, pixels next to the rectangle contribute at its
  /// border.
  ///
  /// - Parameters:
  ///   - width: pixels in a row of the result, at least 1.
  ///   - height: rows of the result, at least 1.
  ///   - filter: the resampling filter.
  ///   - box: the source rectangle in pixels, possibly fractional; the whole picture by default.
  ///   - limits: the limits on the size of the result.
  /// - Returns: the picture, in the same format.
  /// - Throws: ``ImageError`` when a size is not positive or too large, or the rectangle is empty
  ///   or not inside the picture.
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
    let columns = AxisPart(inputs: self.width, from: box.x, box.width, outputs: width)
    let rows = AxisPart(inputs: self.height, from: box.y, box.height, outputs: height)
    if columns.isUnchanged, rows.isUnchanged { return self }
    switch filter {
    case .nearest: return try nearest(rows: rows.nearest, columns: columns.nearest)
    case .bilinear where format == .rgba:
      // Colors are premultiplied by alpha, so that those of transparent pixels do not bleed.
      return try recolored { color, alpha in UInt8(dividedBy255(color * alpha)) }
        .bilinear(rows: rows, columns: columns)
        .recolored { color, alpha in
          UInt8(clamping: alpha == 0 ? color : 255 * color / alpha)
        }
    case .bilinear: return try bilinear(rows: rows, columns: columns)
    }
  }

  // MARK: Bilinear

  /// Resamples both axes; the intermediate picture is no larger than the source or the result.
  private func bilinear(
    rows rowPart: AxisPart, columns columnPart: AxisPart
  ) throws(ImageError) -> Image {
    let rows = ResamplingAxis(rowPart)
    let columns = ResamplingAxis(columnPart)
    if columnPart.isUnchanged { return try resampled(rows: rows, columns: 0..<width) }
    if rowPart.isUnchanged { return try resampled(columns: columns, rows: 0..<height) }
    // Columns are resampled first if that loses many more rows than resampling rows loses columns.
    // This is the rule of Pillow 13; it uses the size of the picture, not of the rectangle.
    let (lostRows, lostColumns) = (height - rowPart.outputs, width - columnPart.outputs)
    if lostRows > 0, lostRows > 2 * lostColumns {
      return try resampled(rows: rows, columns: columns.range).resampled(
        columns: columns, rows: 0..<rowPart.outputs, firstColumn: columns.range.lowerBound)
    }
    return try resampled(columns: columns, rows: rows.range).resampled(
      rows: rows, columns: 0..<columnPart.outputs, firstRow: rows.range.lowerBound)
  }

  /// Resamples the given rows along `columns`.
  ///
  /// `firstColumn` is the column of the source that is this picture's column 0.
  private func resampled(
    columns: ResamplingAxis, rows: Range<Int>, firstColumn: Int = 0
  ) throws(ImageError) -> Image {
    let (channels, outputs) = (format.channels, columns.firsts.count)
    return try Image(filling: outputs, rows.count, format) { target in
      columns.shares.withUnsafeBufferPointer { shares in
        pixels.withUnsafeBufferPointer { pixels in
          var position = 0
          for row in rows {
            for output in 0..<outputs {
              let source = (row * width + columns.firsts[output] - firstColumn) * channels
              let taps = columns.starts[output]..<columns.starts[output + 1]
              for channel in 0..<channels {
                var sum = ResamplingAxis.half
                var pixel = source + channel
                for tap in taps {
                  sum &+= Int32(pixels[pixel]) &* shares[tap]
                  pixel += channels
                }
                target[position] = ResamplingAxis.byte(sum)
                position += 1
              }
            }
          }
        }
      }
    }
  }

  /// Resamples the given columns along `rows`.
  ///
  /// `firstRow` is the row of the source that is this picture's row 0.
  private func resampled(
    rows: ResamplingAxis, columns: Range<Int>, firstRow: Int = 0
  ) throws(ImageError) -> Image {
    let stride = columns.count * format.channels
    var sums = [Int32](repeating: 0, count: stride)
    return try Image(filling: columns.count, rows.firsts.count, format) { target in
      pixels.withUnsafeBufferPointer { pixels in
        sums.withUnsafeMutableBufferPointer { sums in
          for output in rows.firsts.indices {
            sums.update(repeating: ResamplingAxis.half)
            let first = rows.starts[output]
            for tap in first..<rows.starts[output + 1] {
              let share = rows.shares[tap]
              let row = rows.firsts[output] - firstRow + tap - first
              let source = (row * width + columns.lowerBound) * format.channels
              for index in 0..<stride {
                sums[index] &+= Int32(pixels[source + index]) &* share
              }
            }
            for index in 0..<stride {
              target[output * stride + index] = ResamplingAxis.byte(sums[index])
            }
          }
        }
      }
    }
  }

  /// Returns RGBA with each color replaced by a function of the color and its alpha.
  @inline(__always)
  private func recolored(
    _ color: (_ color: Int, _ alpha: Int) -> UInt8
  ) throws(ImageError) -> Image {
    try Image(filling: width, height, .rgba) { target in
      for pixel in stride(from: 0, to: pixels.count, by: 4) {
        let alpha = pixels[pixel + 3]
        for index in pixel..<pixel + 3 { target[index] = color(Int(pixels[index]), Int(alpha)) }
        target[pixel + 3] = alpha
      }
    }
  }

  // MARK: Nearest

  private func nearest(rows: [Int], columns: [Int]) throws(ImageError) -> Image {
    let channels = format.channels
    return try Image(filling: columns.count, rows.count, format) { target in
      var position = 0
      for row in rows {
        for column in columns {
          let source = (row * width + column) * channels
          for channel in 0..<channels { target[position + channel] = pixels[source + channel] }
          position += channels
        }
      }
    }
  }
}
