import CForgePixels
import Forge

extension Image {
  /// Converts the picture to another pixel format or type of samples.
  ///
  /// Gray is copied to red, green and blue. Gray from colors is, like Pillow's `L` (299, 587 and
  /// 114 thousandths), `(19595·R + 38470·G + 7471·B + 32768) / 65536`. A transparent picture that
  /// becomes opaque is composited over the background: `(A·x + (255 − A)·b) / 255`, rounded; a
  /// picture without transparency gets an alpha of 255. Samples of 16 bits are 257 times those of
  /// 8 bits, floats 1/255 of them.
  ///
  /// - Parameters:
  ///   - format: the new format.
  ///   - samples: the type of a sample of the result; that of this picture by default.
  ///   - background: the color behind transparent pixels.
  /// - Returns: the converted picture, or this one if it already has the format.
  /// - Throws: ``ImageError`` when a sample is not finite, or there is not enough memory.
  public func converted(
    to format: PixelFormat, samples: SampleType? = nil, background: PixelColor = .white
  ) throws(ImageError) -> Image {
    let samples = samples ?? self.samples
    if format == self.format, samples == self.samples { return self }
    return try withView { view throws(ImageError) in
      try view.image(format: format, samples: samples, background: background)
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
    let pixelBytes = format.channels * samples.byteCount
    return try Image(filling: width, height, format, samples) { target in
      pixels.withUnsafeBytes { pixels in
        let target = UnsafeMutableRawBufferPointer(target)
        for row in 0..<height {
          let start = ((y + row) * self.width + x) * pixelBytes
          let count = width * pixelBytes
          UnsafeMutableRawBufferPointer(rebasing: target[row * count..<(row + 1) * count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels[start..<start + count]))
        }
      }
    }
  }

  /// Throws unless a rectangle is inside the picture.
  func check(_ box: CropRectangle) throws(ImageError) {
    guard box.fits(width: width, height: height) else {
      throw .badBox(box, width: width, height: height)
    }
  }
}

extension ImageView {
  /// Converts the picture to an ``Image``; see ``Image/converted(to:samples:background:)``.
  ///
  /// A frame becomes RGB first, by its ``FrameColors``.
  ///
  /// - Parameters:
  ///   - format: the format of the result.
  ///   - samples: the type of a sample of the result.
  ///   - background: the color behind transparent pixels.
  ///   - limits: the limits on the size of the result.
  /// - Returns: the picture.
  /// - Throws: ``ImageError`` when the picture exceeds the limits, a sample is not finite, or there
  ///   is not enough memory.
  public func image(
    format: PixelFormat, samples: SampleType = .uint8, background: PixelColor = .white,
    limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> Image {
    try limits.check(width: width, height: height)
    let plan = try PixelPlan(
      .converting(source, to: format, samples, background: background))
    let planes = planes
    return try Image(filling: width, height, format, samples) { target throws(ImageError) in
      guard let base = target.baseAddress else { return }
      try plan.run(planes, into: UnsafeMutableRawPointer(base))
    }
  }

  /// Converts the picture into memory of the caller, such as the buffer of a window.
  ///
  /// Memory between the rows of the result is left as it is. To convert one frame after the other
  /// without allocations, make an ``ImageConverter``.
  ///
  /// - Parameters:
  ///   - bytes: the memory that is written.
  ///   - format: the format of the result; alpha is 255 where the picture has none.
  ///   - samples: the type of a sample of the result.
  ///   - rowStride: the bytes from one row to the next, by default without padding.
  ///   - background: the color behind transparent pixels.
  /// - Throws: ``ImageError`` when the stride is smaller than a row, the rows do not fit into the
  ///   bytes, a sample is not finite, or there is not enough memory.
  public func convert(
    into bytes: inout MutableRawSpan, format: PixelFormat, samples: SampleType = .uint8,
    rowStride: Int? = nil, background: PixelColor = .white
  ) throws(ImageError) {
    let converter = ImageConverter(
      format: format, samples: samples, background: background, threads: 1)
    try converter.convert(self, into: &bytes, rowStride: rowStride)
  }
}

/// Converts pictures of one size to a pixel format, without allocations after the first.
///
/// ```swift
/// let converter = ImageConverter(format: .rgba)
/// var screen = [UInt8](repeating: 0, count: 4 * 640 * 480)
/// try ImageView.withView(of: bytes.span.bytes, width: 640, height: 480, frame: .nv12) { frame in
///   var span = screen.mutableSpan
///   var memory = span.mutableBytes
///   try converter.convert(frame, into: &memory)
/// }
/// ```
public final class ImageConverter {
  private let format: PixelFormat
  private let samples: SampleType
  private let background: PixelColor
  private let threads: CompileOptions.Threads
  private var plan: PixelPlan?

