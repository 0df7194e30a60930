import Dispatch
import Forge
import ForgeLoaders
import Synchronization

/// Reads the frames of a video: a Y4M file, raw frames, or a pipe.
///
/// ```swift
/// let reader = try VideoReader(contentsOf: "street.y4m")
/// print(reader.format.width, reader.format.height)
/// for try await frame in reader.frames { print(frame.index) }
/// ```
///
/// Y4M files (`ffmpeg -i street.mp4 street.y4m`) have 8 bits per sample, colors at half the
/// resolution (`C420`, `C420jpeg`, `C420mpeg2`, `C420paldv`) or none (`Cmono`), and progressive
/// frames. Interlaced frames, other colors and more bits are errors. The memory of a frame is
/// reused once the frame is released, so reading takes only the memory of the frames in use.
///
/// A reader may be used by several threads; each frame goes to one of them.
public final class VideoReader: Sendable {
  private struct State {
    var bytes: SequentialBytes
    var assembler: VideoAssembler
    var isOver = false
  }

  /// The form of the frames.
  public let format: VideoFormat
  private let path: String?
  private let state: Mutex<State>
  /// Where blocking reads of ``frames`` wait.
  private let queue = DispatchQueue(label: "forge.video")

  /// Opens a Y4M file.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - limits: the limits on the size of a frame.
  /// - Throws: ``ImageError`` when the file cannot be read, is not a Y4M file, is damaged, cut off
  ///   or beyond the limits, or has frames of an unsupported form.
  public convenience init(
    contentsOf path: String, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(path: path, nil, limits)
  }

  /// Reads the bytes of a Y4M file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - limits: the limits on the size of a frame.
  /// - Throws: ``ImageError``; see ``init(contentsOf:limits:)``.
  public convenience init(
    bytes: [UInt8], limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(SequentialBytes(bytes), path: nil, nil, limits)
  }

  /// Opens a file of frames without a header.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - format: the form of the frames.
  ///   - limits: the limits on the size of a frame.
  /// - Throws: ``ImageError`` when the file cannot be read, or the format is out of range.
  public convenience init(
    raw path: String, format: VideoFormat, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(path: path, format, limits)
  }

  /// Reads frames without a header from memory.
  ///
  /// - Parameters:
  ///   - bytes: the frames.
  ///   - format: the form of the frames.
  ///   - limits: the limits on the size of a frame.
  /// - Throws: ``ImageError`` when the format is out of range.
  public convenience init(
    rawBytes bytes: [UInt8], format: VideoFormat, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(SequentialBytes(bytes), path: nil, format, limits)
  }

  /// Reads a pipe, a socket or a device, such as the output of `ffmpeg`.
  ///
  /// The header of a Y4M stream is read at once. A read waits until a whole frame has arrived, or
  /// the stream has ended.
  ///
  /// - Parameters:
  ///   - descriptor: the open descriptor: 0 for standard input. The caller closes it after use.
  ///   - format: the form of the frames; `nil` if they begin with the header of a Y4M file.
  ///   - limits: the limits on the size of a frame.
  /// - Throws: ``ImageError``; see ``init(contentsOf:limits:)``.
  public convenience init(
    descriptor: Int32, format: VideoFormat? = nil, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    try self.init(SequentialBytes(descriptor: descriptor), path: nil, format, limits)
  }

  private convenience init(
    path: String, _ format: VideoFormat?, _ limits: ImageLimits
  ) throws(ImageError) {
    do throws(ImageError) {
      let bytes = try FileBytes.reading { () throws(LoadError) in try SequentialBytes(path: path) }
      try self.init(bytes, path: path, format, limits)
    } catch { throw error.named(path) }
  }

  private init(
    _ bytes: SequentialBytes, path: String?, _ format: VideoFormat?, _ limits: ImageLimits
  ) throws(ImageError) {
    var bytes = bytes
    var assembler = try VideoAssembler(format, limits: limits)
    let isComplete = try assembler.readHeader { memory throws(ImageError) in
      try FileBytes.reading { () throws(LoadError) in try bytes.read(into: memory) }
    }
    if !isComplete {
      try assembler.finish()
    }
    guard let pool = assembler.pool else { throw .emptyVideo() }
    // A header alone must not cost the memory of a frame.
    if let remaining = bytes.remaining, remaining > 0, remaining < pool.byteCount {
      throw .cutOffVideo("in frame 0")
    }
    self.format = pool.format
    self.path = path
    state = Mutex(State(bytes: bytes, assembler: assembler))
  }

  /// Reads the next frame.
  ///
  /// - Returns: the frame; `nil` after the last one.
  /// - Throws: ``ImageError`` when the video cannot be read, is damaged or ends within a frame, or
  ///   there is not enough memory. Afterwards there are no more frames.
  public func next() throws(ImageError) -> VideoFrame? {
    do throws(ImageError) {
      return try state.withLock { state throws(ImageError) in
        guard !state.isOver else { return nil }
        var isDone = false
        defer { state.isOver = !isDone }
        var bytes = state.bytes
        defer { state.bytes = bytes }
        let frame = try state.assembler.next { memory throws(ImageError) in
          try FileBytes.reading { () throws(LoadError) in try bytes.read(into: memory) }
        }
        if frame == nil { try state.assembler.finish() }
        isDone = frame != nil
        return frame
      }
    } catch { throw error.named(path) }
  }

  /// The frames that follow, for `for try await`, tasks and runners.
  ///
  /// Each iteration continues where the last one ended. Reads wait on a separate thread; canceling
  /// the task does not interrupt a read that waits for a pipe.
  public var frames: VideoFrames { VideoFrames(reader: self) }

  /// Reads the next frame on the queue.
  fileprivate func nextOnQueue() async throws -> VideoFrame? {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Result { () throws in try next() })
      }
    }
  }
}

/// The frames of a ``VideoReader`` as an asynchronous sequence.
public struct VideoFrames: AsyncSequence, Sendable {
  /// A frame.
  public typealias Element = VideoFrame

  let reader: VideoReader

  /// Creates an iterator, which continues at the reader's position.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  /// Iterates over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: VideoReader

    /// The next frame.
    ///
    /// - Returns: the frame; `nil` after the last one, and in a task that is canceled.
    /// - Throws: ``ImageError``, as ``VideoReader/next()``.
    public mutating func next() async throws -> VideoFrame? {
      Task.isCancelled ? nil : try await reader.nextOnQueue()
    }
  }
}
