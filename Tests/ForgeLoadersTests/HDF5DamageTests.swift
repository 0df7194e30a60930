import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Truncated and altered files give values or a typed error.
///
/// A crash ends the whole test run.
@Suite struct HDF5DamageTests {
  private static let files = [
    "keras2_model.h5", "keras2_weights.h5", "keras3.h5", "keras3.weights.h5", "storage.h5",
    "links.h5", "virtual.h5", "newest.h5", "user_block.h5",
  ]

  /// What became of a file.
  private enum Outcome { case read, error(LoadError.Kind) }

  /// Lets errors of this module pass, and no others.
  private func allowingLoadErrors(_ body: () throws -> Void) throws {
    do { try body() } catch let error as LoadError { _ = error }
  }

  /// Reads everything a file has, in every way there is.
  private func readAll(_ path: String) throws -> Outcome {
    do {
      let file = try HDF5File(path)
      for entry in file.entries where entry.problem == nil {
        try allowingLoadErrors { _ = try file.data(at: entry.name).storedFloats() }
      }
      for place in ["/", "/model_weights", "/model_weights/conv1", "/layers/conv2d/vars"] {
        for name in ["layer_names", "weight_names", "model_config", "name"] {
          try allowingLoadErrors { _ = try file.texts(ofAttribute: name, at: place) }
        }
      }
      let source = try HDF5Parameters(file)
      let specs = source.availableNames.flatMap {
        [Specs.convolution($0, 4, 3, 2, 2), Specs.biases($0, 4)]
      }
      let ready = try source.prepared(for: specs)
      for spec in specs { try allowingLoadErrors { _ = try ready.parameter(for: spec) } }
      return .read
    } catch let error as LoadError {
      return .error(error.kind)
    }
  }

