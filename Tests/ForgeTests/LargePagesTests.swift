import Dispatch
import Forge
import ForgeSystem
import ForgeTestSupport
import Foundation
import Testing

/// Memory in pages of 2 MB: allocation, release and contents of ranges.
@Suite struct LargePagesTests {
  /// A region is as large as this unless one piece needs more.
  static let region = 32 << 20

  /// A piece, every byte of which holds its tag.
  struct Piece {
    let memory: UnsafeMutableRawBufferPointer
    let tag: UInt8

    var range: Range<Int> {
      let start = Int(bitPattern: memory.baseAddress)
      return start..<start + memory.count
    }

    /// Allocates and fills.
    init?(_ pages: LargePages, byteCount: Int, tag: UInt8) {
      guard let start = pages.allocate(byteCount: byteCount) else { return nil }
      memory = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
      memory.initializeMemory(as: UInt8.self, repeating: tag)
      self.tag = tag
    }

    var isIntact: Bool { memory.allSatisfy { $0 == tag } }
  }

  /// A number of bytes whose magnitude is as likely small as large.
  static func byteCount(_ random: inout SplitMix64, bits: Int) -> Int {
    let most = 1 << Int.random(in: 0...bits, using: &random)
    return Int.random(in: 1...most, using: &random)
  }

