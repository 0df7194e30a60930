import ForgeOperations
import ForgeSystem
import Testing

/// Facts of compiled files: what is read is what was written, and nothing is read beyond the end.
@Suite struct StoredValueTests {
  private func reader(_ bytes: [UInt8]) throws -> StoredReader {
    let owner = try StoredBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
    return StoredReader(facts: owner.bytes, memories: [], owner: owner)
  }

  private func roundTrip<Value: StoredValue & Equatable>(_ value: Value) throws {
    var writer = StoredWriter()
    writer.write(value)
    var reader = try reader(writer.facts)
    #expect(try reader.read(Value.self) == value)
    #expect(reader.remaining == 0)
    // A cut anywhere is an error.
    for count in 0..<writer.facts.count {
      var short = try self.reader(Array(writer.facts.prefix(count)))
      #expect(throws: StoredMisfit.self) { try short.read(Value.self) }
    }
  }

  @Test func values() throws {
    try roundTrip(Int.min)
    try roundTrip(UInt32.max)
    try roundTrip(true)
    try roundTrip("naïve 網\0")
    try roundTrip(["", "b"])
    try roundTrip([[1, -2], [], [3]])
    try roundTrip(Optional<Int>.none)
    try roundTrip(Optional(["a"]))
    try roundTrip(["b": 2, "a": 1])
    try roundTrip(StateLayout(sizes: [3, 4], isInPlace: true))
  }

  @Test func countsBeyondTheEndAllocateNothing() throws {
    for count in [Int.max, -1, 1 << 40] {
      var writer = StoredWriter()
      writer.write(count)
      var reader = try reader(writer.facts)
      #expect(throws: StoredMisfit.damaged) { try reader.read([UInt8].self) }
      reader = try self.reader(writer.facts)
      #expect(throws: StoredMisfit.damaged) { try reader.read(String.self) }
    }
    var reader = try reader([2])
    #expect(throws: StoredMisfit.damaged) { try reader.read(Bool.self) }
  }

  /// The digest of altered, exchanged, cut or longer bytes is another, for any number of threads.
  @Test(arguments: [0, 1, 63, 64, 65, 4096, (1 << 20) - 1, 1 << 20, (3 << 20) + 17])
  func digests(_ count: Int) {
    var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    func digest(_ threads: Int = 1) -> ContentDigest {
      bytes.withUnsafeBytes { ContentDigest(of: $0, threads: threads) }
    }
    let original = digest()
    for threads in [2, 3, 7] { #expect(digest(threads) == original) }
    for index in [0, 1, 7, 8, 63, 64, count / 2, count - 1] where bytes.indices.contains(index) {
      bytes[index] ^= 0x10
      #expect(digest() != original)
      bytes[index] ^= 0x10
    }
    bytes.append(0)
    #expect(digest() != original)
    bytes.removeLast()
    if count > 128, bytes[0] != bytes[64] {
      bytes.swapAt(0, 64)
      #expect(digest() != original)
    }
  }
}
