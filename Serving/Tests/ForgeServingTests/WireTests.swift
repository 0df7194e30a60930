import ForgeServing
import Foundation
import Testing

@Suite struct WireTests {
  /// Messages that the Python client made: Serving/Scripts/make_messages.py.
  private func fixture(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  @Test func rawContents() throws {
    let message = try ModelInferRequest(try fixture("raw_request.bin")[...])
    #expect(message.modelName == "mlp")
    #expect(message.modelVersion == "3")
    let request = message.request
    #expect(request.id == "id-7")
    #expect(request.inputs.map(\.name) == ["x", "names"])
    #expect(request.inputs.map(\.datatype) == [.float32, .bytes])
    #expect(request.inputs.map(\.shape) == [[2, 3], [2]])
    let floats = request.inputs[0].content.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    #expect(floats == [0.5, -1, 2, 3, 4, 1e-30])
    #expect(try request.inputs[1].strings(2).map { Array($0) } == [Array("é".utf8), [0, 255]])
    #expect(request.outputs.map(\.name) == ["y"])
    #expect(request.outputs[0].classes == 2)
    #expect(request.parameters["sequence_id"]?.count == 1 << 40)
    #expect(request.parameters["sequence_start"] == .flag(true))
    #expect(request.parameters["label"] == .text("hello"))
    #expect(request.parameters["weight"] == .number(0.25))
    #expect(request.parameters["offset"] == .integer(-5))
    #expect(try request.timeout == .microseconds(250_000))
  }

  @Test func typedContents() throws {
    let request = try ModelInferRequest(try fixture("typed_request.bin")[...]).request
    let contents = Dictionary(uniqueKeysWithValues: request.inputs.map { ($0.name, $0.content) })
    #expect(contents["BOOL"] == [1, 0])
    #expect(contents["INT8"] == [128, 127])
    #expect(contents["INT16"] == [0, 128, 255, 127])
    #expect(contents["INT32"] == [255, 255, 255, 255, 7, 0, 0, 0])
    #expect(contents["INT64"] == [0, 0, 0, 0, 0, 0, 0, 128, 1, 0, 0, 0, 0, 0, 0, 0])
    #expect(contents["UINT8"] == [0, 255])
    #expect(contents["UINT16"] == [255, 255, 1, 0])
    #expect(contents["UINT32"] == [255, 255, 255, 255, 1, 0, 0, 0])
    #expect(
      contents["UINT64"] == [255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0])
    #expect(contents["FP32"] == [0, 0, 192, 63, 0, 0, 128, 191])
    #expect(contents["FP64"] == [0, 0, 0, 0, 0, 0, 248, 63, 0, 0, 0, 0, 0, 0, 240, 191])
    #expect(contents["BYTES"] == [1, 0, 0, 0, 97, 0, 0, 0, 0])
  }

  @Test func damagedMessages() throws {
    for name in ["raw_request.bin", "typed_request.bin"] {
      let bytes = try fixture(name)
      for end in 0..<bytes.count { _ = try? ModelInferRequest(bytes[..<end]) }
      for index in bytes.indices {
        for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
          var changed = bytes
          changed[index] = value
          _ = try? ModelInferRequest(changed[...])
        }
      }
    }
  }

  @Test(arguments: [
    [0x0A], [0x0A, 0x05, 0x61], [0x07], [0x00, 0x00], [0x08] + Array(repeating: 0xFF, count: 11),
  ])
  func refusals(_ bytes: [UInt8]) {
    #expect(throws: ServingError.self) { try ModelRequest(bytes[...]) }
  }

  @Test func numbersOfVariableLength() throws {
    for value: UInt64 in [0, 1, 127, 128, 300, 1 << 35, .max] {
      var writer = WireWriter()
      writer.varint(value)
      var reader = WireReader(writer.bytes[...])
      #expect(try reader.varint() == value)
      #expect(reader.isAtEnd)
    }
  }
}