  @Test(arguments: [
    0, 1, 63, 64, 65, 4095, 4096, LargePages.leastBytes, LargePages.pageBytes - 1,
    LargePages.pageBytes, LargePages.pageBytes + 1, region - 64, region, region + 1,
    2 * region + 12_345,
  ])
  func allocationSizes(_ byteCount: Int) throws {
    let pages = LargePages()
    let piece = try #require(Piece(pages, byteCount: byteCount, tag: 0xa5))
    let next = try #require(Piece(pages, byteCount: 100, tag: 0x5a))
    for piece in [piece, next] { #expect(piece.range.lowerBound.isMultiple(of: 64)) }
    #expect(!piece.range.overlaps(next.range))
    #expect(piece.range.lowerBound != next.range.lowerBound)
    // A region begins at a page, or the system could not make it of large ones.
    #expect(piece.range.lowerBound.isMultiple(of: LargePages.pageBytes))
    #expect(piece.isIntact && next.isIntact)
    #expect(pages.usedBytes == max((byteCount + 63) / 64, 1) * 64 + 128)
    #expect(pages.reservedBytes.isMultiple(of: LargePages.pageBytes))
    pages.free(piece.memory)
    #expect(next.isIntact)
    pages.free(next.memory)
    #expect(pages.usedBytes == 0)
  }

  @Test func sizesExceedingMemory() {
    let pages = LargePages()
    for byteCount in [
      .max, .max - 1, .max - 63, .max - 64, .max - LargePages.pageBytes, .max / 2, 1 << 60, -1,
      -64, .min,
    ] as [Int] {
      #expect(pages.allocate(byteCount: byteCount) == nil, "\(byteCount)")
    }
    #expect(pages.reservedBytes == 0)
    // It goes on working, and takes back nothing that is not its own.
    let piece = Piece(pages, byteCount: 1000, tag: 7)
    #expect(piece?.isIntact == true)
    pages.free(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    let other = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)
    defer { other.deallocate() }
    pages.free(other)
    #expect(pages.usedBytes == 1024)
  }

  /// Thousands of pieces allocated and freed in random order, compared with a simple model.
  @Test(arguments: [UInt64(1), 2, 3])
  func allocationsDoNotOverlap(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pages = LargePages()
    var live: [Piece] = []
    var used = 0
    for round in 0..<4000 {
      let grows = used < 96 << 20 && Int.random(in: 0..<5, using: &random) < 3
      if grows || live.isEmpty {
        let count = Self.byteCount(&random, bits: round.isMultiple(of: 100) ? 26 : 20)
        let tag = UInt8(round % 251 + 1)
        let piece = try #require(Piece(pages, byteCount: count, tag: tag))
        #expect(piece.range.lowerBound.isMultiple(of: 64))
        let overlapped = live.first { $0.range.overlaps(piece.range) }
        #expect(overlapped == nil, "round \(round)")
        live.append(piece)
        used += (count + 63) / 64 * 64
      } else {
        let piece = live.remove(at: Int.random(in: live.indices, using: &random))
        #expect(piece.isIntact, "round \(round)")
        pages.free(piece.memory)
        used -= (piece.memory.count + 63) / 64 * 64
      }
      #expect(pages.usedBytes == used, "round \(round)")
    }
    for piece in live {
      #expect(piece.isIntact)
      pages.free(piece.memory)
    }
    #expect(pages.usedBytes == 0)
  }

  /// Pieces freed in any order coalesce into one range.
  @Test(arguments: [UInt64(4), 5, 6, 7])
  func freeRangesCoalesce(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pages = LargePages()
    var pieces: [Piece] = []
    while pages.reservedBytes <= Self.region {
      let count = Self.byteCount(&random, bits: 22)
      pieces.append(try #require(Piece(pages, byteCount: count, tag: UInt8(pieces.count % 256))))
    }
    let reserved = pages.reservedBytes
    pieces.shuffle(using: &random)
    while let piece = pieces.popLast() {
      #expect(piece.isIntact)
      pages.free(piece.memory)
    }
    #expect(pages.usedBytes == 0)
    // Each region as a whole, without another one.
    let wholes = try (0..<reserved / Self.region).map { index in
      try #require(Piece(pages, byteCount: Self.region, tag: UInt8(index + 1)))
    }
    #expect(pages.reservedBytes == reserved)
    #expect(wholes.allSatisfy { $0.isIntact })
    for whole in wholes { pages.free(whole.memory) }
  }

  /// Freed memory is reused, first fit.
  @Test func freeRangesAreReused() throws {
    let pages = LargePages()
    let pieces = try (0..<5).map { index in
      try #require(Piece(pages, byteCount: 1 << 20, tag: UInt8(index + 1)))
    }
    pages.free(pieces[1].memory)
    pages.free(pieces[3].memory)
    for (count, index) in [(1 << 20, 1), ((1 << 20) - 70, 3)] {
      let again = try #require(Piece(pages, byteCount: count, tag: 99))
      #expect(again.range.lowerBound == pieces[index].range.lowerBound)
    }
    #expect(pages.reservedBytes == Self.region)
    for index in [0, 2, 4] { #expect(pieces[index].isIntact) }
  }

  /// Unused pages return to the system: the next allocation holds zeros.
  @Test func freePagesAreReleased() throws {
    let pages = LargePages()
    let page = LargePages.pageBytes
    // Of five pages the first and the last are shared with others.
    let first = try #require(Piece(pages, byteCount: page / 2, tag: 1))
    let middle = try #require(Piece(pages, byteCount: 4 * page, tag: 2))
    let last = try #require(Piece(pages, byteCount: page / 2, tag: 3))
    pages.free(middle.memory)
    #expect(first.isIntact && last.isIntact)
    let again = try #require(pages.allocate(byteCount: 4 * page))
    #expect(again == middle.memory.baseAddress)
    let bytes = UnsafeRawBufferPointer(start: again, count: 4 * page)
    #expect(bytes[..<(page / 2)].allSatisfy { $0 == 2 })
    #expect(bytes[(page / 2)..<(page / 2 + 3 * page)].allSatisfy { $0 == 0 })
    #expect(bytes[(page / 2 + 3 * page)...].allSatisfy { $0 == 2 })
    // The pages that were shared go with the last that is in them.
    pages.free(first.memory)
    let start = try #require(pages.allocate(byteCount: page / 2))
    #expect(UnsafeRawBufferPointer(start: start, count: page / 2).allSatisfy { $0 == 1 })
    pages.free(UnsafeMutableRawBufferPointer(start: start, count: page / 2))
    pages.free(UnsafeMutableRawBufferPointer(start: again, count: 4 * page))
    pages.free(last.memory)
    let all = try #require(pages.allocate(byteCount: 5 * page))
    #expect(all == start)
    #expect(UnsafeRawBufferPointer(start: all, count: 5 * page).allSatisfy { $0 == 0 })
  }

  @Test func concurrentAllocation() {
    let pages = LargePages()
    let failures = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = SplitMix64(seed: UInt64(thread) + 20)
      var live: [Piece] = []
      for round in 0..<1500 {
        if live.count < 12, Bool.random(using: &random) {
          let count = Self.byteCount(&random, bits: 20)
          guard let piece = Piece(pages, byteCount: count, tag: UInt8(thread * 60 + round % 60))
          else {
            failures.withLock { $0 += 1 }
            continue
          }
          live.append(piece)
        } else if let piece = live.popLast() {
          if !piece.isIntact { failures.withLock { $0 += 1 } }
          pages.free(piece.memory)
        }
      }
      for piece in live {
        if !piece.isIntact { failures.withLock { $0 += 1 } }
        pages.free(piece.memory)
      }
    }
    #expect(failures.withLock { $0 } == 0)
    #expect(pages.usedBytes == 0)
  }

  @Test func smallAllocationsUseDefaultAllocator() throws {
    let pages = LargePages()
    let small = try AlignedMemory(byteCount: LargePages.leastBytes - 1, pages: pages) { _ in }
    #expect(pages.reservedBytes == 0)
    #expect(small.bytes.allSatisfy { $0 == 0 })
    do {
      let large = try AlignedMemory(byteCount: LargePages.leastBytes, pages: pages) { _ in }
      #expect(pages.usedBytes == LargePages.leastBytes)
      #expect(large.byteCount == LargePages.leastBytes)
    }
    #expect(pages.usedBytes == 0)
  }

  /// Reused memory is zeroed, unless it is initialized.
  @Test func reusedMemoryIsZeroed() throws {
    let pages = LargePages()
    let byteCount = LargePages.leastBytes + 100
    for round in 0..<3 {
      let memory = try AlignedMemory(byteCount: byteCount, pages: pages) { bytes in
        #expect(bytes.allSatisfy { $0 == 0 }, "round \(round)")
        bytes.initializeMemory(as: UInt8.self, repeating: 0xcc)
      }
      #expect(memory.bytes.count == byteCount)
      #expect(memory.bytes.allSatisfy { $0 == 0xcc })
    }
  }

  /// Memory outlives its page allocator, and is released when initialization fails.
  @Test func memoryRetainsItsPages() throws {
    weak var released: LargePages?
    do {
      let pages = LargePages()
      released = pages
      #expect(throws: Unfilled.self) {
        _ = try AlignedMemory(byteCount: 1 << 20, pages: pages) { _ throws(Unfilled) in
          throw Unfilled()
        }
      }
      #expect(pages.usedBytes == 0)
    }
    #expect(released == nil)
    var memory: AlignedMemory?
    do {
      let pages = LargePages()
      released = pages
      memory = try AlignedMemory(byteCount: 1 << 20, pages: pages) { bytes in
        bytes.initializeMemory(as: UInt8.self, repeating: 0x3d)
      }
    }
    #expect(released != nil)
    #expect(memory?.bytes.allSatisfy { $0 == 0x3d } == true)
    memory = nil
    #expect(released == nil)
  }

  /// Hundreds of consecutive models take no more address space than a few.
  @Test(.enabled(if: LargePagesTests.addressSpace() != nil, "there is no /proc/self/statm"))
  func parametersAreReleasedWithModel() throws {
    let before = try #require(Self.addressSpace())
    // More than 1 MB of weights each, in a region of 32 MB.
    let input = Input(width: 1, height: 1, channels: 700)
    let model = Model(input: input, output: input --> Dense(neurons: 512, name: "dense"))
    let rounds = 400
    for seed in 0..<rounds {
      let network = try model.compile(parameters: SeededParameters(seed: UInt64(seed)))
      #expect(network.memory.packedParameters >= 1 << 20)
    }
    let after = try #require(Self.addressSpace())
    // Other tests run beside this one and keep memory of theirs.
    #expect(after - before < rounds * Self.region / 2, "from \(before) to \(after)")
  }

  /// The bytes of this process's address space; `nil` where the system does not say.
  static func addressSpace() -> Int? {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return text?.split(separator: " ").first.flatMap { Int($0) }.map { $0 * Int(getpagesize()) }
  }
}

/// What filling memory may throw.
private struct Unfilled: Error {}
