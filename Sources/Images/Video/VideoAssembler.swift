import Forge

/// Makes frames of the bytes of a video, as they arrive.
struct VideoAssembler {
  /// What the next bytes are.
  private enum State {
    /// The header of a Y4M file.
    case header
    /// The line before a frame of a Y4M file.
    case line
    /// The rest of a frame.
    case pixels(FrameMemory, filled: Int)
    /// A raw frame, of which nothing has arrived.
    case rawStart
  }

  /// Writes bytes into memory and returns their number: 0 if there are none at present.
  typealias Source = (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int

  /// The form of the frames, once it is known.
  private(set) var pool: VideoFramePool?
  private let limits: ImageLimits
  private let isRaw: Bool
  private var state: State
  /// The part of a line that has arrived.
  private var text: [UInt8] = []
  private var index = 0

  /// Creates an assembler of raw frames, or of a Y4M file without a format.
  init(_ format: VideoFormat?, limits: ImageLimits) throws(ImageError) {
    self.limits = limits
    isRaw = format != nil
    state = isRaw ? .rawStart : .header
    pool = try format.map { format throws(ImageError) in
      try VideoFramePool(format, limits: limits)
    }
  }

  /// Takes bytes until the header is complete; returns whether it is.
  mutating func readHeader(_ source: Source) throws(ImageError) -> Bool {
    if case .header = state {
      guard let line = try line(first: VideoHeader.magic.utf8.count + 1, source) else {
        return false
      }
      let format = try VideoHeader.format(line, limits: limits)
      pool = try VideoFramePool(format, limits: limits)
      state = .line
    }
    return true
  }

  /// Takes bytes until a frame is complete; returns `nil` when the source has none at present.
  mutating func next(_ source: Source) throws(ImageError) -> VideoFrame? {
    guard try readHeader(source), let pool else { return nil }
    if case .line = state {
      guard let line = try line(first: VideoHeader.frameMagic.utf8.count + 1, source) else {
        return nil
      }
      let word = line.prefix { $0 != UInt8(ascii: " ") }
      guard word.elementsEqual(VideoHeader.frameMagic.utf8) else {
        throw .damaged(
          "Y4M",
          "\"\(String(decoding: word.prefix(20), as: UTF8.self).printable)\" before frame "
            + "\(index)", needs: VideoHeader.frameMagic)
      }
      state = .pixels(try pool.memory(), filled: 0)
    } else if case .rawStart = state {
      state = .pixels(try pool.memory(), filled: 0)
    }
    guard case .pixels(let memory, var filled) = state else { return nil }
    while filled < pool.byteCount {
      let rest = UnsafeMutableRawBufferPointer(rebasing: memory.writable[filled...])
      let count = try source(rest)
      guard count > 0 else {
        state = .pixels(memory, filled: filled)
        return nil
      }
      filled += min(count, rest.count)
    }
    state = isRaw ? .rawStart : .line
    defer { index += 1 }
    return pool.frame(memory, index: index)
  }

  /// Ends the video.
  ///
  /// - Throws: ``ImageError`` of kind `truncated` if a header or a frame is not complete.
  mutating func finish() throws(ImageError) {
    switch state {
    case .header: throw text.isEmpty ? .emptyVideo() : .cutOffVideo("in its header")
    case .line where text.isEmpty: break
    case .pixels(_, filled: 0) where isRaw: break
    case .rawStart: break
    case .line, .pixels: throw .cutOffVideo("in frame \(index)")
    }
  }

  /// A line of at least `count` bytes with its line feed, returned without it; `nil` if the source
  /// has no more bytes at present.
  private mutating func line(first count: Int, _ source: Source) throws(ImageError) -> [UInt8]? {
    while text.last != UInt8(ascii: "\n") {
      guard text.count < VideoHeader.mostBytes else {
        throw .damaged("Y4M", "a line of more than \(VideoHeader.mostBytes) bytes")
      }
      let wanted = max(count - text.count, 1)
      let start = text.count
      text.append(contentsOf: repeatElement(0, count: wanted))
      var found = 0
      do throws(ImageError) {
        found = try text.withUnsafeMutableBufferPointer { buffer throws(ImageError) in
          try source(
            UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[start...])))
        }
      } catch {
        text.removeLast(wanted)
        throw error
      }
      text.removeLast(wanted - min(max(found, 0), wanted))
      if let end = text[start...].firstIndex(of: UInt8(ascii: "\n")), end != text.count - 1 {
        throw .damaged("Y4M", "a line that ends too soon")
      }
      if found <= 0 { return nil }
    }
    defer { text.removeAll(keepingCapacity: true) }
    return Array(text.dropLast())
  }
}
