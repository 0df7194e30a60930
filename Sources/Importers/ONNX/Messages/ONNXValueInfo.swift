import Forge

/// The name and the type of an input or an output, a `ValueInfoProto`.
struct ONNXValueInfo: Sendable {
  private(set) var name = ""
  /// The type; `nil` if it is not stated.
  private(set) var type: ONNXType?
  private(set) var docString = ""

  init(_ message: WireMessage) throws(ImportError) {
    try message.file.take(bytes: MemoryLayout<ONNXValueInfo>.stride)
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: name = try field.name()
      case 2:
        guard type == nil else { throw message.file.malformed }
        type = try ONNXType(try field.message())
      case 3: docString = try field.string()
      default: break
      }
    }
  }
}

/// The type of a value, a `TypeProto`.
enum ONNXType: Sendable {
  /// A tensor with the number of its element type, and its axes; `nil` if they are not stated.
  case tensor(element: Int32, shape: [ONNXDimension]?)
  case sequence
  case map
  case sparseTensor
  case optional
  /// A type without a value, or one that this list lacks.
  case other

  init(_ message: WireMessage) throws(ImportError) {
    var found: ONNXType?
    try message.forEachField { field throws(ImportError) in
      let type: ONNXType
      switch field.number {
      case 1: type = try .tensor(try field.message())
      case 4: type = .sequence
      case 5: type = .map
      case 8: type = .sparseTensor
      case 9: type = .optional
      default: return
      }
      guard found == nil else { throw message.file.malformed }
      found = type
    }
    self = found ?? .other
  }

  private static func tensor(_ message: WireMessage) throws(ImportError) -> ONNXType {
    var element: Int32 = 0
    var shape: [ONNXDimension]?
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: element = try field.int32()
      case 2:
        guard shape == nil else { throw message.file.malformed }
        var axes: [ONNXDimension] = []
        try field.message().forEachField { field throws(ImportError) in
          if field.number == 1 { axes.append(try ONNXDimension(try field.message())) }
        }
        shape = axes
      default: break
      }
    }
    return .tensor(element: element, shape: shape)
  }
}

/// The size of an axis.
enum ONNXDimension: Sendable {
  case size(Int)
  /// A name that stands for the size.
  case named(String)
  case unknown

  init(_ message: WireMessage) throws(ImportError) {
    var found = ONNXDimension.unknown
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: found = .size(try field.int())
      case 2: found = .named(try field.string())
      default: break
      }
    }
    self = found
  }

  /// The size; `nil` if it is open.
  var size: Int? { if case .size(let size) = self { size } else { nil } }

  /// The name that stands for the size; `nil` if it has none.
  var name: String? { if case .named(let name) = self, !name.isEmpty { name } else { nil } }
}
