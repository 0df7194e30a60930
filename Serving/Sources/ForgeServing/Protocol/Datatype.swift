import Forge

/// The element type of a tensor in the Open Inference Protocol.
public enum Datatype: String, Sendable, CaseIterable {
  case bool = "BOOL"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case uint64 = "UINT64"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INT64"
  case float16 = "FP16"
  case bfloat16 = "BF16"
  case float32 = "FP32"
  case float64 = "FP64"
  /// Byte strings: each element has a length of 4 bytes before it.
  case bytes = "BYTES"

  /// The bytes of an element; `nil` for ``bytes``, whose elements differ.
  public var byteCount: Int? {
    switch self {
    case .bool, .uint8, .int8: 1
    case .uint16, .int16, .float16, .bfloat16: 2
    case .uint32, .int32, .float32: 4
    case .uint64, .int64, .float64: 8
    case .bytes: nil
    }
  }

  /// The name in a model configuration: `TYPE_FP32`.
  var configurationName: String { self == .bytes ? "TYPE_STRING" : "TYPE_\(rawValue)" }

  /// The number of this type in a model configuration.
  var configurationNumber: UInt64 {
    // The protocol numbers the types in this order from 1; bfloat16 came last.
    let order: [Datatype] = [
      .bool, .uint8, .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64, .float16, .float32,
      .float64, .bytes, .bfloat16,
    ]
    return UInt64((order.firstIndex(of: self) ?? -1) + 1)
  }

  /// The datatype of a port.
  init(_ type: ElementType) {
    self =
      switch type {
      case .bool: .bool
      case .int8: .int8
      case .uint8: .uint8
      case .int32: .int32
      case .int64: .int64
      case .float16: .float16
      case .bfloat16: .bfloat16
      case .float32: .float32
      case .float64: .float64
      }
  }

  /// The element type of a port of this datatype; `nil` if no port has it.
  var elementType: ElementType? {
    switch self {
    case .bool: .bool
    case .int8: .int8
    case .uint8: .uint8
    case .int32: .int32
    case .int64: .int64
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .float32: .float32
    case .float64: .float64
    case .uint16, .uint32, .uint64, .int16, .bytes: nil
    }
  }
}
