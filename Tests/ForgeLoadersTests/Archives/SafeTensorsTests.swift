import ForgeLoaders
import ForgeShapes
import Foundation
import Testing

@Suite struct SafeTensorsTests {
  static let file = Archives.folder + "types.safetensors"
  static let entries = Archives.expected("types.safetensors")

  @Test(arguments: entries) func valuesMatchPython(_ expected: Archives.Expected) throws {
    let file = try SafeTensors(Self.file)
    let data = try file.data(named: expected.entry)
    #expect(data.sizes == expected.sizes)
    #expect(data.elementType.rawValue == expected.type)
    #expect(data.count == expected.values.count)
    #expect(try data.floats() == expected.values)
    #expect(data.origin == "\(Self.file): \(expected.entry)")
  }

  @Test func listsEntries() throws {
    let file = try SafeTensors(Self.file)
    #expect(Set(file.tensors.map(\.name)) == Set(Self.entries.map(\.entry)))
    #expect(file.metadata == ["format": "pt", "note": "ä\n\"q\""])
    let ranges = file.tensors.map(\.byteRange)
    #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    let other = try WeightFile(Archives.folder + "other.safetensors")
    #expect(other.format == .safeTensors)
    #expect(
      other.entries.map(\.description).sorted() == [
        "good  2  f32  8 bytes", "long  2  U64  16 bytes", "short  3  I16  6 bytes",
      ])
    #expect(other.entries.first { $0.name == "short" }?.elementType == nil)
  }

  @Test func recognizesPyTorchNames() throws {
    let source = try SafeTensorsParameters(Self.file).prepared(for: Network.all)
    let names = [
      "conv1.weight", "conv1.bias", "bn1.weight", "bn1.bias", "bn1.running_mean",
      "bn1.running_var", "fc.weight", "fc.bias",
    ]
    for (spec, name) in zip(Network.all, names) {
      let data = try #require(try source.parameter(for: spec))
      #expect(try data.floats() == Archives.values("types.safetensors", name))
      #expect(data.layout == .pytorch)
    }
    #expect(source.goesByName)
    #expect(Set(source.availableNames) == ["conv1", "bn1", "fc"])
    // By a rule of one's own.
    let ruled = try SafeTensorsParameters(Self.file, layout: .forge) { _ in "ubytes" }
    let spec = ParameterSpec(layer: "x", .biases, [.outputs: 3])
    #expect(try ruled.floats(for: spec) == Archives.values("types.safetensors", "ubytes"))
    #expect(ruled.availableNames.isEmpty)
    let none = try SafeTensorsParameters(Self.file) { _ in "none" }
    #expect(try none.parameter(for: spec) == nil)
  }

  // MARK: Headers

  /// A file with a header of one's own.
  private func open(_ header: String, data: Int = 8, length: UInt64? = nil) throws -> SafeTensors {
    let folder = try ScratchFolder()
    let text = Array(header.utf8)
    let count = length ?? UInt64(text.count)
    let head = (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    let bytes = head + text + [UInt8](repeating: 0, count: data)
    return try SafeTensors(try folder.write("a.safetensors", bytes))
  }

  private func text(_ header: String, data: Int = 8, length: UInt64? = nil) -> String {
    message { _ = try open(header, data: data, length: length) }
      .replacing(/^.*\/a.safetensors/, with: "a.safetensors")
  }

  private func tensor(
    _ first: Int, _ last: Int, type: String = "F32", _ shape: String = "[2]"
  ) -> String {
    "{\"dtype\":\"\(type)\",\"shape\":\(shape),\"data_offsets\":[\(first),\(last)]}"
  }

  @Test func readsForeignHeaders() throws {
    #expect(try open("{}", data: 0).tensors.isEmpty)
    #expect(
      try open(" {\"a\":\(tensor(0, 8))} ".trimmingPrefix(" ").description).tensors.count == 1)
    let escaped = try open("{\"\\u0061\\ud83d\\ude00\\/\":\(tensor(0, 8))}   ")
    #expect(escaped.tensors.map(\.name) == ["a😀/"])
    // A type that comes later is listed, its size not known.
    let later = try open("{\"a\":\(tensor(0, 8, type: "F4", "[99]"))}")
    #expect(later.tensors.map(\.typeName) == ["F4"])
    #expect(throws: LoadError.self) { try later.data(named: "a") }
    // Values without bytes may lie anywhere between others.
    let empty = "{\"b\":\(tensor(8, 8, "[0]")),\"a\":\(tensor(0, 8)),\"c\":\(tensor(0, 0, "[0]"))}"
    #expect(try open(empty).tensors.map(\.name) == ["c", "a", "b"])
  }

  @Test(arguments: [
    "", "{", "[]", "null", "{\"a\"}", "{\"a\":}", "{\"a\":1}", "{\"a\":[]}", "{\"a\":{}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,9]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[true],\"data_offsets\":[0,8]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":"
      + "[9223372036854775800,9223372036854775807]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807,4],\"data_offsets\":[0,8]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[1099511627777],\"data_offsets\":[0,8]}}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}} x",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},}",
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[02],\"data_offsets\":[0,8]}}",
    "{\"a\\ud800\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
    "{\"a\n\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
    "{\"a\\x\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
  ]) func rejectsInvalidHeaders(_ header: String) throws {
    let error = #expect(throws: LoadError.self) { try open(header) }
    #expect(error?.kind == .damaged)
  }

  @Test func errorsAreDescriptive() throws {
    #expect(
      text("{\"a\":\(tensor(0, 8)),\"b\":\(tensor(4, 12))}", data: 12) == """
        a.safetensors: b: the file is damaged
          received  its bytes are another tensor's, too, at byte 120
        """)
    #expect(
      text("{\"a\":\(tensor(8, 16))}", data: 16) == """
        a.safetensors: a: the file is damaged
          received  8 bytes before it belong to no tensor, at byte 63
        """)
    #expect(
      text("{\"a\":\(tensor(0, 8))}", data: 9) == """
        a.safetensors: the file is damaged
          received  1 byte after the last tensor, at byte 70
        """)
    #expect(
      text("{\"a\":\(tensor(0, 8))}", data: 7) == """
        a.safetensors: a: the values lie outside the file
          received  7 bytes of values
          needs     bytes 0 to 8
        """)
    #expect(
      text("{\"a\":\(tensor(0, 8, "[3]"))}") == """
        a.safetensors: a: the values have the wrong size
          received  8 bytes
          needs     12 bytes for 3 of F32
        """)
    #expect(
      text("{\"a\":\(tensor(0, 8)),\"\\u0061\":\(tensor(0, 8))}")
        == "a.safetensors: a: two entries have the same name")
    #expect(
      text("{}", length: 100) == """
        a.safetensors: the header is cut off
          received  10 bytes
          needs     100 bytes
        """)
    #expect(
      text("{}", length: .max) == """
        a.safetensors: the header is too long
          received  18446744073709551615 bytes
          needs     at most 100000000 bytes
        """)
    #expect(
      text("{\"a\":[[[[[1]]]]]}") == """
        a.safetensors: the parameter file is refused
          received  JSON more than 4 levels deep
        """)
    #expect(
      message { _ = try SafeTensors(Self.file).data(named: "none") }.hasPrefix(
        "types.safetensors: none: there is no such entry\n  received  \""))
    #expect(
      message { _ = try SafeTensors(Archives.folder + "f4.npy") } == """
        f4.npy: this is a NumPy array
          needs     a safetensors file
          remedy    NumPyArray(path: "f4.npy")
        """)
    let folder = try ScratchFolder()
    let short = try folder.write("short", [1, 2, 3])
    #expect(
      message(in: folder.path) { _ = try SafeTensors(short) } == """
        short: this is not a safetensors file
          received  3 bytes
        """)
    #expect(
      message {
        let source = try SafeTensorsParameters(Self.file).prepared(for: [Network.gamma])
        _ = try source.parameter(for: Network.gamma)
      } == """
        types.safetensors: the file has parameters for "bn1" that the model does not take
          received  "bn1.bias", "bn1.running_mean", "bn1.running_var"
          needs     gamma (4 [C])
          remedy    give the layer the arguments it had when the file was written, such as useBias
        """)
    #expect(
      message {
        let source = try SafeTensorsParameters(Archives.folder + "other.safetensors") { _ in
          "short"
        }
        _ = try source.parameter(for: Network.convBias)
      } == """
        other.safetensors: short: the values have a type that is not read
          received  I16
          needs     little-endian f2, f4, f8, i1, i4, i8, u1, bool or bf16
          remedy    convert them to f32 before they are saved
        """)
  }
}
