import ForgeServing
import Foundation
import Testing

@Suite struct JSONTests {
  /// The tensors of a request whose only input has some data.
  private func tensor(
    _ datatype: String, _ shape: String, _ data: String
  ) throws -> TensorData {
    let json = """
      {"inputs": [{"name": "x", "data": \(data), "shape": \(shape), "datatype": "\(datatype)"}]}
      """
    return try InferenceRequest(body: Array(json.utf8)[...]).inputs[0]
  }

  @Test func elementsOfEveryType() throws {
    #expect(try tensor("BOOL", "[3]", "[true, false, 1]").content == [1, 0, 1])
    #expect(try tensor("UINT8", "[2]", "[0, 255]").content == [0, 255])
    #expect(try tensor("INT8", "[2]", "[-128, 127]").content == [128, 127])
    #expect(try tensor("UINT16", "[1]", "[65535]").content == [255, 255])
    #expect(try tensor("INT16", "[1]", "[-2]").content == [254, 255])
    #expect(try tensor("UINT32", "[1]", "[4294967295]").content == [255, 255, 255, 255])
    #expect(try tensor("INT32", "[1]", "[-2147483648]").content == [0, 0, 0, 128])
    #expect(
      try tensor("UINT64", "[1]", "[18446744073709551615]").content
        == Array(repeating: 255, count: 8)[...])
    #expect(
      try tensor("INT64", "[1]", "[-9223372036854775808]").content
        == [0, 0, 0, 0, 0, 0, 0, 128])
    #expect(try tensor("FP32", "[1, 2]", "[[1.5, -0]]").content == [0, 0, 192, 63, 0, 0, 0, 128])
    #expect(try tensor("FP64", "[1]", "[1e0]").content == [0, 0, 0, 0, 0, 0, 240, 63])
    #expect(
      try tensor("BYTES", "[2]", #"["a\u00e9", ""]"#).content
        == [3, 0, 0, 0, 97, 195, 169, 0, 0, 0, 0])
    #expect(try tensor("FP32", "[0]", "[]").content.isEmpty)
  }

  @Test(arguments: [
    ("UINT8", "[1]", "[256]"), ("INT8", "[1]", "[-129]"), ("INT32", "[1]", "[1.5]"),
    ("INT64", "[1]", "[9223372036854775808]"), ("UINT8", "[1]", "[-1]"),
    ("FP32", "[1]", "[1e39]"), ("FP64", "[1]", "[1e999]"), ("FP32", "[1]", "[\"1\"]"),
    ("FP32", "[2]", "[1]"), ("FP32", "[1]", "[1, 2]"), ("FP16", "[1]", "[1]"),
    ("BF16", "[1]", "[1]"), ("BYTES", "[1]", "[1]"), ("FP32", "[1]", "[NaN]"),
    ("FP32", "[1]", "[01]"), ("FP32", "[1]", "[.5]"), ("FP32", "[1]", "[1.]"),
    ("FP32", "[-1]", "[1]"), ("FP32", "[4611686018427387904, 4]", "[1]"), ("FP8", "[1]", "[1]"),
    ("FP32", "[1000000000]", "[1]"), ("FP32", "[1]", "null"), ("FP32", "[1]", "[1,]"),
    ("BYTES", "[1]", #"["\ud800"]"#), ("BYTES", "[1]", "[\"a\u{1}\"]"),
  ])
  func refusals(_ datatype: String, _ shape: String, _ data: String) {
    let error = #expect(throws: ServingError.self) { try tensor(datatype, shape, data) }
    #expect(error?.kind == .invalid)
  }

  @Test func depthIsBounded() {
    let deep = String(repeating: "[", count: 100_000)
    let error = #expect(throws: ServingError.self) { try tensor("FP32", "[1]", deep) }
    #expect(error?.message.contains("64 levels") == true)
  }

  @Test func binaryTensorsFollowTheJSON() throws {
    let json = """
      {"id": "7", "parameters": {"binary_data_output": true, "timeout": 1500},
       "inputs": [
        {"name": "a", "shape": [2], "datatype": "INT16", "parameters": {"binary_data_size": 4}},
        {"name": "b", "shape": [1], "datatype": "FP32", "data": [1]},
        {"name": "c", "shape": [1], "datatype": "BYTES", "parameters": {"binary_data_size": 5}}],
       "outputs": [{"name": "y", "parameters": {"binary_data": false, "classification": 3}}]}
      """
    let body = Array(json.utf8) + [1, 0, 2, 0] + [1, 0, 0, 0, 65]
    let request = try InferenceRequest(body: body[...], jsonCount: json.utf8.count)
    #expect(request.id == "7")
    #expect(request.isBinaryOutput)
    #expect(try request.timeout == .microseconds(1500))
    #expect(request.inputs.map(\.name) == ["a", "b", "c"])
    #expect(request.inputs[0].content == [1, 0, 2, 0])
    #expect(request.inputs[2].content == [1, 0, 0, 0, 65])
    #expect(
      request.outputs == [InferenceRequest.Output(name: "y", isBinary: false, classes: 3)])
    for wrong in [body + [0], Array(body.dropLast())] {
      #expect(throws: ServingError.self) {
        try InferenceRequest(body: wrong[...], jsonCount: json.utf8.count)
      }
    }
    #expect(throws: ServingError.self) {
      try InferenceRequest(body: body[...], jsonCount: body.count + 1)
    }
  }

  @Test func responsesAreReadByFoundation() throws {
    let floats: [Float] = [1.5, -3.25e-7, 16_777_216]
    var strings: [UInt8] = []
    for text in ["\"\\\n", "é🙂"] { TensorData.append(text.utf8, to: &strings) }
    let response = InferenceResponse(
      modelName: "m\"1", modelVersion: "3", id: "x",
      outputs: [
        TensorData(
          name: "f", datatype: .float32, shape: [3],
          content: floats.withUnsafeBytes { Array($0) }[...]),
        TensorData(name: "s", datatype: .bytes, shape: [2], content: strings[...]),
        TensorData(name: "b", datatype: .bool, shape: [2], content: [1, 0]),
        TensorData(name: "i", datatype: .int16, shape: [1], content: [0, 128]),
      ], isBinary: [false, false, false, true])
    let (bytes, count) = try response.body()
    let json = try #require(count)
    #expect(Array(bytes.dropFirst(json)) == [0, 128])
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(bytes.prefix(json))) as? [String: Any])
    #expect(object["model_name"] as? String == "m\"1")
    let outputs = try #require(object["outputs"] as? [[String: Any]])
    #expect((outputs[0]["data"] as? [Double])?.map(Float.init) == floats)
    #expect(outputs[1]["data"] as? [String] == ["\"\\\n", "é🙂"])
    #expect(outputs[2]["data"] as? [Bool] == [true, false])
    #expect((outputs[3]["parameters"] as? [String: Int])?["binary_data_size"] == 2)
  }

  @Test func valuesThatAreNotFiniteHaveNoJSON() throws {
    let output = TensorData(
      name: "y", datatype: .float32, shape: [1],
      content: Float.nan.bitPattern.bytes[...])
    let response = InferenceResponse(
      modelName: "m", modelVersion: "1", id: "", outputs: [output], isBinary: [false])
    #expect(throws: ServingError.self) { try response.body() }
  }

  /// Every change of one byte and every prefix is answered or refused, never a trap.
  @Test func damagedRequests() {
    let json = #"{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[[1.5e0,2]]}]}"#
    let bytes = Array(json.utf8)
    for end in 0..<bytes.count { _ = try? InferenceRequest(body: bytes[..<end]) }
    for index in bytes.indices {
      for value: UInt8 in [0, 0x22, 0x5C, 0x5B, 0x7B, 0x2D, 0x39, 0xFF] {
        var changed = bytes
        changed[index] = value
        _ = try? InferenceRequest(body: changed[...])
      }
    }
  }
}

extension UInt32 {
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
