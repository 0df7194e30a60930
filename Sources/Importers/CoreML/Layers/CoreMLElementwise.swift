import Forge

extension CoreMLLayerType {
  /// Layers of several tensors, element by element, with NumPy's broadcasting.
  static let elementwise: [CoreMLLayerType] = [
    combination("add", field: 230, "Add", isWithNumber: true),
    combination("multiply", field: 231, "Mul", isWithNumber: true),
    CoreMLLayerType("average", field: 240) { call in
      call.set(try call.node("Mean", try call.values()))
    },
    combination("max", field: 260, "Max"), combination("min", field: 261, "Min"),
    comparison("equal", field: 815, "Equal", number: 1),
    CoreMLLayerType("notEqual", field: 820) { call in
      let isEqual = try compared(&call, "Equal", number: 1)
      call.set(try call.node("Not", [isEqual]))
    },
    comparison("lessThan", field: 825, "Less", number: 2),
    comparison("lessEqual", field: 827, "LessOrEqual", number: 2),
    comparison("greaterThan", field: 830, "Greater", number: 2),
    comparison("greaterEqual", field: 832, "GreaterOrEqual", number: 2),
    combination("logicalOr", field: 840, "Or"), combination("logicalXor", field: 845, "Xor"),
    combination("logicalAnd", field: 855, "And"),
    combination("modBroadcastable", field: 865, "Mod"),
    combination("minBroadcastable", field: 870, "Min"),
    combination("maxBroadcastable", field: 875, "Max"),
    combination("addBroadcastable", field: 880, "Add"),
    combination("powBroadcastable", field: 885, "Pow"),
    combination("divideBroadcastable", field: 890, "Div"),
    CoreMLLayerType("floorDivBroadcastable", field: 895) { call in
      let quotient = try combined(&call, "Div", try call.values(atLeast: 2))
      call.set(try call.node("Floor", [quotient]))
    },
    combination("multiplyBroadcastable", field: 900, "Mul"),
    combination("subtractBroadcastable", field: 905, "Sub"),
    CoreMLLayerType("whereBroadcastable", field: 1330) { call in
      guard call.inputs.count == 3 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
      call.set(try call.node("Where", try call.values()))
    },
  ]

  /// A combination of all inputs, or of one and a number.
  private static func combination(
    _ name: String, field: Int, _ type: String, isWithNumber: Bool = false
  ) -> CoreMLLayerType {
    CoreMLLayerType(name, field: field) { call in
      var values = try call.values(atLeast: isWithNumber ? 1 : 2)
      if values.count == 1 { values.append(.number(try call.fields.float(1))) }
      call.set(try combined(&call, type, values))
    }
  }

  /// Values combined from the first to the last.
  private static func combined(
    _ call: inout CoreMLCall, _ type: String, _ values: [FileValue]
  ) throws -> FileValue {
    try values.dropFirst().reduce(values[0]) { try call.node(type, [$0, $1]) }
  }

  private static func comparison(
    _ name: String, field: Int, _ type: String, number: Int
  ) -> CoreMLLayerType {
    CoreMLLayerType(name, field: field) { call in
      call.set(try compared(&call, type, number: number))
    }
  }

  /// A comparison of two inputs, or of one and the number in a field.
  private static func compared(
    _ call: inout CoreMLCall, _ type: String, number: Int
  ) throws -> FileValue {
    var values = try call.values()
    if values.count == 1 { values.append(.number(try call.fields.float(number))) }
    guard values.count == 2 else { throw NodeFailure.invalid("\(values.count) inputs") }
    return try call.node(type, values)
  }
}
