import Forge
import ForgeTestSupport
import Foundation
import Testing

/// The limit of a cache, and its files.
@Suite struct CacheSizeTests {
  private func network(_ cache: CompileCache, seed: UInt64) throws -> CompiledModel {
    let input = Input(shape: [19], name: "x")
    return try Model(input: input, output: input --> Dense(neurons: 23, name: "fc"))
      .compile(parameters: SeededParameters(seed: seed), options: CompileOptions(cache: cache))
  }

  private func setUse(_ path: String, _ seconds: Int) {
    var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  @Test func theLeastRecentlyUsedGoesFirst() throws {
    try CacheFixture.with { fixture in
      for seed in 0..<4 { _ = try network(fixture.cache, seed: UInt64(seed)) }
      let size = try #require(fixture.cache.entries().first?.byteCount)
      let order = fixture.networks
      #expect(order.count == 4)
      for (index, path) in order.enumerated() { setUse(path, 1_000_000 + index) }
      #expect(try fixture.cache.entries().map(\.path) == order)
      // The oldest is used, so that the second goes first.
      let seeds = try (0..<4).map { seed in
        let network = try network(fixture.cache, seed: UInt64(seed))
        guard case .cached(let path) = network.report.cache else { return "" }
        return path
      }
      for (index, path) in order.enumerated() { setUse(path, 1_000_000 + index) }
      let oldest = try #require(seeds.firstIndex(of: order[0]))
      _ = try network(fixture.cache, seed: UInt64(oldest))
      let removed = try fixture.cache.prune(to: 2 * size)
      #expect(removed.map(\.path) == [order[1], order[2]])
      #expect(fixture.networks == [order[0], order[3]])
      // A compile that stores keeps within the limit, and keeps what it has stored.
      let small = CompileCache(directory: fixture.path, sizeLimit: size)
      let fresh = try network(small, seed: 77)
      guard case .stored(let path, nil) = fresh.report.cache else {
        Issue.record("\(fresh.cacheText)")
        return
      }
      #expect(fixture.networks == [path])
    }
  }

  @Test func loadedNetworksOutliveTheirFiles() throws {
    try CacheFixture.with { fixture in
      let values = seededValues(count: 19, seed: 2)
      let expected = try network(fixture.cache, seed: 1).predict(values).bits
      let loaded = try network(fixture.cache, seed: 1)
      #expect(loaded.isCached)
      #expect(try fixture.cache.prune(to: 0).count == 1)
      #expect(fixture.networks.isEmpty)
      #expect(try loaded.predict(values).bits == expected)
      #expect(try loaded.predict(values).bits == expected)
    }
  }

  @Test func whatExceedsTheLimitIsNotStored() throws {
    for limit in [0, -1, 100, Int.min] {
      try CacheFixture.with { fixture in
        let cache = CompileCache(directory: fixture.path, sizeLimit: limit)
        let text = try network(cache, seed: 1).cacheText
        #expect(text.contains("exceed"), "\(text)")
        #expect(fixture.networks.isEmpty)
      }
    }
  }

  @Test func otherFilesStay() throws {
    try CacheFixture.with { fixture in
      _ = try network(fixture.cache, seed: 1)
      let name = try #require(fixture.networks.first)
      let others = ["notes.txt", "x.forge", ".forge", String(repeating: "g", count: 64) + ".forge"]
      for other in others {
        try Data([1, 2]).write(to: URL(fileURLWithPath: fixture.path + "/" + other))
      }
      // What a process left that ended while it wrote, long ago and just now.
      let (old, new) = (name + ".abc", name + ".def")
      for path in [old, new] { try Data([1]).write(to: URL(fileURLWithPath: path)) }
      setUse(old, 1_000_000)
      #expect(try fixture.cache.entries().map(\.path) == [name])
      #expect(Set(try fixture.cache.prune(to: 0).map(\.path)) == [old, name])
      #expect(Set(fixture.files) == Set(others.map { fixture.path + "/" + $0 } + [new]))
    }
  }

  @Test func unusableEntriesAreNamed() throws {
    try CacheFixture.with { fixture in
      #expect(try fixture.cache.entries().isEmpty)
      #expect(try fixture.cache.unusableEntries().isEmpty)
      for seed in 0..<3 { _ = try network(fixture.cache, seed: UInt64(seed)) }
      #expect(try fixture.cache.unusableEntries().isEmpty)
      let paths = fixture.networks
      var bytes = try Data(contentsOf: URL(fileURLWithPath: paths[0]))
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: URL(fileURLWithPath: paths[0]))
      try FileManager.default.removeItem(atPath: paths[1])
      try FileManager.default.copyItem(atPath: paths[2], toPath: paths[1])
      let found = try fixture.cache.unusableEntries()
      #expect(found.map(\.entry.path).sorted() == [paths[0], paths[1]])
      #expect(Set(found.map(\.reason)) == ["it is damaged", "it holds a different network"])
      #expect(found.allSatisfy { $0.entry.kind == .network })
    }
    for path in ["/dev/null", "/no/such/folder"] {
      #expect(try CompileCache(directory: path).entries().isEmpty)
    }
  }
}
