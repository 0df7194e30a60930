/// A value in the description of a layer or node of a model file: JSON, in plain Swift.
public enum ImportedValue: Sendable, Hashable {
  /// Nothing: `null` in JSON, `None` in Python.
  case null
  /// A Boolean.
  case flag(Bool)
  /// A whole number.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// A text.
  case text(String)
  /// Values in order.
  case list([ImportedValue])
  /// Values by name.
  case object([String: ImportedValue])

  /// The Boolean; `nil` for anything else.
  public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }

  /// The whole number, which may be written as `3.0`; `nil` for anything else.
  public var integer: Int? {
    switch self {
    case .integer(let integer): integer
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The number in single precision; `nil` for anything else.
  public var number: Float? {
    switch self {
    case .integer(let integer): Float(integer)
    case .number(let number): Float(number)
    default: nil
    }
  }

  /// The text; `nil` for anything else.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The values in order; `nil` for anything else.
  public var list: [ImportedValue]? { if case .list(let list) = self { list } else { nil } }

  /// The value of a name in an object; `nil` for anything else.
  public subscript(name: String) -> ImportedValue? {
    if case .object(let values) = self { values[name] } else { nil }
  }
}
