#if Macros
  import SwiftSyntax

  extension NetworkEvaluation {
    /// The values that a closure returns in a tuple, as text with their types.
    ///
    /// A value that is not known is `nil`. Tests compare the others with those of the running
    /// program.
    package func shownValues(of closure: ClosureExprSyntax) -> [String?] {
      let count = closure.statements.last?.item.as(ReturnStmtSyntax.self)?.expression?
        .as(TupleExprSyntax.self)?.elements.count
      let value = call(closure)
      guard case .tuple(let tuple) = value else {
        return [String?](repeating: nil, count: count ?? 1)
      }
      return tuple.elements.map { ShownValue.text(of: $0.value) }
    }
  }

  /// The text of a value with its type.
  enum ShownValue {
    static func text(of value: Value) -> String? {
      switch value {
      case .number(let number): return number.defaulted.map { "\($0.type.rawValue) \($0.text)" }
      case .bool(let bool): return "\(bool)"
      case .string(let text): return "\"\(text)\""
      case .none, .optional(nil, _): return "nil"
      case .optional(let value?, _): return text(of: value).map { "some(\($0))" }
      case .array(let array):
        guard array.kind != .unordered || array.count <= 1 else { return nil }
        return list(array.elements).map { "[\($0.joined(separator: ", "))]" }
      case .set(let set):
        return list(Array(set.members.values)).map { "{\($0.sorted().joined(separator: ", "))}" }
      case .dictionary(let dictionary):
        let entries = dictionary.entries.values
        guard let keys = list(entries.map(\.key)), let values = list(entries.map(\.value)) else {
          return nil
        }
        let pairs = zip(keys, values).map { "\($0): \($1)" }
        return "{\(pairs.sorted().joined(separator: ", "))}"
      default: return nil
      }
    }

    private static func list(_ values: [Value]) -> [String]? {
      var texts: [String] = []
      for value in values {
        guard let text = text(of: value) else { return nil }
        texts.append(text)
      }
      return texts
    }
  }
#endif
