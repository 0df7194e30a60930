import Forge
import ForgeImages
import Foundation
import Synchronization
import Testing

/// Videos against what FFmpeg reads of them; Scripts/references/make_video.py made them.
@Suite struct VideoTests {
  struct Video: Decodable, Sendable {
    let width, height: Int
    let rate: [Int]
    let frames: [Data]
    let refused: String?
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Fixtures/video")
  static let videos: [String: Video] = {
    guard let data = try? Data(contentsOf: folder.appending(path: "videos.json")) else {
      return [:]
    }
    return (try? JSONDecoder().decode([String: Video].self, from: data)) ?? [:]
  }()
  static let read = videos.filter { $0.value.refused == nil }.keys.sorted()
  static let refused = videos.filter { $0.value.refused != nil }.keys.sorted()

  private static func path(_ name: String) -> String {
    folder.appending(path: "\(name).y4m").path
  }

  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }

  private static func bytes(of frame: VideoFrame) -> Data {
    frame.withBytes { bytes in bytes.withUnsafeBytes { Data($0) } }
  }

  private static func all(_ reader: VideoReader) throws -> [Data] {
    var frames: [Data] = []
    while let frame = try reader.next() {
      #expect(frame.index == frames.count)
      frames.append(bytes(of: frame))
    }
    #expect(try reader.next() == nil)
    return frames
  }

  @Test func thereAreVideos() {
    #expect(Self.read.count == 6)
    #expect(Self.refused.count == 4)
  }

  @Test(arguments: read)
  func equalsFFmpeg(_ name: String) async throws {
    let video = try #require(Self.videos[name])
    let reader = try VideoReader(contentsOf: Self.path(name))
    let format = reader.format
    #expect(format.width == video.width && format.height == video.height)
    let rate = try #require(format.framesPerSecond)
    #expect(abs(rate - Double(video.rate[0]) / Double(video.rate[1])) < 1e-9)
    if name == "full_range" {
      #expect(format.layout == .frame(.i420, FrameColors(range: .full)))
    }
    #expect(try Self.all(reader) == video.frames)
    #expect(try Self.all(VideoReader(bytes: Self.bytes(name))) == video.frames)
    // Without the header and the lines before frames, they are raw frames.
    let raw = video.frames.flatMap { [UInt8]($0) }
    #expect(try Self.all(VideoReader(rawBytes: raw, format: format)) == video.frames)
    for size in [1, 5, 7, 1000] {
      for (content, stated) in [(try Self.bytes(name), nil), (raw, format)] {
        let chunks = AsyncStream<[UInt8]> { continuation in
          for start in stride(from: 0, to: content.count, by: size) {
            continuation.yield([])
            continuation.yield(Array(content[start..<min(start + size, content.count)]))
          }
          continuation.finish()
        }
        var frames: [Data] = []
        for try await frame in VideoChunks(chunks, format: stated) {
          frames.append(Self.bytes(of: frame))
        }
        #expect(frames == video.frames)
      }
    }
  }

  @Test(arguments: read)
  func pipes(_ name: String) async throws {
    let video = try #require(Self.videos[name])
    let pipe = Pipe()
    let content = try Self.bytes(name)
    let handle = pipe.fileHandleForWriting
    // Not in a task: the reader blocks its thread until the header has arrived.
    DispatchQueue.global().async {
      for start in stride(from: 0, to: content.count, by: 11) {
        try? handle.write(contentsOf: Data(content[start..<min(start + 11, content.count)]))
      }
      try? handle.close()
    }
    let reader = try VideoReader(descriptor: pipe.fileHandleForReading.fileDescriptor)
    var frames: [Data] = []
    for try await frame in reader.frames { frames.append(Self.bytes(of: frame)) }
    #expect(frames == video.frames)
  }

  @Test func pictures() throws {
    let reader = try VideoReader(contentsOf: Self.path("odd"))
    let frame = try #require(try reader.next())
    #expect(frame.time == .zero)
    let direct = try ImageView.withView(
      of: Self.bytes(of: frame).span.bytes, width: 35, height: 21, frame: .i420
    ) { try $0.image(format: .rgb) }
    #expect(try frame.image() == direct)
    let time = try #require(try reader.next()?.time)
    #expect(abs(time / .seconds(1) - 1001.0 / 30000) < 1e-9)
    let gray = try #require(try VideoReader(contentsOf: Self.path("gray")).next())
    #expect(try gray.image(format: .gray).pixels == [UInt8](Self.bytes(of: gray)))
  }

