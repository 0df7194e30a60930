import Forge
import ForgeImporters
import ForgeTestSupport
import Foundation
import Testing

/// The arguments of operations and of attention in Keras's descriptions: none is ignored.
@Suite struct KerasOperationTests {
  private let values = seededValues(count: 12, seed: 5).map { $0 * 4 }

  /// A network of one operation of Keras 3 on 3 positions of 4 channels.
  private func description(
    _ kind: String, _ config: String, module: String = "keras.src.ops.numpy"
  ) -> String {
    let tensor =
      #"{"class_name": "__keras_tensor__", "config": {"keras_history": ["x", 0, 0]}}"#
    return """
      {"class_name": "Functional", "config": {"name": "net", "layers": [
        {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
         "config": {"name": "x", "batch_shape": [null, 3, 4]}},
        {"module": "\(module)", "class_name": "\(kind)", "name": "y",
         "config": {"name": "y"\(config)},
         "inbound_nodes": [{"args": [\(tensor)], "kwargs": {}}]}],
       "input_layers": ["x", 0, 0], "output_layers": ["y", 0, 0]}}
      """
  }

  private func result(_ kind: String, _ config: String) throws -> [Float] {
    let imported = try ImportedModel(kerasDescription: description(kind, config))
    return try imported.model.compile().predict(values)
  }

  private func expect(
    _ kind: String, _ config: String, _ function: (Float) -> Float,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    expectClose(
      try result(kind, config), values.map(function), relativeL2: 1e-6, kind,
      sourceLocation: sourceLocation)
  }

  @Test func numbersOfFunctions() throws {
    try expect("Celu", #", "alpha": 2.5"#) { $0 > 0 ? $0 : 2.5 * (exp($0 / 2.5) - 1) }
    try expect("Celu", "") { $0 > 0 ? $0 : exp($0) - 1 }
    try expect("SoftShrink", #", "threshold": 1.5"#) {
      $0 > 1.5 ? $0 - 1.5 : $0 < -1.5 ? $0 + 1.5 : 0
    }
    try expect("HardShrink", #", "threshold": 1.5"#) { abs($0) > 1.5 ? $0 : 0 }
    try expect("Round", #", "decimals": 0"#) { $0.rounded(.toNearestOrEven) }
  }

  @Test func comparisonsAndTruthValues() throws {
    let comparisons: [(String, (Float, Float) -> Bool)] = [
      ("Equal", { $0 == $1 }), ("NotEqual", { $0 != $1 }), ("Greater", { $0 > $1 }),
      ("GreaterEqual", { $0 >= $1 }), ("Less", { $0 < $1 }), ("LessEqual", { $0 <= $1 }),
      ("LogicalAnd", { $0 != 0 && $1 != 0 }), ("LogicalOr", { $0 != 0 || $1 != 0 }),
      ("LogicalXor", { ($0 != 0) != ($1 != 0) }),
    ]
    for (name, holds) in comparisons {
      // One of the values, as each operand.
      let number = values[5]
      try expect(name, #", "x2": \#(number)"#) { holds($0, number) ? 1 : 0 }
      try expect(name, #", "x1": \#(number)"#) { holds(number, $0) ? 1 : 0 }
    }
    try expect("LogicalNot", "") { $0 == 0 ? 1 : 0 }
    try expect("ZerosLike", #", "dtype": "bool""#) { _ in 0 }
    try expect("OnesLike", "") { _ in 1 }
    for (kind, isTrue) in [
      ("Any", { (x: Float, y: Float) in x + y > 0 }), ("All", { $0 * $1 > 0 }),
    ] {
      // Along the channels: the first two positions of Booleans 1, 0 and 1, 1.
      let truths: [Float] = [1, 0, 1, 1, 0, 0].flatMap { [$0, $0] }
      let imported = try ImportedModel(kerasDescription: description(kind, #", "axis": 1"#))
      let found = try imported.model.compile().predict(truths)
      let expected = (0..<4).map { channel in
        let column = (0..<3).map { truths[$0 * 4 + channel] }
        return column.dropFirst().reduce(column[0]) { isTrue($0, $1) ? 1 : 0 }
      }
      #expect(found == expected, "\(kind)")
    }
  }

  @Test func casts() throws {
    try expect("Cast", #", "dtype": "int32""#) { $0.rounded(.towardZero) }
    try expect("Cast", #", "dtype": "bool""#) { $0 != 0 ? 1 : 0 }
    try expect("Cast", #", "dtype": "float16""#) { $0 }
    try expect("ConvertToTensor", #", "dtype": "int32""#) { $0.rounded(.towardZero) }
    try expect("ConvertToTensor", "") { $0 }
  }

  @Test func softmaxAlongAnAxis() throws {
    let expected = (0..<12).map { place -> Float in
      let column = (0..<3).map { values[$0 * 4 + place % 4] }
      return values[place] - log(column.reduce(0) { $0 + exp($1) })
    }
    expectClose(try result("LogSoftmax", #", "axis": 1"#), expected, relativeL2: 1e-6)
    let turned = try ImportedModel(
      kerasDescription: description("Transpose", #", "axes": [0, -1, 1]"#))
    #expect(turned.model.outputs[0].shape == Shape(sizes: [4, 3]))
  }

  private func error(
    _ kind: String, _ config: String, module: String = "keras.src.ops.numpy"
  ) -> String {
    do {
      _ = try ImportedModel(kerasDescription: description(kind, config, module: module))
    } catch {
      return "\(error)"
    }
    return ""
  }

  @Test func argumentsThatForgeDoesNotTakeAreErrors() {
    #expect(error("Max", #", "axis": 1, "keepdims": false, "initial": 2.0"#).contains("initial"))
    #expect(error("Max", #", "axis": 1, "keepdims": false, "initial": null"#) == "")
    #expect(error("Round", #", "decimals": 2"#).contains("decimals"))
    #expect(error("Relu", #", "threshold": 2.0"#).contains("threshold"))
    #expect(error("Cast", #", "dtype": "uint8""#).contains("uint8"))
  }

  @Test func optionsOfLayersThatForgeDoesNotTakeAreErrors() {
    let attention = #", "num_heads": 2, "key_dim": 3"#
    for option in [#""sliding_window": 2"#, #""use_gate": true"#] {
      #expect(
        error("MultiHeadAttention", "\(attention), \(option)", module: "keras.layers")
          .contains(option.split(separator: "\"")[0]), "\(option)")
    }
    let scale = #", "scale": [[1], [2], [3]], "offset": 0"#
    #expect(error("Rescaling", scale, module: "keras.layers").contains("scale"))
  }
}
