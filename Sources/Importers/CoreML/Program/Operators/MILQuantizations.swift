import Forge

extension MILOperators {
  /// Integers of values that are computed at run time, and back.
  static let quantizations: [String: Operation] = [
    "quantize": { call in
      let type: ElementType =
        switch try call.text("output_dtype", "") {
        case "int8": .int8
        case "uint8": .uint8
        case let name: throw NodeFailure.unsupported("quantization to \(name.prefix(80))")
        }
      let zero = try zeroPoint(call, type)
      let operands = [try call.value("input"), try scale(call), zero]
      call.set(try call.node("QuantizeLinear", operands, try axis(call)))
    },
    "dequantize": { call in
      let input = try call.value("input")
      let zero = try zeroPoint(call, input.type)
      call.set(try call.node("DequantizeLinear", [input, try scale(call), zero], try axis(call)))
    },
  ]

  /// The scale, as Float32: results are not rounded to half precision.
  private static func scale(_ call: MILCall) throws -> FileValue {
    guard let scale = try call.known("scale") else { throw NodeFailure.invalid("no scale") }
    return .host(try scale.cast(to: .float32))
  }

  /// The zero points, as many as scales; 0 if they are left out.
  private static func zeroPoint(_ call: MILCall, _ type: ElementType) throws -> FileValue {
    guard [.int8, .uint8].contains(type) else {
      throw NodeFailure.invalid("integers of \(type.rawValue)")
    }
    if let zero = try call.known("zero_point") {
      guard zero.type == type else {
        throw NodeFailure.invalid("zero points of \(zero.type.rawValue) for \(type.rawValue)")
      }
      return .host(zero)
    }
    let count = try call.known("scale")?.count ?? 1
    let sizes = try call.known("scale")?.sizes ?? []
    return .host(
      HostTensor(integers: Array(repeating: 0, count: count), sizes: sizes, type: type))
  }

  private static func axis(_ call: MILCall) throws -> [String: NodeAttribute] {
    guard call.has("axis") else { return ["axis": .int(0)] }
    return ["axis": .int(try call.int("axis"))]
  }
}
