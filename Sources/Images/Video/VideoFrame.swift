import Forge
import ForgeSystem

/// One frame of a video; its memory returns to the pool when the frame is released.
///
/// ```swift
/// let reader = try VideoReader(contentsOf: "street.y4m")
/// while let frame = try reader.next() {
///   let gray = try frame.image(format: .gray)
///   print(frame.index, gray)
/// }
/// ```
public struct VideoFrame: Sendable {
  /// The form of the frame.
  public let format: VideoFormat
  /// The position of the frame in its video, from 0.
  public let index: Int
  /// The time from the start of the video; `nil` if unknown.
  public let time: Duration?
  private let memory: FrameMemory

  init(format: VideoFormat, index: Int, time: Duration?, memory: FrameMemory) {
    self.format = format
    self.index = index
    self.time = time
    self.memory = memory
  }

  /// Lets `body` use the frame as a view, without copying it.
  ///
  /// - Parameter body: uses the view.
  /// - Returns: what `body` returns.
  /// - Throws: ``ImageError``, and errors of `body`.
  public func withView<Result>(_ body: (borrowing ImageView) throws -> Result) throws -> Result {
    try body(view())
  }

  /// Lets `body` use the bytes of the frame.
  ///
  /// - Parameter body: uses the bytes.
  /// - Returns: what `body` returns.
  /// - Throws: errors of `body`.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(memory) {} }
    return try body(RawSpan(_unsafeBytes: memory.bytes))
  }

  /// The frame as a separate picture.
  ///
  /// - Parameter format: the channels of the picture.
  /// - Returns: the picture.
  /// - Throws: ``ImageError`` when there is not enough memory.
  public func image(format: PixelFormat = .rgb) throws(ImageError) -> Image {
    defer { withExtendedLifetime(memory) {} }
    return try view().image(format: format)
  }

  /// The view, valid as long as the memory.
  private func view() throws(ImageError) -> ImageView {
    switch format.layout {
    case .frame(let frame, let colors):
      try ImageView(
        unsafeBytes: memory.bytes, frame: frame, width: format.width, height: format.height,
        colors: colors)
    case .pixels(let pixels):
      try ImageView(
        unsafeBytes: memory.bytes, width: format.width, height: format.height, format: pixels)
    }
  }
}

/// Memory for frames of one form, reused when a frame is released.
///
/// A program makes frames of a camera from its own pool:
///
/// ```swift
/// let pool = try VideoFramePool(VideoFormat(width: 4, height: 2, pixels: .gray))
/// let frame = try pool.frame(index: 0) { bytes in
///   for place in 0..<8 { bytes.storeBytes(of: UInt8(place), toByteOffset: place, as: UInt8.self) }
/// }
/// print(try frame.image(format: .gray).pixels)  // [0, 1, 2, 3, 4, 5, 6, 7]
/// ```
public final class VideoFramePool: Sendable {
  /// The form of the frames.
  public let format: VideoFormat
  /// The bytes of a frame.
  let byteCount: Int
  /// The addresses of memory that no frame uses.
  private let free = ForkSafe([Int]())
  /// The most pieces of free memory.
  private static let mostFree = 8

  /// Creates an empty pool.
  ///
  /// - Parameters:
  ///   - format: the form of the frames.
  ///   - limits: the limits on their size.
  /// - Throws: ``ImageError`` when a size is not positive or beyond the limits.
  public init(_ format: VideoFormat, limits: ImageLimits = ImageLimits()) throws(ImageError) {
    try format.check(limits)
    self.format = format
    byteCount = format.frameBytes
  }

  deinit {
    for address in free.withLock({ $0 }) {
      AlignedMemory.free(UnsafeMutableRawPointer(bitPattern: address))
    }
  }

  /// A frame whose bytes a closure writes.
  ///
  /// - Parameters:
  ///   - index: the position of the frame in its video.
  ///   - time: the time from the start of the video; by default that of the format's rate.
  ///   - body: writes the bytes of the frame. What it does not write is undefined.
  /// - Returns: the frame.
  /// - Throws: ``ImageError`` when there is not enough memory, and errors of `body`.
  public func frame(
    index: Int, time: Duration? = nil, filling body: (inout MutableRawSpan) throws -> Void
  ) throws -> VideoFrame {
    let memory = try memory()
    var span = MutableRawSpan(_unsafeBytes: memory.writable)
    try body(&span)
    return frame(memory, index: index, time: time)
  }

  /// A frame of memory that has been written.
  func frame(_ memory: FrameMemory, index: Int, time: Duration? = nil) -> VideoFrame {
    VideoFrame(
      format: format, index: index, time: time ?? format.time(ofFrame: index), memory: memory)
  }

  /// Memory for a frame, not written yet.
  func memory() throws(ImageError) -> FrameMemory {
    let address = free.withLock { $0.popLast() }
    guard
      let start = address.flatMap({ UnsafeMutableRawPointer(bitPattern: $0) })
        ?? AlignedMemory.allocate(byteCount: byteCount)
    else { throw .outOfMemory(byteCount: byteCount) }
    return FrameMemory(start, pool: self)
  }

  /// Takes memory back.
  fileprivate func give(_ start: UnsafeMutableRawPointer) {
    let isKept = free.withLock { free in
      guard free.count < Self.mostFree else { return false }
      free.append(Int(bitPattern: start))
      return true
    }
    if !isKept { AlignedMemory.free(start) }
  }
}

/// The memory of a frame; `deinit` gives it back.
final class FrameMemory: Sendable {
  /// The address; the bytes are written before the frame exists, and only read afterwards.
  private let address: Int
  private let pool: VideoFramePool

  fileprivate init(_ start: UnsafeMutableRawPointer, pool: VideoFramePool) {
    address = Int(bitPattern: start)
    self.pool = pool
  }

  deinit { UnsafeMutableRawPointer(bitPattern: address).map { pool.give($0) } }

  /// The bytes, for the only one who has the memory before it is a frame.
  var writable: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(bitPattern: address), count: pool.byteCount)
  }

  /// The bytes, valid while this object exists.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(writable) }
}