  @Test(arguments: files) func truncationIsAnError(name: String) throws {
    let folder = try TemporaryFolder()
    let bytes = try Fixtures.bytes(name)
    var numbers = SplitMix64(seed: 11)
    let lengths =
      Array(0..<120) + (0..<120).map { _ in Int.random(in: 120..<bytes.count, using: &numbers) }
      + Array((bytes.count - 20)..<bytes.count)
    for length in lengths {
      let path = try folder.write("cut.h5", bytes: Array(bytes[..<length]))
      guard case .error(let kind) = try readAll(path) else {
        Issue.record("\(name) was read with \(length) of \(bytes.count) bytes")
        continue
      }
      #expect([.notHDF5, .damaged].contains(kind), "\(kind) at \(length) bytes")
    }
    let cut = try folder.write("cut.h5", bytes: Array(bytes.dropLast()))
    let error = try loadError { _ = try HDF5File(cut) }
    #expect(
      error.description == """
        \(cut): the file is damaged
          received  it is cut off: \(bytes.count - 1) of \(bytes.count) bytes
        """)
  }

  @Test(arguments: files) func alteredByteGivesValueOrError(name: String) throws {
    let folder = try TemporaryFolder()
    let bytes = try Fixtures.bytes(name)
    var numbers = SplitMix64(seed: 12)
    var read = 0
    var refused = 0
    for _ in 0..<400 {
      var altered = bytes
      let position = Int.random(in: 0..<bytes.count, using: &numbers)
      altered[position] ^= UInt8.random(in: 1...255, using: &numbers)
      switch try readAll(folder.write("altered.h5", bytes: altered)) {
      case .read: read += 1
      case .error: refused += 1
      }
    }
    // Much of a file is values and gaps; some of it is structure.
    #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
  }

  /// The header and the first structures are the most sensitive.
  @Test(arguments: ["keras2_model.h5", "storage.h5"])
  func alteredFirstKilobyteGivesValueOrError(name: String) throws {
    let folder = try TemporaryFolder()
    let bytes = try Fixtures.bytes(name)
    for position in 0..<1024 {
      var altered = bytes
      altered[position] ^= 1 << UInt8(position % 8)
      _ = try readAll(folder.write("altered.h5", bytes: altered))
    }
  }

  @Test func alteredStringHeapsAreErrors() throws {
    let folder = try TemporaryFolder()
    let bytes = try Fixtures.bytes("keras3.h5")
    // Texts of variable length: the references lie in attributes, the texts in "GCOL"
    // collections.
    let heap = try #require(bytes.firstRange(of: Array("GCOL".utf8))).lowerBound
    var damaged = 0
    for position in heap..<(heap + 64) {
      var altered = bytes
      altered[position] ^= 0x40
      if case .error(.damaged) = try readAll(folder.write("altered.h5", bytes: altered)) {
        damaged += 1
      }
    }
    #expect(damaged > 8)
  }

  @Test(.enabled(if: Fixtures.hasZlib)) func impossibleSizesAreRejectedBeforeAllocation()
    throws
  {
    let folder = try TemporaryFolder()
    let bytes = try Fixtures.bytes("storage.h5")
    // The shape of /gzip, 40×9: its message has the two sizes and the two largest sizes.
    let shape = [UInt64(40), 9, 40, 9].flatMap { size in
      withUnsafeBytes(of: size.littleEndian) { [UInt8]($0) }
    }
    let place = try #require(bytes.firstRange(of: shape)).lowerBound
    for (rows, kind) in [
      (UInt64(1) << 34, LoadError.Kind.refused), (1 << 50, .refused),
      (UInt64.max, .damaged),
    ] {
      var altered = bytes
      for start in [place, place + 16] {
        withUnsafeBytes(of: rows.littleEndian) { new in
          altered.replaceSubrange(start..<(start + 8), with: new)
        }
      }
      let path = try folder.write("bomb.h5", bytes: altered)
      let error = try loadError { _ = try HDF5File(path).data(at: "/gzip").storedFloats() }
      #expect(error.kind == kind, "\(rows) rows: \(error)")
    }
  }

  @Test(.enabled(if: Fixtures.hasZlib)) func truncatedCompressedChunkIsAnError() throws {
    var bytes = try Fixtures.bytes("storage.h5")
    let node = try chunkNode(of: bytes)
    // One byte less than was stored.
    bytes[node + 24] -= 1
    try expectDamagedChunk(bytes)
  }

  /// A complete stream with a correct checksum that gives 10 of a chunk's 576 bytes.
  @Test(.enabled(if: Fixtures.hasZlib)) func shortCompressedChunkIsAnError() throws {
    var bytes = try Fixtures.bytes("storage.h5")
    let node = try chunkNode(of: bytes)
    let address = (0..<8).reduce(0) { $0 | Int(bytes[node + 24 + 32 + $1]) << (8 * $1) }
    let stream: [UInt8] =
      [0x78, 0x01, 0x01, 10, 0, 0xf5, 0xff] + Array(repeating: 0, count: 10) + [0, 10, 0, 1]
    bytes.replaceSubrange(address..<(address + stream.count), with: stream)
    try expectDamagedChunk(bytes)
  }

  private func expectDamagedChunk(_ bytes: [UInt8]) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("chunk.h5", bytes: bytes)
    let error = try loadError { _ = try HDF5File(path).data(at: "/gzip").storedFloats() }
    #expect(error.kind == .damaged)
    #expect(error.path == path)
    #expect(error.entry == "/gzip")
    #expect(
      error.received?.hasPrefix("a compressed chunk is damaged, at byte ") == true)
  }

  /// Where the node of the chunks of /gzip is: three of 16 rows.
  private func chunkNode(of bytes: [UInt8]) throws -> Int {
    let nodes = bytes.indices.filter { node in
      bytes[node...].starts(with: Array("TREE".utf8)) && bytes[node + 4] == 1
        && bytes[node + 5] == 0 && bytes[node + 6] == 3 && bytes[node + 24 + 40 + 8] == 16
    }
    #expect(nodes.count == 1)
    return try #require(nodes.first)
  }
}
