import Forge

/// The frames of a video whose bytes arrive in chunks of any size, such as the body of a request.
///
/// ```swift
/// let chunks = AsyncStream<[UInt8]> { continuation in
///   continuation.yield(Array("YUV4MPEG2 W2 H1 F25:1 Cmono\nFRA".utf8))
///   continuation.yield(Array("ME\n".utf8) + [0, 255])
///   continuation.finish()
/// }
/// for try await frame in VideoChunks(chunks) { print(frame.format.width) }  // 2
/// ```
public struct VideoChunks<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element == [UInt8] {
  /// A frame.
  public typealias Element = VideoFrame

  private let chunks: Chunks
  private let format: VideoFormat?
  private let limits: ImageLimits

  /// Creates the sequence.
  ///
  /// - Parameters:
  ///   - chunks: the bytes.
  ///   - format: the form of the frames; `nil` if they begin with the header of a Y4M file.
  ///   - limits: the limits on the size of a frame.
  public init(
    _ chunks: Chunks, format: VideoFormat? = nil, limits: ImageLimits = ImageLimits()
  ) {
    self.chunks = chunks
    self.format = format
    self.limits = limits
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(chunks: chunks.makeAsyncIterator(), format: format, limits: limits)
  }

  /// Iterates over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private let format: VideoFormat?
    private let limits: ImageLimits
    private var assembler: VideoAssembler?
    private var chunk: ArraySlice<UInt8> = []
    private var isOver = false

    fileprivate init(chunks: Chunks.AsyncIterator, format: VideoFormat?, limits: ImageLimits) {
      (self.chunks, self.format, self.limits) = (chunks, format, limits)
    }

    /// The next frame.
    ///
    /// - Returns: the frame; `nil` after the last one.
    /// - Throws: ``ImageError``, as ``VideoReader``, and errors of the chunks.
    public mutating func next() async throws -> VideoFrame? {
      guard !isOver else { return nil }
      // If this call throws, the iteration is over; a frame resets this.
      isOver = true
      var assembler = try assembler ?? VideoAssembler(format, limits: limits)
      while true {
        var rest = chunk
        let frame = try assembler.next { memory throws(ImageError) in
          let part = rest.prefix(memory.count)
          part.withUnsafeBytes { memory.copyMemory(from: $0) }
          rest = rest.dropFirst(part.count)
          return part.count
        }
        chunk = rest
        self.assembler = assembler
        if let frame {
          isOver = false
          return frame
        }
        guard let more = try await chunks.next() else { break }
        chunk = more[...]
      }
      try assembler.finish()
      return nil
    }
  }
}

extension VideoChunks: Sendable where Chunks: Sendable {}
