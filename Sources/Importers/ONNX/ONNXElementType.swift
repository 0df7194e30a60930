import Forge

extension ElementType {
  /// The element type of a number of ONNX's `TensorProto.DataType`; `nil` for types that Forge does
  /// not compute with, such as strings and complex numbers.
  init?(onnx type: Int32) {
    switch type {
    case 1: self = .float32
    case 2: self = .uint8
    case 3: self = .int8
    case 6: self = .int32
    case 7: self = .int64
    case 9: self = .bool
    case 10: self = .float16
    case 11: self = .float64
    case 16: self = .bfloat16
    default: return nil
    }
  }
}

/// The names of ONNX's element types, for messages.
enum ONNXTypeName {
  private static let names = [
    "undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool",
    "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16",
    "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
    "float4e2m1", "float8e8m0", "uint2", "int2",
  ]

  /// The name of a type by its number.
  static func name(_ type: Int32) -> String {
    names.indices.contains(Int(type)) ? names[Int(type)] : "number \(type)"
  }
}
