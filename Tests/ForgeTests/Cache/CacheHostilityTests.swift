import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Files of a cache that are damaged, foreign or no files: the network is compiled, the file is
/// replaced, and no answer is wrong.
@Suite struct CacheHostilityTests {
  private static let expected: [Float] = [8.5, 26.5]

  /// A network of weights and biases with a small entry.
  private func network(_ options: CompileOptions, bias: Float = 0.5) throws -> CompiledModel {
    let input = Input(shape: [3], name: "x")
    let model = Model(input: input, output: input --> Dense(neurons: 2, name: "fc"))
    return try model.compile(options: options) { _, count, type in
      ParameterValues(
        type == .weights ? (0..<count).map { Float($0) } : Array(repeating: bias, count: count))
    }
  }

  /// Checks that the entry cannot be used, is replaced, and is found afterwards.
  private func checkReplaced(_ fixture: CacheFixture, _ what: String) throws {
    let network = try network(fixture.options)
    #expect(network.cacheText.hasPrefix("replaced: "), "\(what): \(network.cacheText)")
    #expect(try network.predict([1, 2, 3]) == Self.expected, "\(what)")
    let again = try self.network(fixture.options)
    #expect(again.isCached, "\(what): \(again.cacheText)")
    #expect(try again.predict([1, 2, 3]) == Self.expected, "\(what)")
  }

  @Test func alteredBytes() throws {
    try CacheFixture.with { fixture in
      _ = try network(fixture.options)
      let path = try #require(fixture.networks.first)
      let url = URL(fileURLWithPath: path)
      let whole = try Data(contentsOf: url)
      // The header and the start of the facts byte by byte, then all kinds of facts and memory.
      let places = Array(0..<160) + Array(stride(from: 160, to: whole.count, by: 3))
      for index in places where index < whole.count {
        var altered = whole
        altered[index] ^= UInt8(1 << (index % 8))
        try altered.write(to: url)
        try checkReplaced(fixture, "byte \(index)")
      }
      #expect(try Data(contentsOf: url) == whole)
    }
  }

  @Test func everyLength() throws {
    try CacheFixture.with { fixture in
      _ = try network(fixture.options)
      let path = try #require(fixture.networks.first)
      let url = URL(fileURLWithPath: path)
      let whole = try Data(contentsOf: url)
      for count in 0..<whole.count {
        try whole.prefix(count).write(to: url)
        let network = try network(fixture.options)
        #expect(network.cacheText.hasPrefix("replaced: "), "\(count): \(network.cacheText)")
        #expect(try network.predict([1, 2, 3]) == Self.expected)
      }
      try (whole + [0]).write(to: url)
      try checkReplaced(fixture, "a byte too many")
    }
  }

