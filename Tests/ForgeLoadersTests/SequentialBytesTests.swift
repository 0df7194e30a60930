import ForgeLoaders
import Foundation
import Testing

/// Bytes in order from a file, from memory and from pipes, with and without O_NONBLOCK.
@Suite struct SequentialBytesTests {
  static let content = (0..<200_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  enum Kind: CaseIterable { case file, memory, pipe, nonBlockingPipe }

  /// Runs `body` with the content; a pipe gets it in parts, the first one late.
  private static func reading(
    _ kind: Kind, _ body: (inout SequentialBytes) throws -> Void
  ) throws {
    switch kind {
    case .file:
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        UUID().uuidString)
      try Data(content).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      var bytes = try SequentialBytes(path: file.path)
      try body(&bytes)
    case .memory:
      var bytes = SequentialBytes(content)
      try body(&bytes)
    case .pipe, .nonBlockingPipe:
      let pipe = Pipe()
      let descriptor = pipe.fileHandleForReading.fileDescriptor
      if kind == .nonBlockingPipe {
        #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
      }
      let writer = Thread {
        Thread.sleep(forTimeInterval: 0.02)
        for start in stride(from: 0, to: content.count, by: 70_001) {
          let part = content[start..<min(start + 70_001, content.count)]
          try? pipe.fileHandleForWriting.write(contentsOf: Data(part))
        }
        try? pipe.fileHandleForWriting.close()
      }
      writer.start()
      var bytes = SequentialBytes(descriptor: descriptor)
      try body(&bytes)
    }
  }

  @Test(arguments: Kind.allCases)
  func parts(_ kind: Kind) throws {
    let isPipe = kind == .pipe || kind == .nonBlockingPipe
    try Self.reading(kind) { bytes in
      #expect(bytes.remaining == (isPipe ? nil : 200_001))
      #expect(try bytes.read(0).isEmpty)
      #expect(try bytes.read(7) == Array(Self.content[..<7]))
      #expect(try bytes.peek(at: 3, 4) == (isPipe ? nil : Array(Self.content[10..<14])))
      #expect(try bytes.peek(at: -1, 4) == nil)
      #expect(try bytes.peek(at: 200_000, 4) == nil)
      #expect(try bytes.skip(93))
      #expect(bytes.position == 100)
      // More than a part that is allocated at once.
      #expect(try bytes.read(150_000) == Array(Self.content[100..<150_100]))
      var memory = [UInt8](repeating: 0, count: 40_000)
      let found = try memory.withUnsafeMutableBytes { try bytes.fill($0) }
      #expect(found == 40_000)
      #expect(memory == Array(Self.content[150_100..<190_100]))
      #expect(try bytes.read(Int.max) == Array(Self.content[190_100...]))
      #expect(bytes.remaining == (isPipe ? nil : 0))
      #expect(try bytes.read(5).isEmpty)
      #expect(try memory.withUnsafeMutableBytes { try bytes.read(into: $0) } == 0)
      #expect(try !bytes.skip(1))
    }
  }

  @Test func errors() throws {
    let missing = #expect(throws: LoadError.self) { try SequentialBytes(path: "none.wav") }
    #expect(missing?.kind == .fileMissing)
    let folder = #expect(throws: LoadError.self) { try SequentialBytes(path: "/") }
    #expect(folder?.kind == .notARegularFile)
    var closed = SequentialBytes(descriptor: -1)
    let error = #expect(throws: LoadError.self) { try closed.read(1) }
    #expect(
      error?.description == """
        the stream cannot be read
          received  a descriptor that is not open for reading
        """)
  }
}
