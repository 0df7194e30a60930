import ForgeLoaders
import ForgeShapes
import Testing

/// Every layout, chunk index and filter that is read; the fixtures are of `make_layouts.py`.
@Suite struct HDF5LayoutTests {
  private func floats(_ file: String, _ entry: String) throws -> [Float] {
    try HDF5File(Fixtures.path(file)).data(at: entry).storedFloats()
  }

  @Test(
    .enabled(if: Fixtures.hasZlib), arguments: [("layouts_old.h5", 28), ("layouts_new.h5", 44)])
  func readsEveryDatasetFromFileAndMemory(name: String, count: Int) throws {
    let file = try HDF5File(Fixtures.path(name))
    let memory = try HDF5File(bytes: try Fixtures.bytes(name))
    #expect(file.entries.count == count)
    for entry in file.entries {
      #expect(entry.problem == nil, "\(entry)")
      let values = try file.data(at: entry.name).storedFloats()
      #expect(try memory.data(at: entry.name).storedFloats() == values)
    }
  }

  @Test(arguments: ["layouts_old.h5", "layouts_new.h5"])
  func unwrittenValuesAreTheFillValue(name: String) throws {
    #expect(try floats(name, "/fill/zeros") == [Float](repeating: 0, count: 12))
    #expect(try floats(name, "/fill/value") == [Float](repeating: -2.5, count: 12))
    #expect(try floats(name, "/fill/chunks") == [Float](repeating: 3.25, count: 9))
    let partly = try floats(name, "/fill/partly")
    for (index, value) in partly.enumerated() {
      let isWritten = (4..<8).contains(index / 5) && (2..<4).contains(index % 5)
      #expect(isWritten || value == 1.5, "\(index)")
    }
    #expect(partly.contains { $0 != 1.5 })
  }

  @Test func longChunkListsLocateEachChunk() throws {
    let pages = try floats("layouts_new.h5", "/lists/fixed_pages")
    let written = [0, 5, 1023, 1024, 2999]
    for (index, value) in pages.enumerated() where value != 7 || written.contains(index) {
      #expect(written.contains(index) && value == Float(index % 100), "\(index)")
    }
    let long = try floats("layouts_new.h5", "/one_axis/super_blocks")
    let places = [
      0, 3, 4, 19, 243, 244, 5000, 70_000, 131_075, 131_076, 132_100, 139_999,
    ]
    #expect(long.count == 140_000)
    for place in places { #expect(long[place] == Float(place % 100), "\(place)") }
    #expect(long.count { $0 != 3 } == places.count { $0 % 100 != 3 })
  }

  @Test func checksumMismatchIsDamage() throws {
    var bytes = try Fixtures.bytes("layouts_old.h5")
    let values = try floats("layouts_old.h5", "/filters/fletcher32")
    let start = try #require(
      bytes.firstRange(of: values[8..<16].withUnsafeBytes { [UInt8]($0) })
    ).lowerBound
    bytes[start + 3] ^= 0x10
    let data = try HDF5File(bytes: bytes).data(at: "/filters/fletcher32")
    let error = try loadError { _ = try data.storedFloats() }
    #expect(error.kind == .damaged)
    #expect(error.received == "the checksum of a chunk is wrong, at byte \(start)")
  }

  /// Lists and trees of the newer form carry checksums.
  @Test(
    .enabled(if: Fixtures.hasZlib),
    arguments: ["FAHD", "FADB", "EAHD", "EAIB", "EASB", "EADB", "BTHD", "BTIN", "BTLF"])
  func alteredChunkIndicesAreDamage(signature: String) throws {
    let bytes = try Fixtures.bytes("layouts_new.h5")
    let signature = [UInt8](signature.utf8)
    for start in bytes.indices where bytes[start...].starts(with: signature) {
      var altered = bytes
      altered[start + 7] ^= 0x40
      let file = try HDF5File(bytes: altered)
      let failed = file.entries.filter { entry in
        (try? file.data(at: entry.name).withUnsafeBytes { _ in }) == nil
      }
      #expect(failed.count == 1, "at \(start): \(failed)")
      return
    }
    Issue.record("there is none in the fixture")
  }

  @Test(arguments: ["layouts_old.h5", "layouts_new.h5"])
  func alteredByteGivesValueOrError(name: String) throws {
    let bytes = try Fixtures.bytes(name)
    var numbers = SplitMix64(seed: 13)
    var failures = 0
    for _ in 0..<100 {
      var altered = bytes
      let position = Int.random(in: 0..<bytes.count, using: &numbers)
      altered[position] ^= UInt8.random(in: 1...255, using: &numbers)
      do {
        let file = try HDF5File(bytes: altered)
        for entry in file.entries where entry.problem == nil && entry.byteCount < 1 << 20 {
          try file.data(at: entry.name).withUnsafeBytes { _ in }
        }
      } catch let error as LoadError {
        #expect(!error.description.isEmpty)
        failures += 1
      }
    }
    #expect(failures > 0)
  }
}
