import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Entries whose digest was checked: it is not computed again until the file changes.
@Suite struct CheckedEntryTests {
  private func network(_ cache: CompileCache, seed: UInt64) throws -> CompiledModel {
    let input = Input(shape: [19], name: "x")
    return try Model(input: input, output: input --> Dense(neurons: 23, name: "fc"))
      .compile(parameters: SeededParameters(seed: seed), options: CompileOptions(cache: cache))
  }

  private func lastWrite(_ path: String) throws -> timespec {
    var info = stat()
    #expect(stat(path, &info) == 0)
    return info.st_mtim
  }

  private func setTimes(_ path: String, _ time: timespec) {
    var times = [time, time]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  /// Waits until the clock of the file system, which advances in steps, has another time.
  private func awaitNextTime() { usleep(20_000) }

  private func hashes(_ fixture: CacheFixture) -> [String] {
    fixture.files.filter { $0.hasSuffix(".hashes") }
  }

  /// Every altered byte is found in spite of times that were set back.
  @Test func changesAreSeen() throws {
    try CacheFixture.with { fixture in
      let values = seededValues(count: 19, seed: 2)
      let expected = try network(fixture.cache, seed: 1).predict(values).bits
      let path = try #require(fixture.networks.first)
      #expect(try network(fixture.cache, seed: 1).isCached && hashes(fixture).isEmpty)
      usleep(4_500_000)
      let time = try lastWrite(path)
      for _ in 0..<3 {
        let found = try network(fixture.cache, seed: 1)
        #expect(found.isCached)
        #expect(try found.predict(values).bits == expected)
        #expect(hashes(fixture).count == 1)
        // The file itself is not touched, which would be a change.
        #expect(try lastWrite(path).tv_nsec == time.tv_nsec)
      }
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      for index in [8, 33, 47, 60, whole.count / 2, whole.count - 1] {
        let handle = try #require(fopen(path, "r+"))
        fseek(handle, index, SEEK_SET)
        fputc(Int32(whole[index] ^ 4), handle)
        fclose(handle)
        setTimes(path, time)
        let network = try network(fixture.cache, seed: 1)
        #expect(network.cacheText.hasPrefix("replaced: "), "\(index): \(network.cacheText)")
        #expect(try network.predict(values).bits == expected)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
      }
      // Another file of the same size and time takes the place of a checked one.
      usleep(4_500_000)
      let known = hashes(fixture)
      #expect(try network(fixture.cache, seed: 1).isCached)
      let fresh = try #require(hashes(fixture).first { !known.contains($0) })
      _ = try network(fixture.cache, seed: 2)
      let other = try #require(fixture.networks.first { $0 != path })
      let replaced = try lastWrite(path)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: other, toPath: path)
      setTimes(path, replaced)
      #expect(
        try network(fixture.cache, seed: 1).cacheText == "replaced: it holds a different network")
      // Damaged hashes are not used, and learned again.
      let bytes = try Data(contentsOf: URL(fileURLWithPath: fresh))
      try bytes.dropLast().write(to: URL(fileURLWithPath: fresh))
      #expect(try fixture.cache.unusableEntries().map(\.entry.path) == [fresh])
    }
  }

  /// The use of a checked entry is that of its hashes, and both go together.
  @Test func usesAreSeen() throws {
    try CacheFixture.with { fixture in
      for seed in 1...3 { _ = try network(fixture.cache, seed: UInt64(seed)) }
      usleep(4_500_000)
      let paths = try (1...3).map { seed in
        awaitNextTime()
        let network = try network(fixture.cache, seed: UInt64(seed))
        guard case .cached(let path) = network.report.cache else { return "" }
        return path
      }
      #expect(hashes(fixture).count == 3)
      awaitNextTime()
      _ = try network(fixture.cache, seed: 1)
      let order = try fixture.cache.entries().filter { $0.kind == .network }
      #expect(order.map(\.path) == [paths[1], paths[2], paths[0]])
      let size = try #require(order.first?.byteCount)
      let removed = try fixture.cache.prune(to: 2 * size)
      #expect(removed.filter { $0.kind == .network }.map(\.path) == [paths[1], paths[2]])
      #expect(removed.filter { $0.kind == .hashes }.count == 2)
      #expect(fixture.networks == [paths[0]] && hashes(fixture).count == 1)
    }
  }
}
