import ForgeShapes

/// The bytes of one plane of a picture, in memory that Forge does not own.
public struct ImagePlane {
  /// The bytes; the caller keeps them alive and unchanged while they are used.
  public let bytes: UnsafeRawBufferPointer
  /// The bytes from one row to the next; negative if the last row comes first.
  public let rowStride: Int

  /// Creates a plane.
  public init(unsafeBytes bytes: UnsafeRawBufferPointer, rowStride: Int) {
    self.bytes = bytes
    self.rowStride = rowStride
  }
}

/// A picture whose bytes belong to something else: a camera, a decoder, a window, an ``Image``.
///
/// A view copies nothing. Rows may have padding, or come from bottom to top with a negative stride.
///
/// ```swift
/// let pixels = try Image(width: 640, height: 480, format: .bgra, pixels: bytes)
/// try pixels.withView { view in
///   let gray = try view.image(format: .gray)
///   print(gray)  // 640×480 gray
/// }
/// ```
///
/// The safe ways to a view are closures, which it cannot leave: ``Image/withView(_:)``,
/// ``withView(of:width:height:format:samples:rowStride:ignoresAlpha:_:)`` and
/// ``withView(of:width:height:frame:colors:_:)``. The initializers take pointers, which the caller
/// keeps valid as long as the view.
public struct ImageView: ~Copyable {
  let source: PixelSource
  package let planes: PixelPlanes

  /// The number of pixels in a row.
  public var width: Int { source.width }
  /// The number of rows.
  public var height: Int { source.height }

  /// Creates a view of a picture that has been checked.
  package init(checked source: PixelSource, _ planes: PixelPlanes) {
    self.source = source
    self.planes = planes
  }

  /// Creates a view of pixels.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of all rows, padding between rows included; the caller keeps them alive
  ///     and unchanged as long as the view.
  ///   - width: the number of pixels in a row, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - format: the channels.
  ///   - samples: the type of a sample.
  ///   - rowStride: the bytes from one row to the next, by default without padding; negative if the
  ///     last row comes first in memory.
  ///   - ignoresAlpha: whether alpha holds nothing, as in many windows and cameras.
  /// - Throws: ``ImageError`` when a size is not positive or too large, the stride is smaller than
  ///   a row, or the rows do not fit into the bytes.
  public init(
    unsafeBytes bytes: UnsafeRawBufferPointer, width: Int, height: Int, format: PixelFormat,
    samples: SampleType = .uint8, rowStride: Int? = nil, ignoresAlpha: Bool = false
  ) throws(ImageError) {
    try Self.check(width: width, height: height)
    let row = width * format.channels * samples.byteCount
    let plane = ImagePlane(unsafeBytes: bytes, rowStride: rowStride ?? row)
    let (start, stride) = try Self.place(plane, rowBytes: row, rows: height, index: 0)
    source = PixelSource(
      width: width, height: height, format: format, samples: samples, ignoresAlpha: ignoresAlpha)
    planes = PixelPlanes(rows: (start, nil, nil), strides: (stride, 0, 0))
  }

  /// Creates a view of a frame.
  ///
  /// - Parameters:
  ///   - first: the plane of y, or of everything for ``FrameFormat/yuyv``.
  ///   - second: the plane of u, or of u and v.
  ///   - third: the plane of v, for ``FrameFormat/i420``.
  ///   - frame: the arrangement of the samples.
  ///   - width: the number of pixels in a row, at least 1; may be odd.
  ///   - height: the number of rows, at least 1; may be odd.
  ///   - colors: what the samples mean.
  /// - Throws: ``ImageError`` when a size is not positive or too large, a plane is missing, a
  ///   stride is smaller than a row, or rows do not fit into their bytes.
  public init(
    unsafePlanes first: ImagePlane, _ second: ImagePlane? = nil, _ third: ImagePlane? = nil,
    frame: FrameFormat, width: Int, height: Int, colors: FrameColors = FrameColors()
  ) throws(ImageError) {
    try Self.check(width: width, height: height)
    var planes = PixelPlanes()
    func place(
      _ plane: ImagePlane?, _ index: Int
    ) throws(ImageError) -> (
      UnsafePointer<UInt8>?, Int64
    ) {
      guard index < frame.planeCount else { return (nil, 0) }
      guard let plane else { throw .missingPlane(index, frame) }
      return try Self.place(
        plane, rowBytes: frame.rowBytes(plane: index, width: width),
        rows: frame.rows(plane: index, height: height), index: index)
    }
    (planes.rows.0, planes.strides.0) = try place(first, 0)
    (planes.rows.1, planes.strides.1) = try place(second, 1)
    (planes.rows.2, planes.strides.2) = try place(third, 2)
    source = PixelSource(width: width, height: height, frame: frame, colors: colors)
    self.planes = planes
  }

