import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Memory on systems where large pages come slowly: it is filled in small ones and moved later.
@Suite(.timeLimit(.minutes(2))) struct SlowPagesTests {
  typealias Piece = LargePagesTests.Piece

  /// Pieces of one to six pages.
  private func fill(_ pages: LargePages, count: Int = 12) throws -> [Piece] {
    try (0..<count).map { index in
      let byteCount = (index % 6 + 1) * LargePages.pageBytes - index * 100
      return try #require(Piece(pages, byteCount: byteCount, tag: UInt8(index + 1)))
    }
  }

  private func settle(_ pages: LargePages) {
    let patience = Date(timeIntervalSinceNow: 60)
    while !pages.isSettled, Date() < patience { Thread.sleep(forTimeInterval: 0.001) }
    #expect(pages.isSettled)
  }

  /// The bytes of pieces that lie in large pages; `nil` where the system does not say.
  private func largeBytes(_ pieces: [Piece]) -> Int? {
    guard let data = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() else {
      return nil
    }
    let text = String(decoding: data, as: UTF8.self)
    var isOurs = false
    var kilobytes = 0
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard let head = words.first else { continue }
      let bounds = head.split(separator: "-").compactMap { Int($0, radix: 16) }
      if bounds.count == 2, bounds[0] < bounds[1] {
        isOurs = pieces.contains { $0.range.overlaps(bounds[0]..<bounds[1]) }
      } else if isOurs, head == "AnonHugePages:", words.count > 1 {
        kilobytes += Int(words[1]) ?? 0
      }
    }
    return kilobytes << 10
  }

  @Test func pagesThatAreSlowEnough() throws {
    let pages = LargePages(slowPage: .seconds(1000))
    let pieces = try fill(pages)
    #expect(!pages.fillsSmallPages && pages.isSettled)
    pages.moveToLargePages(after: .milliseconds(0))
    #expect(pages.isSettled)
    #expect(pieces.allSatisfy { $0.isIntact })
  }

  @Test func slowPagesAreMoved() throws {
    let pages = LargePages(slowPage: .zero)
    let pieces = try fill(pages)
    guard pages.fillsSmallPages else {
      try Test.cancel("the system does not fill pages on request")
    }
    let before = largeBytes(pieces)
    // It does not wait.
    pages.moveToLargePages(after: .milliseconds(100))
    #expect(!pages.isSettled)
    settle(pages)
    #expect(pieces.allSatisfy { $0.isIntact })
    if let before, let after = largeBytes(pieces), after > before {
      // Those at the ends of regions are not in use as a whole, and the system may lack some.
      print("in large pages: \(before), then \(after) of \(pages.usedBytes) bytes")
      #expect(before <= 4 * LargePages.pageBytes, "\(before)")
    } else {
      print("not checked: the system does not put small pages together")
    }
    // What comes later is filled in small pages, too, and moved.
    let later = try fill(pages)
    pages.moveToLargePages(after: .milliseconds(0))
    settle(pages)
    #expect((pieces + later).allSatisfy { $0.isIntact })
  }

  @Test func memoryIsUsedWhileItMoves() throws {
    let pages = LargePages(slowPage: .zero)
    var pieces = try fill(pages, count: 24)
    pages.moveToLargePages(after: .milliseconds(0))
    var random = SplitMix64(seed: 8)
    for tag in 100..<200 {
      let piece = pieces.remove(at: Int.random(in: pieces.indices, using: &random))
      #expect(piece.isIntact)
      pages.free(piece.memory)
      let byteCount = Int.random(in: 1...4 * LargePages.pageBytes, using: &random)
      pieces.append(try #require(Piece(pages, byteCount: byteCount, tag: UInt8(tag))))
    }
    settle(pages)
    #expect(pieces.allSatisfy { $0.isIntact })
  }

  /// A page that nobody has written to cannot be moved; the others are.
  @Test func memoryThatIsNotWrittenYet() throws {
    let pages = LargePages(slowPage: .zero)
    var pieces = try fill(pages, count: 4)
    _ = pages.allocate(byteCount: 5 * LargePages.pageBytes)
    pieces += try fill(pages, count: 4)
    guard pages.fillsSmallPages, let before = largeBytes(pieces) else { return }
    pages.moveToLargePagesNow()
    #expect(pieces.allSatisfy { $0.isIntact })
    let last = try #require(pieces.last.map { [$0] })
    if let all = largeBytes(pieces), all > before { #expect(try #require(largeBytes(last)) > 0) }
  }

  @Test func memoryGoesWhileItMoves() throws {
    for pause in [0, 5] {
      weak var released: LargePages?
      do {
        let pages = LargePages(slowPage: .zero)
        released = pages
        _ = try fill(pages, count: 24)
        pages.moveToLargePages(after: .milliseconds(pause))
        Thread.sleep(forTimeInterval: 0.003)
      }
      let patience = Date(timeIntervalSinceNow: 60)
      while released != nil, Date() < patience { Thread.sleep(forTimeInterval: 0.001) }
      #expect(released == nil)
    }
  }
}
