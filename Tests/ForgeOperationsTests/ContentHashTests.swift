import ForgeSystem
import Testing

/// Hashes against Python's hashlib; Scripts/references/content_hashes.py prints the numbers.
@Suite struct ContentHashTests {
  private static let expected: [Int: String] = [
    0: "81e47a19e6b29b0a65b9591762ce5143ed30d0261e5d24a3201752506b20f15c",
    1: "b9da8f5b3cb98f1f12d25b311474a3e5c841fce2520c9f3d244b03fa90a29d16",
    127: "0083cd0f19d766ca539ef478a3b5c336595b92bf3c37f4c1163053f9d9cbcc2b",
    128: "84dd0f86718d58ae7684bcfbc87ec17e0c1624eb569cc2d9422f4de5bb638aab",
    129: "830ef7a778ad555565c81ba116ef568e21f33802c55bb72823928095fcde5271",
    1000: "a45f20d42de43f239bb2c779cd9afa1cf6efc99cf9b683b8504bd5a751fa8a3e",
    1 << 20: "4a2925f20653e383c67f0b03f31d9059ff86159596ff451e745954aaf8b58654",
    (1 << 20) + 1: "bd61b5acb69b182a5261dd101a82e198d202215c53ce219368c2dba7d705a457",
    3_000_003: "0f6f4706a97044a1c429e613bf2ff64f00e6dff70933d36e345a99081f8596d1",
  ]

  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
  }

  @Test(arguments: expected.keys.sorted())
  func hashesAreThoseOfPython(_ count: Int) {
    for threads in [1, 3] {
      let hash = Self.bytes(count).withUnsafeBytes { ContentHash(of: $0, threads: threads) }
      #expect(hash.hex == Self.expected[count])
    }
  }

  @Test func everyByteCounts() {
    var bytes = Self.bytes(300)
    var hashes: Set<ContentHash> = []
    hashes.insert(bytes.withUnsafeBytes { ContentHash(of: $0) })
    for index in bytes.indices {
      bytes[index] ^= 0x80
      hashes.insert(bytes.withUnsafeBytes { ContentHash(of: $0) })
      bytes[index] ^= 0x80
    }
    #expect(hashes.count == 301)
  }
}