  @Test func foreignFiles() throws {
    try CacheFixture.with { fixture in
      _ = try network(fixture.options)
      let path = try #require(fixture.networks.first)
      let manager = FileManager.default
      // The whole entry of another network under this name.
      let other = CacheFixture()
      defer { try? manager.removeItem(atPath: other.path) }
      _ = try network(other.options, bias: 7)
      try manager.removeItem(atPath: path)
      try manager.copyItem(atPath: try #require(other.networks.first), toPath: path)
      try checkReplaced(fixture, "another network")
      // A compiled file that states no key.
      try manager.removeItem(atPath: path)
      try network(CompileOptions(), bias: 7).write(to: path)
      try checkReplaced(fixture, "a compiled file")
      for content in ["", "x", "FORGEnet", String(repeating: "FORGEnet", count: 999)] {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        try checkReplaced(fixture, "text of \(content.count) bytes")
      }
      // Links, also to a good entry elsewhere, which is left alone.
      for target in [other.networks[0], "/dev/zero", path, "/no/such/file", "/"] {
        try? manager.removeItem(atPath: path)
        try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
        try checkReplaced(fixture, "a link to \(target)")
        let type = try manager.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        #expect(type == .typeRegular)
      }
      #expect(try network(other.options, bias: 7).isCached)
      try manager.removeItem(atPath: path)
      #expect(mkfifo(path, 0o600) == 0)
      try checkReplaced(fixture, "a pipe")
      try manager.removeItem(atPath: path)
      try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
      try checkReplaced(fixture, "a folder")
      // A folder with files stays, as it may be somebody's.
      try manager.removeItem(atPath: path)
      try manager.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
      let network = try network(fixture.options)
      #expect(!network.isCached && network.report.cache != nil)
      #expect(try network.predict([1, 2, 3]) == Self.expected)
      #expect(manager.fileExists(atPath: path + "/inside"))
    }
  }

  @Test func anUnreadableEntryAndAnEntryOfAnotherUser() throws {
    try CacheFixture.with { fixture in
      _ = try network(fixture.options)
      let path = try #require(fixture.networks.first)
      if geteuid() != 0 {
        #expect(chmod(path, 0) == 0)
      } else {
        #expect(chown(path, 12_345, 12_345) == 0)
      }
      try checkReplaced(fixture, "an entry that is not the user's")
    }
  }

  /// Folders that cannot be one: the network is compiled, and the report says why.
  @Test func foldersThatCannotBe() throws {
    try CacheFixture.with { fixture in
      try FileManager.default.createDirectory(
        atPath: fixture.path, withIntermediateDirectories: false)
      let file = fixture.path + "/file"
      try Data([1]).write(to: URL(fileURLWithPath: file))
      var folders = ["", "a\0b", file, file + "/below", "/dev/null", "/proc/none", "/proc/self/fd"]
      if geteuid() != 0 {
        #expect(chmod(fixture.path, 0o500) == 0)
        folders.append(fixture.path)
      }
      for folder in folders {
        let options = CompileOptions(cache: CompileCache(directory: folder))
        for _ in 0..<2 {
          let network = try network(options)
          guard case .notStored(let reason) = network.report.cache else {
            Issue.record("\(folder.debugDescription): \(network.cacheText)")
            continue
          }
          #expect(!reason.isEmpty)
          #expect(try network.predict([1, 2, 3]) == Self.expected)
        }
      }
      _ = chmod(fixture.path, 0o700)
      let deep = CompileCache(directory: fixture.path + "/a/b/c")
      #expect(try network(CompileOptions(cache: deep)).cacheText == "stored")
      #expect(try network(CompileOptions(cache: deep)).isCached)
    }
  }

  /// Values that differ from one reading to the next are never stored under a key of others.
  @Test func parametersThatChangeMeanwhile() throws {
    final class Restless: ParameterData {
      nonisolated(unsafe) var reads: Float = 0
      let count: Int
      let origin = "restless"
      init(_ count: Int) { self.count = count }
      func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        reads += 1
        try Array(repeating: reads, count: count).withUnsafeBytes(body)
      }
    }
    try CacheFixture.with { fixture in
      let input = Input(shape: [3], name: "x")
      let model = Model(input: input, output: input --> Dense(neurons: 2, name: "fc"))
      for _ in 0..<2 {
        let network = try model.compile(options: fixture.options) { _, count, _ in
          Restless(count)
        }
        #expect(network.cacheText == "a parameter has changed since")
      }
      #expect(fixture.networks.isEmpty)
    }
  }

  /// Threads that compile, prune and damage at once: every answer is right.
  @Test func manyAtOnce() async throws {
    let fixture = CacheFixture()
    defer { try? FileManager.default.removeItem(atPath: fixture.path) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          for round in 0..<25 {
            let bias = Float((worker + round) % 4)
            let network = try self.network(fixture.options, bias: bias)
            #expect(try network.predict([1, 2, 3]) == [8 + bias, 26 + bias])
            #expect(network.isCached || network.report.cache != nil)
          }
        }
      }
      for pruner in 0..<2 {
        group.addTask {
          for round in 0..<60 {
            if pruner == 0 {
              try fixture.cache.prune(to: round % 3 == 0 ? 0 : 6000)
            } else if let path = fixture.networks.randomElement() {
              // As another program would: a whole file of other bytes takes the place.
              try? Data(repeating: UInt8(round), count: 3000)
                .write(to: URL(fileURLWithPath: path), options: .atomic)
            }
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    // Nothing that was being written is left.
    #expect(fixture.files.allSatisfy { $0.hasSuffix(".forge") || $0.hasSuffix(".hashes") })
  }
}