  /// Creates a view of a frame whose planes follow each other without padding, as in raw files.
  ///
  /// - Parameters:
  ///   - bytes: the bytes; the caller keeps them alive and unchanged as long as the view.
  ///   - frame: the arrangement of the samples.
  ///   - width: the number of pixels in a row, at least 1; may be odd.
  ///   - height: the number of rows, at least 1; may be odd.
  ///   - colors: what the samples mean.
  /// - Throws: ``ImageError`` when a size is not positive or too large, or there are too few bytes.
  public init(
    unsafeBytes bytes: UnsafeRawBufferPointer, frame: FrameFormat, width: Int, height: Int,
    colors: FrameColors = FrameColors()
  ) throws(ImageError) {
    try Self.check(width: width, height: height)
    var start = 0
    func next(_ index: Int) throws(ImageError) -> ImagePlane? {
      guard index < frame.planeCount else { return nil }
      let stride = frame.rowBytes(plane: index, width: width)
      let count = stride * frame.rows(plane: index, height: height)
      guard count <= bytes.count - start else {
        throw .rowsBeyondBytes(bytes.count, needs: start.addingSaturated(count), plane: nil)
      }
      defer { start += count }
      return ImagePlane(
        unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]),
        rowStride: stride)
    }
    guard let first = try next(0) else { throw .missingPlane(0, frame) }
    try self.init(
      unsafePlanes: first, next(1), next(2), frame: frame, width: width, height: height,
      colors: colors)
  }

  // MARK: Closures

  /// Lets `body` use bytes as a picture.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of all rows, padding between rows included.
  ///   - width: the number of pixels in a row, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - format: the channels.
  ///   - samples: the type of a sample.
  ///   - rowStride: the bytes from one row to the next, by default without padding; negative if the
  ///     last row comes first in memory.
  ///   - ignoresAlpha: whether alpha holds nothing, as in many windows and cameras.
  ///   - body: uses the view.
  /// - Returns: what `body` returns.
  /// - Throws: ``ImageError`` when sizes and bytes do not fit each other, and errors of `body`.
  public static func withView<Result>(
    of bytes: RawSpan, width: Int, height: Int, format: PixelFormat,
    samples: SampleType = .uint8, rowStride: Int? = nil, ignoresAlpha: Bool = false,
    _ body: (borrowing ImageView) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes { bytes in
      let view = try ImageView(
        unsafeBytes: bytes, width: width, height: height, format: format, samples: samples,
        rowStride: rowStride, ignoresAlpha: ignoresAlpha)
      return try body(view)
    }
  }

  /// Lets `body` use bytes as a frame whose planes follow each other without padding.
  ///
  /// - Parameters:
  ///   - bytes: the bytes.
  ///   - width: the number of pixels in a row, at least 1; may be odd.
  ///   - height: the number of rows, at least 1; may be odd.
  ///   - frame: the arrangement of the samples.
  ///   - colors: what the samples mean.
  ///   - body: uses the view.
  /// - Returns: what `body` returns.
  /// - Throws: ``ImageError`` when sizes and bytes do not fit each other, and errors of `body`.
  public static func withView<Result>(
    of bytes: RawSpan, width: Int, height: Int, frame: FrameFormat,
    colors: FrameColors = FrameColors(), _ body: (borrowing ImageView) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes { bytes in
      let view = try ImageView(
        unsafeBytes: bytes, frame: frame, width: width, height: height, colors: colors)
      return try body(view)
    }
  }

  // MARK: Checks

  /// The most pixels along a side of a view: places of pixels are 32-bit numbers.
  static let mostPixels = 1 << 27

  static func check(width: Int, height: Int) throws(ImageError) {
    guard width > 0, height > 0 else { throw .badSize(width: width, height: height) }
    guard max(width, height) <= mostPixels else {
      throw .viewTooLarge(width: width, height: height, most: mostPixels)
    }
  }

  /// Row 0 of a plane and its stride, if all rows are inside its bytes.
  private static func place(
    _ plane: ImagePlane, rowBytes: Int, rows: Int, index: Int
  ) throws(ImageError) -> (UnsafePointer<UInt8>?, Int64) {
    let distance = plane.rowStride.magnitude
    guard distance >= rowBytes.magnitude else {
      throw .strideTooSmall(plane.rowStride, row: rowBytes, plane: index)
    }
    let (between, overflow) = distance.multipliedReportingOverflow(by: UInt(rows - 1))
    guard !overflow, between <= UInt(Int.max - rowBytes),
      Int(between) + rowBytes <= plane.bytes.count,
      let base = plane.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else {
      let needed = overflow ? Int.max : Int(clamping: between).addingSaturated(rowBytes)
      throw .rowsBeyondBytes(plane.bytes.count, needs: needed, plane: index)
    }
    return (plane.rowStride < 0 ? base + Int(between) : base, Int64(plane.rowStride))
  }
}

extension Image {
  /// Lets `body` use the picture as a view, without copying it.
  ///
  /// - Parameter body: uses the view.
  /// - Returns: what `body` returns.
  /// - Throws: errors of `body`.
  public func withView<Result, Failure: Error>(
    _ body: (borrowing ImageView) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try pixels.withUnsafeBufferPointer { bytes throws(Failure) in
      let view = ImageView(
        checked: PixelSource(width: width, height: height, format: format, samples: samples),
        PixelPlanes(rows: (bytes.baseAddress, nil, nil), strides: (Int64(rowBytes), 0, 0)))
      return try body(view)
    }
  }
}
