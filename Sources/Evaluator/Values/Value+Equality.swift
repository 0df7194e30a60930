#if Macros
  extension Value {
    /// Whether two values are equal; `nil` if that is not known.
    static func areEqual(_ a: Value, _ b: Value) -> Bool? {
      switch (a, b) {
      case (.unknown, _), (_, .unknown): return nil
      case (.none, .none), (.void, .void): return true
      case (.none, .optional(let value, _)), (.optional(let value, _), .none): return value == nil
      case (.none, _), (_, .none): return false
      case (.optional(let a, _), .optional(let b, _)):
        switch (a, b) {
        case (nil, nil): return true
        case (let a?, let b?): return areEqual(a, b)
        default: return false
        }
      case (.optional(let a, _), _): return a.map { areEqual($0, b) } ?? false
      case (_, .optional(let b, _)): return b.map { areEqual(a, $0) } ?? false
      case (.number(let a), .number(let b)): return Number.compare(a, "==", b)
      case (.bool(let a), .bool(let b)): return a == b
      case (.string(let a), .string(let b)): return a == b
      case (.shape(let a), .shape(let b)): return a == b
      case (.tensor(let a), .tensor(let b)): return a == b
      case (.range(let a), .range(let b)):
        guard a.isClosed == b.isClosed, let a = a.bounds, let b = b.bounds else { return nil }
        return a == b
      case (.member(let a, let x), .member(let b, let y)):
        // Two ways to write a value with arguments may mean the same.
        guard a == b, x.count == y.count else { return x.isEmpty && y.isEmpty ? false : nil }
        return areAllEqual(zip(x, y).map { areEqual($0.value, $1.value) })
      case (.enumCase(let x), .enumCase(let y)):
        guard x.type === y.type, !x.type.hasOwnEquality else { return nil }
        guard x.name == y.name else { return false }
        return areAllEqual(zip(x.payload, y.payload).map { areEqual($0.value, $1.value) })
      case (.instance(let x), .instance(let y)):
        guard x.type === y.type, !x.type.hasOwnEquality else { return nil }
        return areAllEqual(
          x.type.stored.map { property in
            guard let a = x.fields[property.name], let b = y.fields[property.name] else {
              return nil
            }
            return areEqual(a, b)
          })
      case (.tuple(let x), .tuple(let y)):
        guard x.elements.count == y.elements.count else { return nil }
        return areAllEqual(zip(x.elements, y.elements).map { areEqual($0.value, $1.value) })
      case (.array(let x), .array(let y)):
        guard x.kind != .unordered, y.kind != .unordered else { return nil }
        guard x.count == y.count else { return false }
        return areAllEqual(zip(x.elements, y.elements).map { areEqual($0, $1) })
      case (.dictionary(let x), .dictionary(let y)):
        guard x.count == y.count else { return false }
        return areAllEqual(
          x.entries.map { key, entry in y[key].map { areEqual(entry.value, $0) } ?? false })
      case (.set(let x), .set(let y)): return x.keys == y.keys
      default: return nil
      }
    }

    private static func areAllEqual(_ results: [Bool?]) -> Bool? {
      // Which comparison comes first does not matter, as none of them has an effect.
      if results.contains(false) { return false }
      return results.contains(nil) ? nil : true
    }

    /// The result of `<`, `<=`, `>` or `>=`; `nil` if it is not known.
    static func compare(_ a: Value, _ symbol: String, _ b: Value) -> Bool? {
      switch (a, b) {
      case (.number(let a), .number(let b)): return Number.compare(a, symbol, b)
      case (.string(let a), .string(let b)): return Scalar.ordered(a, symbol, b)
      case (.tuple(let x), .tuple(let y)):
        guard x.elements.count == y.elements.count, x.elements.count <= 6 else { return nil }
        // The first elements that differ decide.
        for (a, b) in zip(x.elements.map(\.value), y.elements.map(\.value)) {
          guard let isEqual = areEqual(a, b) else { return nil }
          if !isEqual { return compare(a, symbol, b) }
        }
        return symbol == "<=" || symbol == ">="
      default: return nil
      }
    }
  }
#endif