  /// A frame that is released gives its memory to the next one.
  @Test func memoryIsUsedAgain() throws {
    let pool = try VideoFramePool(VideoFormat(width: 64, height: 48, frame: .nv12))
    func address(_ frame: VideoFrame) -> Int {
      frame.withBytes { $0.withUnsafeBytes { Int(bitPattern: $0.baseAddress) } }
    }
    var first: VideoFrame? = try pool.frame(index: 0) { $0.storeBytes(of: 7, as: UInt8.self) }
    let place = try address(#require(first))
    let second = try pool.frame(index: 1) { _ in }
    #expect(address(second) != place)
    first = nil
    let third = try pool.frame(index: 2) { _ in }
    #expect(address(third) == place)
    #expect(third.withBytes { $0.byteCount } == 64 * 48 * 3 / 2)
    struct Failure: Error {}
    #expect(throws: Failure.self) { _ = try pool.frame(index: 3) { _ in throw Failure() } }
  }

  // MARK: What is refused

  @Test(arguments: refused)
  func otherColors(_ name: String) throws {
    let word = try #require(Self.videos[name]?.refused)
    let error = #expect(throws: ImageError.self) { try VideoReader(contentsOf: Self.path(name)) }
    #expect(error?.kind == .unsupported)
    #expect(error?.received == word)
    #expect(error?.path == Self.path(name))
  }

  @Test func hostileHeaders() throws {
    for (header, kind) in [
      ("", .truncated), ("YUV", .truncated), ("YUV4MPEG2 W8 H8", .truncated),
      ("RIFF\n", .unknownFormat), ("YUV4MPEG3 W8 H8\n", .unknownFormat),
      ("\n", .unknownFormat), ("YUV4MPEG2\n", .damaged),
      ("YUV4MPEG2 \n", .damaged), ("YUV4MPEG2 W8\n", .damaged), ("YUV4MPEG2 W8 H\n", .damaged),
      ("YUV4MPEG2 W-8 H8\n", .damaged), ("YUV4MPEG2 W+8 H8\n", .damaged),
      ("YUV4MPEG2 W0 H8\n", .invalidArgument),
      ("YUV4MPEG2 W99999999999999999999999 H8\n", .tooLarge),
      ("YUV4MPEG2 W9223372036854775807 H9223372036854775807\n", .tooLarge),
      ("YUV4MPEG2 W1048577 H1\n", .tooLarge), ("YUV4MPEG2 W8193 H8193\n", .tooLarge),
      ("YUV4MPEG2 W8 H8 F\n", .damaged), ("YUV4MPEG2 W8 H8 F1\n", .damaged),
      ("YUV4MPEG2 W8 H8 F0:1\n", .damaged), ("YUV4MPEG2 W8 H8 F1:0\n", .damaged),
      ("YUV4MPEG2 W8 H8 F-1:1\n", .damaged),
      ("YUV4MPEG2 W8 H8 It\n", .unsupported), ("YUV4MPEG2 W8 H8 Ib\n", .unsupported),
      ("YUV4MPEG2 W8 H8 Im\n", .unsupported), ("YUV4MPEG2 W8 H8 I\n", .unsupported),
      ("YUV4MPEG2 W8 H8 C420p10\n", .unsupported), ("YUV4MPEG2 W8 H8 C\n", .unsupported),
      ("YUV4MPEG2 W8 H8 C444alpha\n", .unsupported),
      ("YUV4MPEG2 W8 H8 X\(String(repeating: "x", count: 5000))\n", .damaged),
      ("YUV4MPEG2 W8192 H8192\nFRAME\n", .truncated),
    ] as [(String, ImageErrorKind)] {
      let error = #expect(throws: ImageError.self, "\(header.prefix(60))") {
        try VideoReader(bytes: Array(header.utf8))
      }
      #expect(error?.kind == kind, "\(header.prefix(60)): \(String(describing: error))")
    }
    // What a header may have: no rate, unknown frames, an aspect, other words.
    let good = try VideoReader(
      bytes: Array("YUV4MPEG2 H3 W2 F0:0 I? A1:1 XANY C420paldv  \n".utf8))
    #expect(good.format == VideoFormat(width: 2, height: 3, frame: .i420))
    #expect(try good.next() == nil)
  }