  /// Creates a converter.
  ///
  /// - Parameters:
  ///   - format: the format of the results.
  ///   - samples: the type of a sample of the results.
  ///   - background: the color behind transparent pixels.
  ///   - threads: the threads of one conversion.
  public init(
    format: PixelFormat, samples: SampleType = .uint8, background: PixelColor = .white,
    threads: CompileOptions.Threads = .automatic
  ) {
    self.format = format
    self.samples = samples
    self.background = background
    self.threads = threads
  }

  /// Converts a picture; the first of a size allocates.
  ///
  /// - Parameters:
  ///   - picture: the picture.
  ///   - bytes: the memory that is written.
  ///   - rowStride: the bytes from one row to the next, by default without padding.
  /// - Throws: ``ImageError`` when the stride is smaller than a row, the rows do not fit into the
  ///   bytes, a sample is not finite, or there is not enough memory.
  public func convert(
    _ picture: borrowing ImageView, into bytes: inout MutableRawSpan, rowStride: Int? = nil
  ) throws(ImageError) {
    let source = picture.source
    let row = source.width * format.channels * samples.byteCount
    let stride = rowStride ?? row
    guard stride >= row else { throw .strideTooSmall(stride, row: row, plane: 0) }
    let needed = (source.height - 1).multipliedSaturated(by: stride).addingSaturated(row)
    guard needed <= bytes.byteCount else {
      throw .rowsBeyondBytes(bytes.byteCount, needs: needed, plane: nil)
    }
    if plan?.source != source {
      var request = PixelRequest.converting(source, to: format, samples, background: background)
      request.threads = threads.count(pixels: source.width * source.height)
      plan = try PixelPlan(request)
    }
    guard let plan else { return }
    let planes = picture.planes
    try bytes.withUnsafeMutableBytes { bytes throws(ImageError) in
      guard let base = bytes.baseAddress else { return }
      try plan.run(planes, into: base, rowStride: stride)
    }
  }
}

extension PixelRequest {
  /// A conversion without resampling.
  package static func converting(
    _ source: PixelSource, to format: PixelFormat, _ samples: SampleType, background: PixelColor
  ) -> PixelRequest {
    let (width, height) = (source.width, source.height)
    return PixelRequest(
      source: source, isGray: source.isGray,
      alpha: format.hasAlpha ? FORGE_ALPHA_KEPT : FORGE_ALPHA_BLENDED, background: background,
      filter: nil,
      columns: AxisPart(inputs: width, from: 0, Double(width), outputs: width),
      rows: AxisPart(inputs: height, from: 0, Double(height), outputs: height),
      wholeWidth: width, wholeHeight: height,
      target: .pixels(format, samples, rowBytes: width * format.channels * samples.byteCount),
      width: width, height: height)
  }
}

extension CompileOptions.Threads {
  /// The threads for a picture of this many pixels: each must have enough of them to be worth it.
  func count(pixels: Int) -> Int {
    if self == .atMost(1) || self == .exactly(1) { return 1 }
    return max(1, min(count(usable: Device.usableCores()), pixels / 32768))
  }
}
