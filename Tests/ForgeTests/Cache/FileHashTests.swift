import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Hashes of files of weights: remembered as long as the file has not changed, and never longer.
@Suite struct FileHashTests {
  private static let count = 128 * 160

  /// A network with the weights of one file.
  private func network(_ cache: CompileCache, _ file: String) throws -> CompiledModel {
    let input = Input(shape: [160], name: "x")
    let model = Model(input: input, output: input --> Dense(neurons: 128, name: "fc"))
    return try model.compile(options: CompileOptions(cache: cache)) { _, count, type in
      guard type == .weights else { return ParameterValues(Array(repeating: 0, count: count)) }
      return try ParameterFile(path: file, count: count)
    }
  }

  /// Calls a body with the folder of a cache and the path of a file in another folder.
  private static func withCacheAndFile(
    _ body: (_ fixture: CacheFixture, _ file: String) throws -> Void
  ) throws {
    try CacheFixture.with { fixture in
      try CacheFixture.with { folder in
        try FileManager.default.createDirectory(
          atPath: folder.path, withIntermediateDirectories: true)
        try body(fixture, folder.path + "/weights.bin")
      }
    }
  }

  private func write(_ value: Float, to path: String, old: Bool) throws {
    let values = (0..<Self.count).map { _ in value }
    // In place, so that the file stays the same one.
    let handle = fopen(path, "r+") ?? fopen(path, "w")
    try #require(handle != nil)
    values.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, handle) }
    fclose(handle)
    if old { setTimes(path) }
  }

  /// The time of the last write; that of the last change cannot be set.
  private func setTimes(_ path: String) {
    var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  private func hashes(_ fixture: CacheFixture) -> [String] {
    fixture.files.filter { $0.hasSuffix(".hashes") }
  }

  /// The number by which the file system knows a file.
  private func number(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
  }

  private func answer(_ network: CompiledModel) throws -> Float {
    let values = try network.predict(Array(repeating: 1, count: 160))
    #expect(Set(values).count == 1)
    return values[0]
  }

  /// A new file is never remembered; an old one is; a change with all times set back is seen.
  @Test func changesAreSeen() throws {
    try Self.withCacheAndFile { fixture, file in
      try write(1, to: file, old: true)
      #expect(try answer(network(fixture.cache, file)) == 160)
      #expect(hashes(fixture).isEmpty)
      // The time of a change advances with the clock.
      usleep(4_500_000)
      let found = try network(fixture.cache, file)
      #expect(found.isCached)
      // Those of the weights and of the network.
      #expect(hashes(fixture).count == 2)
      // What is remembered is not learned again: the file of hashes stays the same one.
      let known = try hashes(fixture).map(number)
      #expect(try network(fixture.cache, file).isCached)
      #expect(try hashes(fixture).map(number) == known)
      // The size and the time of the last write are as before.
      try write(2, to: file, old: true)
      let changed = try network(fixture.cache, file)
      #expect(!changed.isCached)
      #expect(try answer(changed) == 320)
      try write(1, to: file, old: true)
      let back = try network(fixture.cache, file)
      #expect(back.isCached)
      #expect(try answer(back) == 160)
    }
  }

  /// Damaged hashes are not used.
  @Test func damagedHashes() throws {
    try Self.withCacheAndFile { fixture, file in
      try write(1, to: file, old: false)
      usleep(4_500_000)
      _ = try network(fixture.cache, file)
      let path = try #require(hashes(fixture).first)
      let url = URL(fileURLWithPath: path)
      let whole = try Data(contentsOf: url)
      for index in whole.indices {
        var altered = whole
        altered[index] ^= UInt8(1 << (index % 8))
        try altered.write(to: url)
        #expect(try fixture.cache.unusableEntries().map(\.entry.kind) == [.hashes])
        let found = try network(fixture.cache, file)
        #expect(found.isCached)
        #expect(try answer(found) == 160)
        #expect(try Data(contentsOf: url) == whole)
      }
      for count in 0..<whole.count {
        try whole.prefix(count).write(to: url)
        #expect(try network(fixture.cache, file).isCached)
      }
      #expect(try fixture.cache.unusableEntries().isEmpty)
      // Of two files of the same bytes each has hashes, and both lead to one network.
      let other = file + ".copy"
      try FileManager.default.copyItem(atPath: file, toPath: other)
      #expect(try network(fixture.cache, other).isCached)
      #expect(fixture.networks.count == 1)
    }
  }
}