  @Test func damagedFrames() throws {
    let header = Array("YUV4MPEG2 W2 H1 Cmono\n".utf8)
    func error(_ rest: [UInt8]) throws -> ImageError? {
      let reader = try VideoReader(bytes: header + rest)
      let error = #expect(throws: ImageError.self) { while try reader.next() != nil {} }
      #expect(try reader.next() == nil)
      return error
    }
    #expect(try error(Array("GRAME\n12".utf8))?.kind == .damaged)
    #expect(try error(Array("FRAMES\n12".utf8))?.kind == .damaged)
    #expect(try error(Array("FRA\nME12".utf8))?.kind == .damaged)
    #expect(try error(Array("FRAME\n12FRAME\n3".utf8))?.kind == .truncated)
    #expect(try error(Array("FRAME\n12FRAME".utf8))?.kind == .truncated)
    #expect(try error(Array("FRAME\n12\n".utf8))?.kind == .damaged)
    #expect(
      try error(Array("FRAME X\(String(repeating: "x", count: 5000))\n12".utf8))?.kind == .damaged)
    // Words behind FRAME do not matter.
    let reader = try VideoReader(bytes: header + Array("FRAME Ip Xa\n12FRAME\n34".utf8))
    #expect(try Self.all(reader) == [Data("12".utf8), Data("34".utf8)])
  }

  /// Each beginning of a file gives its whole frames, and an error or the end.
  @Test(arguments: ["one_pixel", "odd_columns"])
  func everyBeginning(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let frames = try #require(Self.videos[name]?.frames)
    for count in 0..<bytes.count {
      var found: [Data] = []
      do {
        let reader = try VideoReader(bytes: Array(bytes.prefix(count)))
        while let frame = try reader.next() { found.append(Self.bytes(of: frame)) }
      } catch {
        #expect(error.kind == .truncated, "\(count): \(error)")
      }
      #expect(found.count < frames.count)
      #expect(found == Array(frames.prefix(found.count)))
    }
  }

  @Test func rawFormatsAndFiles() throws {
    for format in [
      VideoFormat(width: 0, height: 1, pixels: .rgb),
      VideoFormat(width: 1, height: 1, pixels: .rgb, framesPerSecond: 0),
      VideoFormat(width: 1, height: 1, pixels: .rgb, framesPerSecond: .nan),
      VideoFormat(width: .max, height: .max, frame: .yuyv),
    ] {
      #expect(throws: ImageError.self) { try VideoReader(rawBytes: [1, 2, 3], format: format) }
      #expect(throws: ImageError.self) { try VideoFramePool(format) }
      _ = format.frameBytes
    }
    let format = VideoFormat(width: 1, height: 1, pixels: .rgb)
    let cut = try VideoReader(rawBytes: [1, 2, 3, 4], format: format)
    #expect(try cut.next()?.image().pixels == [1, 2, 3])
    #expect(throws: ImageError.self) { try cut.next() }
    #expect(throws: ImageError.self) { try VideoReader(rawBytes: [1, 2], format: format) }
    #expect(try VideoReader(rawBytes: [], format: format).next() == nil)
    let missing = #expect(throws: ImageError.self) { try VideoReader(contentsOf: "none.y4m") }
    #expect(missing?.kind == .fileMissing)
    #expect(missing?.path == "none.y4m")
    #expect(throws: ImageError.self) { try VideoReader(raw: "/", format: format) }
    let closed = #expect(throws: ImageError.self) { try VideoReader(descriptor: -1) }
    #expect(closed?.kind == .unreadable)
  }

  @Test func limits() throws {
    let error = #expect(throws: ImageError.self) {
      try VideoReader(
        contentsOf: Self.path("odd"), limits: ImageLimits(maximumPixels: 35 * 21 - 1))
    }
    #expect(error?.kind == .tooLarge)
    _ = try VideoReader(contentsOf: Self.path("odd"), limits: ImageLimits(maximumPixels: 35 * 21))
  }
}
