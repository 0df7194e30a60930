#if Macros
  /// A type of numbers in the source of a network.
  enum NumberType: String, CaseIterable, Hashable, Sendable {
    case int = "Int"
    case int8 = "Int8"
    case int16 = "Int16"
    case int32 = "Int32"
    case int64 = "Int64"
    case uint = "UInt"
    case uint8 = "UInt8"
    case uint16 = "UInt16"
    case uint32 = "UInt32"
    case uint64 = "UInt64"
    case float16 = "Float16"
    case float = "Float"
    case double = "Double"

    /// A floating-point type that reads and writes its own text.
    typealias Real = BinaryFloatingPoint & LosslessStringConvertible

    /// The position among all types.
    var index: Int { Self.indices[self] ?? 0 }

    private static let indices = Dictionary(
      uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })

    /// The type of Swift, if it is one of whole numbers.
    var integer: (any FixedWidthInteger.Type)? {
      switch self {
      case .int: Int.self
      case .int8: Int8.self
      case .int16: Int16.self
      case .int32: Int32.self
      case .int64: Int64.self
      case .uint: UInt.self
      case .uint8: UInt8.self
      case .uint16: UInt16.self
      case .uint32: UInt32.self
      case .uint64: UInt64.self
      case .float16, .float, .double: nil
      }
    }

    /// The type of Swift, if it is a floating-point one; `nil` if the machine lacks it, too.
    var real: (any Real.Type)? {
      switch self {
      case .float16:
        #if os(macOS) && arch(x86_64)
          nil
        #else
          Float16.self
        #endif
      case .float: Float.self
      case .double: Double.self
      default: nil
      }
    }

    /// Whether it is a floating-point type.
    var isReal: Bool {
      switch self {
      case .float16, .float, .double: true
      default: false
      }
    }
  }
#endif
