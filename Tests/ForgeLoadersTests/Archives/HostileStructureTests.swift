import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Files that declare more data than they hold: each is rejected before memory or time is spent.
@Suite(.timeLimit(.minutes(1))) struct HostileStructureTests {
  /// A `.npy` file.
  static func array(_ values: [Float], header: String? = nil, version: UInt8 = 1) -> [UInt8] {
    let text = Array(
      (header ?? "{'descr': '<f4', 'fortran_order': False, 'shape': (\(values.count),), }").utf8)
    let length = (0..<(version == 1 ? 2 : 4)).map {
      UInt8(truncatingIfNeeded: text.count >> ($0 * 8))
    }
    return [0x93] + Array("NUMPY".utf8) + [version, 0] + length + text
      + values.withUnsafeBytes { Array($0) }
  }

  private func listing(_ name: String, _ bytes: [UInt8]) throws -> [WeightFile.Entry] {
    let folder = try ScratchFolder()
    return try WeightFile(try folder.write(name, bytes)).entries
  }

  // MARK: safetensors

  /// Headers, and what is refused of them.
  static let headers: [(String, LoadError.Kind, String?)] = [
    ("{\"a\":" + String(repeating: "[", count: 200_000), .refused, "JSON more than 4 levels deep"),
    (
      "{" + (0..<200_000).map { "\"t\($0)\":{}" }.joined(separator: ",") + "}", .refused,
      " bytes of structure"
    ),
    (
      "{\"__metadata__\":{" + (0..<200_000).map { "\"k\($0)\":\"v\"" }.joined(separator: ",")
        + "}}",
      .refused, nil
    ),
    (
      "{\"a\":{\"b\":[" + String(repeating: "{},", count: 2_000_000) + "{}]}}", .refused, nil
    ),
    ("{\"a\":[" + String(repeating: "[[1]],", count: 1_000_000) + "1]}", .refused, nil),
    (
      "{\"a\":" + String(repeating: "9", count: 3_000_000) + "}", .refused,
      "a number of 3000000 characters"
    ),
    (
      "{\"a\":0." + String(repeating: "9", count: 3_000_000) + "e-99}", .refused,
      "a number of 3000006 characters"
    ),
    ("{" + String(repeating: " ", count: 4_000_000) + "}", .damaged, nil),
    (
      "{\"a\":{\"dtype\":\"\(String(repeating: "F", count: 65))\",\"shape\":[0],"
        + "\"data_offsets\":[0,0]}}", .damaged, "the header does not describe it"
    ),
  ]

  @Test(arguments: headers.indices) func tensorHeadersAreBounded(_ index: Int) throws {
    let (header, kind, received) = Self.headers[index]
    // A byte after an empty header is not a tensor's.
    let data: [UInt8] = kind == .damaged ? [0] : []
    let error = #expect(throws: LoadError.self) {
      try listing("a.safetensors", HostileNamesTests.safetensors(header, data: data))
    }
    #expect(error?.kind == kind)
    if let received { #expect(error?.received?.hasSuffix(received) == true) }
  }

  @Test(arguments: [UInt64.max, UInt64(Int64.max), 100_000_001, 100_000_000])
  func headerLengthsAreChecked(_ length: UInt64) throws {
    let head = (0..<8).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
    let folder = try ScratchFolder()
    let path = try folder.write("a", head + Array("{}".utf8))
    #expect(throws: LoadError.self) { try SafeTensors(path) }
  }

  // MARK: npy

  /// Whether the file system has files of one terabyte, all of it a hole.
  static let hasSparseFiles: Bool = {
    guard let folder = try? ScratchFolder(), let path = try? folder.write("a", []) else {
      return false
    }
    return truncate(path, 1_100_000_000_000) == 0
  }()

  /// A sparse file of one terabyte, which takes no disk space.
  @Test(
    .enabled(if: hasSparseFiles, "the file system has no files of 1 TB"),
    arguments: [("<f4", 4), ("|b1", 1), ("<f8", 8)])
  func sparseArraysExceedingMemoryAreRejected(_ type: String, _ width: Int) throws {
    let folder = try ScratchFolder()
    let count = 1_000_000_000_000 / width
    let head = Self.array(
      [], header: "{'descr': '\(type)', 'fortran_order': False, 'shape': (\(count),), }")
    let path = try folder.write("a.npy", head)
    #expect(truncate(path, head.count + count * width) == 0)
    let array = try NumPyArray(path: path)
    #expect(array.count == count)
    let error = #expect(throws: LoadError.self) { try array.values }
    #expect(error?.kind == .outOfMemory)
    let other = #expect(throws: LoadError.self) { try array.parameter().withUnsafeBytes { _ in } }
    #expect(other?.kind == .outOfMemory)
    #expect(other?.needs == "\(count * width) bytes")
    let file = try ParameterFile(path: path, count: head.count + count * width, elementType: .uint8)
    #expect(throws: LoadError.self) { try file.withUnsafeBytes { _ in } }
    let blob = try BlobParameters(path, entries: [])
    let part = try blob.data(at: head.count, count: count / 4 * width)
    #expect(throws: LoadError.self) { try part.withUnsafeBytes { _ in } }
    // A part of it can be had.
    #expect(try blob.data(at: head.count, count: 3).floats() == [0, 0, 0])
  }

  @Test(arguments: [
    String(repeating: " ", count: 1 << 20),
    "{'descr': " + String(repeating: "(", count: 900_000) + "}",
    "{'" + String(repeating: "a", count: 1_000_000),
    "{'descr': '<f4', 'fortran_order': False, 'shape': (" + String(repeating: "9", count: 70_000)
      + "), }",
  ]) func arrayHeadersAreBounded(_ header: String) throws {
    let error = #expect(throws: LoadError.self) {
      try listing("a.npy", Self.array([1], header: header, version: 2))
    }
    #expect(error?.kind == .refused)
    #expect(error?.received?.hasPrefix("a header of") == true)
  }

  // MARK: Archives

  #if Zip
    /// Headers of spaces cost time proportional to their inflated size, twice per entry.
    @Test(arguments: [1 << 20, 60_000]) func archiveHeadersShareOneBudget(_ spaces: Int) throws {
      let header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), "
        + String(repeating: " ", count: spaces) + "}"
      let content = Self.array([1], header: header, version: 2)
      let stored = ZipWriter.deflated(content)
      let checksum = ZipWriter.checksum(content)
      var zip = ZipWriter()
      for index in 0..<2_000 {
        zip.add(
          Array("l\(index).weight.npy".utf8), stored, count: content.count, checksum: checksum,
          isDeflated: true)
      }
      let entries = try listing("a.npz", zip.finish())
      #expect(entries.count == 2_000)
      #expect(entries.last?.problem?.kind == .refused)
      // Those of a real length are read until the budget is spent.
      let read = entries.prefix { $0.problem == nil }.count
      #expect(spaces > 1 << 16 ? read == 0 : (200..<2_000).contains(read))
    }

    @Test func largeEntryCountsAreListed() throws {
      var zip = ZipWriter()
      let content = Self.array([1])
      let checksum = ZipWriter.checksum(content)
      for index in 0..<30_000 {
        zip.add(Array("l\(index)/w.npy".utf8), content, checksum: checksum, isDeflated: false)
      }
      let folder = try ScratchFolder()
      let path = try folder.write("a.npz", zip.finish())
      #expect(try NumPyParameters(path).availableNames.count == 30_000)
      let error = #expect(throws: LoadError.self) {
        try NumPyParameters(path, limits: .init(entries: 20_000))
      }
      #expect(error?.received == "an archive of 30000 entries")
    }

    /// 4 MB that declare 4 GB: the ratio is possible, but no memory is allocated.
    @Test func overinflatedArraysAreRejected() throws {
      let folder = try ScratchFolder()
      let count = 1 << 30
      let head = Self.array(
        [], header: "{'descr': '<f4', 'fortran_order': False, 'shape': (\(count),), }")
      var zip = ZipWriter()
      let stored = ZipWriter.deflated(head + [UInt8](repeating: 0, count: 1 << 16))
      zip.add(
        Array("a.npy".utf8), stored + [UInt8](repeating: 0, count: 4_200_000),
        count: head.count + count * 4, checksum: 0, isDeflated: true)
      let path = try folder.write("a.npz", zip.finish())
      let array = try NumPyArray(path: path, entry: "a")
      #expect(
        message(in: folder.path) { _ = try array.parameter().withUnsafeBytes { _ in } }.hasPrefix(
          """
          a.npz: a.npy: the parameter file is refused
            received  \(head.count + count * 4) bytes, decompressed from
          """))
      #expect(throws: LoadError.self) { try array.values }
      let low = try NumPyArray(path: path, entry: "a", limits: .init(inflatedBytes: 1 << 20))
      let error = #expect(throws: LoadError.self) { try low.values }
      #expect(error?.remedy == "raise inflatedBytes in LoadLimits for a file that you trust")
    }

    private func archive(
      _ configuration: [UInt8], _ weights: [UInt8], count: Int? = nil, checksum: UInt32? = nil,
      isDeflated: Bool = false,
      deflatesConfiguration: Bool = false
    ) -> [UInt8] {
      var zip = ZipWriter()
      zip.add("config.json", configuration, isDeflated: deflatesConfiguration)
      zip.add(
        Array("model.weights.h5".utf8), weights, count: count,
        checksum: checksum ?? ZipWriter.checksum(weights), isDeflated: isDeflated)
      return zip.finish()
    }

    /// Whether a reader might have left the file; other tests run at the same time.
    private static func isOurs(_ name: String) -> Bool {
      name.hasPrefix("forge-") && !name.hasPrefix("forge-archives")
        && !name.hasPrefix("forge-type-check")
    }

    private func error(_ bytes: [UInt8]) throws -> LoadError? {
      let folder = try ScratchFolder()
      let before = try FileManager.default.contentsOfDirectory(
        atPath: FileManager.default.temporaryDirectory.path
      ).filter(Self.isOurs)
      let path = try folder.write("a.keras", bytes)
      var found: LoadError?
      do { _ = try KerasArchive(path) } catch { found = error }
      let after = try FileManager.default.contentsOfDirectory(
        atPath: FileManager.default.temporaryDirectory.path
      ).filter(Self.isOurs)
      #expect(Set(after).subtracting(before).isEmpty)
      return found
    }

    private static let none = Array("{\"config\":{\"layers\":[]}}".utf8)

    /// The entry's format is checked before decompression, and nothing is unpacked to disk.
    @Test func nonHDF5EntriesAreNotInflated() throws {
      let zeros = [UInt8](repeating: 0, count: 1 << 20)
      let error = try error(
        archive(Self.none, ZipWriter.deflated(zeros), count: zeros.count, isDeflated: true))
      #expect(error?.kind == .notHDF5)
      #expect(error?.entry == "model.weights.h5")
      #expect(try self.error(archive(Self.none, [1, 2, 3]))?.kind == .notHDF5)
      // Stored, and of a length in which the signature may come later.
      #expect(try self.error(archive(Self.none, zeros))?.kind == .notHDF5)
    }

    @Test func overinflatedParametersAreRejected() throws {
      let stored = [UInt8](repeating: 0, count: 4_200_000)
      let error = try error(archive(Self.none, stored, count: 4 << 30, isDeflated: true))
      #expect(error?.kind == .refused)
      #expect(error?.received == "4294967296 bytes, decompressed from 4200000")
      #expect(error?.remedy == "raise inflatedPerByte in LoadLimits for a file that you trust")
      let large = archive(Self.none, stored, count: 33 << 30, isDeflated: true)
      #expect(throws: LoadError.self) { if let error = try self.error(large) { throw error } }
    }

    /// An archive whose weights have Keras's numbers instead of the user's names: those of a fixture.
    private func unnamed(
      _ configuration: [UInt8], deflatesConfiguration: Bool = false
    ) throws -> [UInt8] {
      let bytes = try Archives.bytes("unnamed.keras")
      let name = Array("model.weights.h5".utf8)
      let place = try #require(
        (30..<(bytes.count - 16)).first { bytes[$0..<($0 + 16)].elementsEqual(name) })
      func number(_ offset: Int) -> Int {
        bytes[(place - 30 + offset)..<(place - 26 + offset)].reversed()
          .reduce(0) { $0 << 8 | Int($1) }
      }
      let isDeflated = bytes[place - 22] == 8
      return archive(
        configuration, Array(bytes[(place + 16)..<(place + 16 + number(18))]),
        count: number(22), checksum: UInt32(number(14)), isDeflated: isDeflated,
        deflatesConfiguration: deflatesConfiguration)
    }

    /// A model whose layers' names stand before those of the models in them, at each level.
    private func nested(_ levels: Int, name: String, layers: [String]) -> [UInt8] {
      var text =
        "{\"class_name\":\"Functional\",\"config\":{\"name\":\"n\",\"layers\":["
        + layers.map { "{\"class_name\":\"Dense\",\"config\":{\"name\":\"\($0)\"}}" }
        .joined(separator: ",") + "]}}"
      for _ in 0..<levels {
        text =
          "{\"class_name\":\"Functional\",\"config\":{\"name\":\"\(name)\",\"layers\":[\(text)]}}"
      }
      return Array(text.utf8)
    }

    @Test func nestedModelNamesAreBounded() throws {
      let well = nested(3, name: "inner", layers: ["a", "b"])
      #expect(try error(try unnamed(well)) == nil)
      // 24 KB that took 6 GB.
      let long = nested(
        12, name: String(repeating: "n", count: 200_000),
        layers: (0..<4_000).map { "\(String(repeating: "n", count: 1_000))\($0)" })
      let error = try error(try unnamed(long, deflatesConfiguration: true))
      #expect(error?.kind == .refused)
      // Each name is short enough, all of them together are not.
      let many = nested(
        12, name: String(repeating: "n", count: 200), layers: (0..<8_000).map { "l\($0)" })
      let other = try self.error(try unnamed(many, deflatesConfiguration: true))
      #expect(other?.kind == .refused)
      #expect(other?.received == "more than 16777216 bytes of structure")
    }

    @Test func descriptionsAreBounded() throws {
      let deep = Array(
        ("{\"config\":" + String(repeating: "[", count: 100_000)).utf8)
      #expect(try error(try unnamed(deep))?.received == "JSON more than 256 levels deep")
      let classes = nested(0, name: "", layers: ["x"])
      let long = String(decoding: classes, as: UTF8.self)
        .replacing("Dense", with: String(repeating: "A", count: 3_000_000))
      #expect(try error(try unnamed(Array(long.utf8)))?.kind == .refused)
      let layers = nested(0, name: "", layers: Array(repeating: "a", count: 200_000))
      #expect(try error(try unnamed(layers))?.kind == .refused)
      let spaces = [UInt8](repeating: 0x20, count: 20_000_000)
      #expect(
        try error(try unnamed(spaces, deflatesConfiguration: true))?.received
          == "more than 16777216 bytes of structure")
    }
  #endif
}
