/// The type of the elements of a tensor or of a stored parameter.
public enum ElementType: String, Hashable, Sendable, CaseIterable, Encodable {
  /// IEEE 754 single precision, the type of every value at the API.
  case float32 = "f32"
  /// IEEE 754 half precision.
  case float16 = "f16"
  /// The upper half of a single-precision number.
  case bfloat16 = "bf16"
  /// IEEE 754 double precision, in some parameter files.
  case float64 = "f64"
  /// Signed 8-bit integer.
  case int8 = "i8"
  /// Unsigned 8-bit integer.
  case uint8 = "u8"
  /// Signed 32-bit integer.
  case int32 = "i32"
  /// Signed 64-bit integer.
  case int64 = "i64"
  /// Boolean, one byte.
  case bool

  /// The size of one element in bytes.
  public var byteCount: Int {
    switch self {
    case .float64, .int64: 8
    case .float32, .int32: 4
    case .float16, .bfloat16: 2
    case .int8, .uint8, .bool: 1
    }
  }
}
