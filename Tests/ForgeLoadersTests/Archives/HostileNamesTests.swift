import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

/// Names that are expensive to read, or equal when compared as characters.
@Suite struct HostileNamesTests {
  private static let empty = "{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}"

  /// A safetensors file with a header.
  static func safetensors(_ header: String, data: [UInt8] = []) -> [UInt8] {
    let text = Array(header.utf8)
    return (0..<8).map { UInt8(truncatingIfNeeded: text.count >> ($0 * 8)) } + text + data
  }

  /// What reading and listing a file throws, and using it as parameters.
  private func error(_ name: String, _ bytes: [UInt8]) throws -> LoadError? {
    let folder = try ScratchFolder()
    let path = try folder.write(name, bytes)
    do {
      let file = try WeightFile(path)
      _ = file.entries.map(\.description)
      _ = try file.parameters().prepared(for: Network.all).parameter(for: Network.conv)
      return nil
    } catch {
      return try #require(error as? LoadError)
    }
  }

  /// Hashing each took seconds to hours: quadratic in the combining marks of one character.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "a" + String(repeating: "\u{301}\u{323}", count: 300_000) + ".weight",
      "a" + String(repeating: "\u{301}", count: 30_000)
        + String(repeating: "\u{323}", count: 30_000),
      String(repeating: "🇦", count: 200_000), String(repeating: "👩\u{200d}", count: 200_000),
      String(repeating: "\u{1100}", count: 300_000) + ".weight",
      String(repeating: "\u{915}\u{94d}", count: 200_000) + ".weight",
      String(repeating: ":", count: 1_000_000), String(repeating: "/", count: 1_000_000) + ".w",
    ])
  func longNamesAreRejected(_ name: String) throws {
    let header = "{\"\(name)\":\(Self.empty),\"b\":\(Self.empty)}"
    let error = try #require(try error("a.safetensors", Self.safetensors(header)))
    #expect(error.kind == .refused)
    #expect(error.received == "a name of more than 4096 bytes")
    #expect(error.remedy == "raise nameBytes in LoadLimits for a file that you trust")
  }

  /// Names within the limit, but too many to hash as strings.
  @Test(.timeLimit(.minutes(1))) func manyCombiningMarkNamesAreRejected() throws {
    let marks =
      String(repeating: "\u{301}", count: 1_000) + String(repeating: "\u{323}", count: 1_000)
    let members = (0..<500).map { "\"a\(marks)\($0).weight\":\(Self.empty)" }
    let header = "{\(members.joined(separator: ","))}"
    let error = try #require(try error("a.safetensors", Self.safetensors(header)))
    #expect(error.kind == .refused)
    #expect(error.received?.hasPrefix("a structure of more than") == true)
  }

  @Test func combiningMarkMetadataKeysAreRejected() throws {
    let marks = String(repeating: "\u{301}\u{323}", count: 10_000)
    let header = "{\"__metadata__\":{\"\(marks)\":\"x\"}}"
    #expect(try error("a.safetensors", Self.safetensors(header))?.kind == .refused)
  }

  /// Both encodings of é, which are equal as strings, are distinct names.
  @Test func namesAreComparedAsBytes() throws {
    let folder = try ScratchFolder()
    func tensor(_ first: Int) -> String {
      "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[\(first),\(first + 4)]}"
    }
    let header = "{\"\u{e9}.weight\":\(tensor(0)),\"e\u{301}.weight\":\(tensor(4))}"
    let values: [UInt8] = [0, 0, 128, 63, 0, 0, 0, 64]
    let path = try folder.write("a.safetensors", Self.safetensors(header, data: values))
    let file = try SafeTensors(path)
    #expect(file.tensors.count == 2)
    #expect(try file.data(named: "\u{e9}.weight").floats() == [1])
    #expect(try file.data(named: "e\u{301}.weight").floats() == [2])
    let source = try SafeTensorsParameters(path)
    #expect(source.availableNames.map { Array($0.utf8) } == [[0xc3, 0xa9], [0x65, 0xcc, 0x81]])
    for (layer, value) in [("\u{e9}", 1), ("e\u{301}", 2)] as [(String, Float)] {
      let spec = ParameterSpec(layer: layer, .slopes, [.channels: 1])
      #expect(try source.floats(for: spec) == [value])
    }
  }

  #if Zip
    @Test func archiveNamesAreComparedAsBytes() throws {
      let folder = try ScratchFolder()
      var zip = ZipWriter()
      zip.add("\u{e9}.npy", HostileStructureTests.array([1]))
      zip.add("e\u{301}.npy", HostileStructureTests.array([2]))
      // A name of an old code page, no UTF-8.
      let old = HostileStructureTests.array([3])
      zip.add(
        [0x82] + Array(".npy".utf8), old, checksum: ZipWriter.checksum(old), isDeflated: false)
      let path = try folder.write("a.npz", zip.finish())
      #expect(try NumPyArray(path: path, entry: "\u{e9}").values == [1])
      #expect(try NumPyArray(path: path, entry: "e\u{301}").values == [2])
      #expect(try NumPyArray(path: path, entry: "\u{fffd}").values == [3])
      #expect(try WeightFile(path).entries.map(\.problem?.kind) == [nil, nil, nil])
    }

    @Test(.timeLimit(.minutes(1))) func longArchiveNamesAreRejected() throws {
      var zip = ZipWriter()
      let name = "a" + String(repeating: "\u{301}\u{323}", count: 16_000) + ".npy"
      zip.add(name, HostileStructureTests.array([1]))
      #expect(try error("a.npz", zip.finish())?.received == "a name of more than 4096 bytes")
    }
  #endif

  @Test func limitsAreConfigurable() throws {
    let folder = try ScratchFolder()
    let long = String(repeating: "n", count: 5_000)
    let header = "{\"\(long)\":\(Self.empty),\"b\":\(Self.empty)}"
    let path = try folder.write("a.safetensors", Self.safetensors(header))
    #expect(try SafeTensors(path, limits: .init(nameBytes: 5_000)).tensors.count == 2)
    #expect(try SafeTensorsParameters(path, limits: .init(nameBytes: 5_000)).availableNames == [])
    #expect(try WeightFile(path, limits: .init(nameBytes: 5_000)).entries.count == 2)
    #expect(
      message(in: folder.path) {
        _ = try SafeTensors(path, limits: .init(entries: 1, nameBytes: 5_000))
      } == """
        a.safetensors: the parameter file is refused
          received  more than 1 entries
          remedy    raise entries in LoadLimits for a file that you trust
        """)
    #expect(
      message(in: folder.path) {
        _ = try SafeTensors(path, limits: .init(nameBytes: 5_000, structureBytes: 6_000))
      } == """
        a.safetensors: the parameter file is refused
          received  more than 6000 bytes of structure
          remedy    raise structureBytes in LoadLimits for a file that you trust
        """)
    for limits in [LoadLimits(entries: -1), .init(structureBytes: -1), .init(nameBytes: .min)] {
      let error = #expect(throws: LoadError.self) { try SafeTensors(path, limits: limits) }
      #expect(error?.kind == .refused)
    }
  }
}
