import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

@Suite struct HDF5FileTests {
  @Test(.enabled(if: Fixtures.hasZlib)) func valuesMatchPython() throws {
    #expect(Fixtures.expected.count > 100)
    var files: [String: HDF5File] = [:]
    for expected in Fixtures.expected {
      let file = try files[expected.file] ?? HDF5File(Fixtures.path(expected.file))
      files[expected.file] = file
      if expected.file == "newest.h5", file.entries.allSatisfy({ $0.name != expected.entry }) {
        continue  // the newest form of large groups is not read
      }
      let data = try file.data(at: expected.entry)
      #expect(data.elementType.rawValue == expected.type, "\(expected.entry)")
      #expect(data.sizes == expected.sizes, "\(expected.entry)")
      #expect(data.layout == .keras)
      #expect(data.origin == "\(Fixtures.path(expected.file)): \(expected.entry)")
      #expect(try data.storedFloats() == expected.values, "\(expected.file) \(expected.entry)")
    }
  }

  @Test func listsEntries() throws {
    let entries = try HDF5File(Fixtures.path("storage.h5")).entries
    let lines = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.description) })
    #expect(lines.count == 39)
    #expect(lines["/gzip"] == "/gzip  40×9  f32  1440 bytes")
    #expect(lines["/scalar"] == "/scalar  a single value  f32  4 bytes")
    #expect(lines["/empty"] == "/empty  0×4  f32  0 bytes")
    #expect(lines["/half"] == "/half  7  f16  14 bytes")
    #expect(lines["/double"] == "/double  7  f64  56 bytes")
    #expect(lines["/wide"] == "/wide  5  i64  40 bytes")
    #expect(lines["/big"] == "/big  the values have a type that is not read")
    #expect(lines["/never"] == "/never  4  f32  16 bytes")
    let entry = try #require(entries.first { $0.name == "/chunked" })
    #expect(entry.sizes == [7, 5, 3])
    #expect(entry.elementType == .float32)
    #expect(entry.byteCount == 420)
    #expect(entry.problem == nil)
    #expect(entries.map(\.name) == entries.map(\.name).sorted())
  }

  @Test func readsStrings() throws {
    let fixed = try HDF5File(Fixtures.path("keras2_model.h5"))
    #expect(
      try fixed.texts(ofAttribute: "model_config")
        == [#"{"class_name": "Functional", "config": {"name": "net"}}"#])
    #expect(
      try fixed.texts(ofAttribute: "layer_names", at: "/model_weights")
        == ["input_1", "conv1", "dw", "bn", "relu", "fc"])
    #expect(try fixed.texts(ofAttribute: "weight_names", at: "/model_weights/relu") == [])
    #expect(try fixed.texts(ofAttribute: "none") == nil)
    #expect(try fixed.texts(ofAttribute: "none", at: "/nowhere") == nil)
    // Keras 3 writes texts of variable length.
    let variable = try HDF5File(Fixtures.path("keras3.h5"))
    #expect(
      try variable.texts(ofAttribute: "weight_names", at: "/model_weights/norm")
        == ["norm/beta", "norm/moving_mean", "norm/moving_variance"])
    let config = try #require(try variable.texts(ofAttribute: "model_config")?.first)
    #expect(config.hasPrefix(#"{"class_name": "Functional""#) && config.hasSuffix("}"))
    // A list cut into parts.
    let cut = try HDF5File(Fixtures.path("keras2_weights.h5"))
    #expect(try cut.texts(ofAttribute: "layer_names")?.count == 10)
    let newest = try HDF5File(Fixtures.path("newest.h5"))
    #expect(try newest.texts(ofAttribute: "note", at: "/conv1") == ["hello"])
  }

  @Test func followsInternalLinks() throws {
    let file = try HDF5File(Fixtures.path("links.h5"))
    let kernel = try Fixtures.values("links.h5", "/conv1/kernel")
    for path in [
      "/soft/kernel", "/folder/kernel", "/hard/kernel", "conv1/kernel",
      "/itself/again/conv1/kernel",
      "/./conv1/kernel",
    ] {
      #expect(try file.data(at: path).storedFloats() == kernel, "\(path)")
    }
    #expect(
      try file.data(at: "/near/kernel").storedFloats()
        == Fixtures.values("links.h5", "/near/here"))
    let dangling = try loadError { _ = try file.data(at: "/dangling/kernel") }
    #expect(dangling.kind == .entryMissing)
    let circle = try loadError { _ = try file.data(at: "/circle/one") }
    #expect(circle.kind == .refused)
    #expect(circle.received == "links that lead in circles")
  }

  @Test func rejectsExternalLinks() throws {
    let path = Fixtures.path("links.h5")
    let file = try HDF5File(path)
    let error = try loadError { _ = try file.data(at: "/outside/kernel") }
    #expect(error.kind == .refused)
    #expect(
      error.description == """
        \(path): /outside/kernel: the parameter file is refused
          received  a link to another file
          remedy    save the values themselves in one file
        """)
    #expect(try loadError { _ = try file.data(at: "/around/kernel") }.kind == .refused)
    let entry = try #require(file.entries.first { $0.name == "/outside/kernel" })
    #expect(entry.problem?.kind == .refused)
    #expect(entry.elementType == nil)
  }

  @Test func rejectsVirtualAndExternalData() throws {
    let file = try HDF5File(Fixtures.path("virtual.h5"))
    let virtual = try loadError { _ = try file.data(at: "/layer/kernel") }
    #expect(virtual.kind == .refused)
    #expect(virtual.received == "virtual data, put together from other datasets")
    let external = try loadError { _ = try file.data(at: "/external/kernel") }
    #expect(external.kind == .refused)
    #expect(external.received == "values kept in other files")
    #expect(
      try file.data(at: "/source").storedFloats().count == 4)
  }

  @Test func reportsUnsupportedTypes() throws {
    let path = Fixtures.path("storage.h5")
    let file = try HDF5File(path)
    let error = try loadError { _ = try file.data(at: "/big") }
    #expect(error.kind == .wrongElementType)
    #expect(
      error.description == """
        \(path): /big: the values have a type that is not read
          received  big-endian f32
          needs     little-endian f32, f16, bf16, f64, i8, u8, i32, i64
        """)
    for (entry, type) in [
      ("/pairs", "compound"), ("/texts", "text"), ("/truth", "enumeration"),
    ] {
      let error = try loadError { _ = try file.data(at: entry) }
      #expect(error.kind == .wrongElementType)
      #expect(error.received == type)
    }
  }

  @Test func reportsUnsupportedFormats() throws {
    let path = Fixtures.path("newest.h5")
    let error = try loadError { _ = try HDF5File(path).data(at: "/large/entry1") }
    #expect(
      error.description == """
        \(path): /large/entry1: this form of HDF5 is not supported
          received  the newest form of large groups
          remedy    copy it with h5py: h5py.File("new.h5", "w") and f[name] = array
        """)
  }

  @Test func reportsMissingEntries() throws {
    let path = Fixtures.path("storage.h5")
    let file = try HDF5File(path)
    let missing = try loadError { _ = try file.data(at: "/plain/none") }
    #expect(missing.kind == .entryMissing)
    #expect(missing.description == "\(path): /plain/none: there is no such dataset")
    let group = try loadError { _ = try file.data(at: "/plain") }
    #expect(group.description == "\(path): /plain: this is a group, not a dataset")
    #expect(try loadError { _ = try file.data(at: "") }.kind == .entryMissing)
  }

  @Test func reportsNonHDF5Files() throws {
    let folder = try TemporaryFolder()
    #expect(try loadError { _ = try HDF5File("/no/such.h5") }.kind == .fileMissing)
    #expect(try loadError { _ = try HDF5File(folder.path) }.kind == .notARegularFile)
    let empty = try folder.write("empty.h5", bytes: [UInt8]())
    #expect(
      try loadError { _ = try HDF5File(empty) }.description == """
        \(empty): this is not an HDF5 file
          received  0 bytes
        """)
    let other = try folder.write("other.h5", bytes: [UInt8](repeating: 7, count: 3000))
    #expect(
      try loadError { _ = try HDF5File(other) }.description == """
        \(other): this is not an HDF5 file
          received  a file without its signature
        """)
    let archive = try folder.write("net.keras", bytes: [UInt8]("PK\u{3}\u{4}something".utf8))
    let error = try loadError { _ = try HDF5Parameters(archive) }
    #expect(error.kind == .notHDF5)
    #expect(
      error.description == """
        \(archive): this is not an HDF5 file
          received  a zip archive
          remedy    KerasArchive reads .keras files, NumPyParameters .npz
        """)
  }

  @Test func readsOpenedFileAfterReplacement() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.h5", bytes: try Fixtures.bytes("user_block.h5"))
    let data = try HDF5File(path).data(at: "/fc/bias")
    let values = try data.storedFloats()
    let other = try folder.write("b.h5", bytes: try Fixtures.bytes("storage.h5"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    #expect(values.count == 3)
    #expect(try data.storedFloats() == values)
  }

  @Test(.enabled(if: Fixtures.hasZlib)) func detectsTruncationAndOverwriting() throws {
    let folder = try TemporaryFolder()
    let bytes = try Fixtures.bytes("storage.h5")
    for entry in ["/plain/kernel", "/gzip"] {
      let path = try folder.write("a.h5", bytes: bytes)
      let cut = try HDF5File(path).data(at: entry)
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.truncate(atOffset: 4096)
      let error = try loadError { _ = try cut.storedFloats() }
      #expect(
        error.description == """
          \(path): the file has become shorter since it was opened
            received  4096 bytes
            needs     \(bytes.count) bytes
            remedy    to change parameters, write another file and rename it
          """)
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(bytes))
      let overwritten = try loadError { _ = try cut.storedFloats() }
      #expect(
        overwritten.description == """
          \(path): the file was changed or replaced since it was opened
            remedy    open it again
          """)
      try file.close()
    }
  }

  @Test(.enabled(if: Fixtures.hasZlib)) func readsBytesInMemory() throws {
    let file = try HDF5File(bytes: try Fixtures.bytes("storage.h5"), name: "a.zip: b.h5")
    for entry in ["/plain/kernel", "/gzip", "/compact", "/double"] {
      let data = try file.data(at: entry)
      #expect(try data.storedFloats() == Fixtures.values("storage.h5", entry))
      #expect(data.origin == "a.zip: b.h5: \(entry)")
    }
    #expect(try file.data(at: "/plain/kernel").temporaryByteCount == 0)
    let error = try loadError { _ = try HDF5File(bytes: [1, 2, 3]) }
    #expect(error.kind == .notHDF5)
    #expect(error.path == "memory")
  }

  @Test(.enabled(if: Fixtures.hasZlib)) func readsConcurrently() async throws {
    let file = try HDF5File(Fixtures.path("storage.h5"))
    let expected = try Fixtures.values("storage.h5", "/gzip")
    let results = try await withThrowingTaskGroup(of: [Float].self) { group in
      for _ in 0..<64 { group.addTask { try file.data(at: "/gzip").storedFloats() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 64)
    #expect(results.allSatisfy { $0 == expected })
  }
}
