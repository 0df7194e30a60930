/// The value of a parameter of a request, a tensor or a response.
public enum ParameterValue: Hashable, Sendable {
  case flag(Bool)
  case integer(Int64)
  /// An integer above the range of `Int64`, and every one that a client sends as unsigned.
  case unsigned(UInt64)
  case number(Double)
  case text(String)

  /// The Boolean; `nil` for another type.
  public var flag: Bool? { if case .flag(let value) = self { value } else { nil } }

  /// The integer of at least 0; `nil` for another value.
  public var count: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsigned(let value): value
    default: nil
    }
  }

  /// The text; `nil` for another type.
  public var text: String? { if case .text(let value) = self { value } else { nil } }
}
