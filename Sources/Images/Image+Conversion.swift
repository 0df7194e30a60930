import Forge

extension Image {
  /// Converts the picture to another pixel format.
  ///
  /// Gray is copied to red, green and blue. Gray from colors is, like Pillow's `L` (299, 587 and
  /// 114 thousandths), `(19595·R + 38470·G + 7471·B + 32768) / 65536`. A transparent picture is
  /// composited over the background: `(A·x + (255 − A)·b) / 255`, rounded; a picture without
  /// transparency becomes opaque RGBA.
  ///
  /// - Parameters:
  ///   - format: the new format.
  ///   - background: the color behind transparent pixels.
  /// - Returns: the converted picture, or this one if it already has the format.
  /// - Throws: ``ImageError`` when there is not enough memory.
  public func converted(
    to format: PixelFormat, background: PixelColor = .white
  ) throws(ImageError) -> Image {
    switch (self.format, format) {
    case (.gray, .gray), (.rgb, .rgb), (.rgba, .rgba): self
    case (.gray, .rgb), (.gray, .rgba): try repeated(format)
    case (.rgb, .rgba): try opaque()
    case (.rgb, .gray): try luminance()
    case (.rgba, .rgb): try laid(on: background)
    case (.rgba, .gray): try laid(on: background).luminance()
    }
  }

  /// Crops the picture to a rectangle of whole pixels.
  ///
  /// - Parameters:
  ///   - x: the left column.
  ///   - y: the upper row.
  ///   - width: the number of columns.
  ///   - height: the number of rows.
  /// - Returns: the part of the picture.
  /// - Throws: ``ImageError`` when the rectangle is empty or not inside the picture.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws(ImageError) -> Image {
    try check(
      CropRectangle(x: Double(x), y: Double(y), width: Double(width), height: Double(height)))
    let stride = width * format.channels
    return try Image(filling: width, height, format) { target in
      for row in 0..<height {
        let start = ((y + row) * self.width + x) * format.channels
        for index in 0..<stride { target[row * stride + index] = pixels[start + index] }
      }
    }
  }

  /// Throws unless a rectangle is inside the picture.
  func check(_ box: CropRectangle) throws(ImageError) {
    guard box.fits(width: width, height: height) else {
      throw .badBox(box, width: width, height: height)
    }
  }

  private func repeated(_ format: PixelFormat) throws(ImageError) -> Image {
    try Image(filling: width, height, format) { target in
      let channels = format.channels
      for pixel in 0..<width * height {
        for channel in 0..<3 { target[pixel * channels + channel] = pixels[pixel] }
        if channels == 4 { target[4 * pixel + 3] = 255 }
      }
    }
  }

  private func opaque() throws(ImageError) -> Image {
    try Image(filling: width, height, .rgba) { target in
      for pixel in 0..<width * height {
        for channel in 0..<3 { target[4 * pixel + channel] = pixels[3 * pixel + channel] }
        target[4 * pixel + 3] = 255
      }
    }
  }

  private func luminance() throws(ImageError) -> Image {
    try Image(filling: width, height, .gray) { target in
      for pixel in 0..<width * height {
        let red = 19595 * Int(pixels[3 * pixel])
        let green = 38470 * Int(pixels[3 * pixel + 1])
        let blue = 7471 * Int(pixels[3 * pixel + 2])
        target[pixel] = UInt8((red + green + blue + 0x8000) >> 16)
      }
    }
  }

  private func laid(on background: PixelColor) throws(ImageError) -> Image {
    let under = [Int(background.red), Int(background.green), Int(background.blue)]
    return try Image(filling: width, height, .rgb) { target in
      for pixel in 0..<width * height {
        let alpha = Int(pixels[4 * pixel + 3])
        for channel in 0..<3 {
          let sum = alpha * Int(pixels[4 * pixel + channel]) + (255 - alpha) * under[channel]
          target[3 * pixel + channel] = UInt8(dividedBy255(sum))
        }
      }
    }
  }
}

/// The nearest integer to `product` / 255, for products of two bytes.
func dividedBy255(_ product: Int) -> Int {
  let rounded = product + 128
  return (rounded + rounded >> 8) >> 8
}
