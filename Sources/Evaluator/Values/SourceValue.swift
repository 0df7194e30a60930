#if Macros
  import ForgeLayers
  import ForgeOperations
  import ForgeShapes

  /// A type that an argument of a layer's initializer may have.
  protocol SourceValue {
    /// Converts an evaluated expression; `nil` if the type does not admit it.
    static func converted(from value: Value) -> Self?
  }

  extension Int: SourceValue {
    static func converted(from value: Value) -> Int? {
      if case .number(let number) = value { number.reading(.int)?.int } else { nil }
    }
  }

  extension Float: SourceValue {
    static func converted(from value: Value) -> Float? {
      guard case .number(let number) = value else { return nil }
      return number.reading(.float)?.real(Float.self)
    }
  }

  extension Bool: SourceValue {
    static func converted(from value: Value) -> Bool? {
      if case .bool(let bool) = value { bool } else { nil }
    }
  }

  extension String: SourceValue {
    static func converted(from value: Value) -> String? {
      if case .string(let string) = value { string } else { nil }
    }
  }

  extension Shape: SourceValue {
    static func converted(from value: Value) -> Shape? {
      if case .shape(let shape) = value { shape } else { nil }
    }
  }

  extension ClosedRange: SourceValue where Bound == Int {
    static func converted(from value: Value) -> ClosedRange<Int>? {
      guard case .range(let range) = value, range.isClosed, let (lower, end) = range.bounds,
        lower < end
      else { return nil }
      return lower...(end - 1)
    }
  }

  extension Optional: SourceValue where Wrapped: SourceValue {
    static func converted(from value: Value) -> Wrapped?? {
      switch value {
      case .none, .optional(nil, _): return .some(nil)
      default: return Wrapped.converted(from: value.unwrapped).map(Optional.some)
      }
    }
  }

  extension Array: SourceValue where Element: SourceValue {
    static func converted(from value: Value) -> [Element]? {
      guard case .array(let array) = value, array.kind != .unordered else { return nil }
      var converted: [Element] = []
      for element in array.elements {
        guard let value = Element.converted(from: element) else { return nil }
        converted.append(value)
      }
      return converted
    }
  }

  extension Set: SourceValue where Element: SourceValue {
    static func converted(from value: Value) -> Set<Element>? {
      let values: [Value]
      switch value {
      case .array(let array): values = array.elements
      case .set(let set): values = Array(set.members.values)
      default: return nil
      }
      var converted: Set<Element> = []
      for value in values {
        guard let element = Element.converted(from: value) else { return nil }
        converted.insert(element)
      }
      return converted
    }
  }

  /// Two whole numbers, as in `kernel: (3, 5)`.
  struct Pair: SourceValue {
    let first: Int
    let second: Int

    static func converted(from value: Value) -> Pair? {
      guard case .tuple(let tuple) = value, tuple.elements.count == 2,
        let first = Int.converted(from: tuple.elements[0].value),
        let second = Int.converted(from: tuple.elements[1].value)
      else { return nil }
      return Pair(first: first, second: second)
    }
  }

  extension Padding {
    static func converted(fromLiteral value: Value) -> Padding? {
      guard case .number(let number) = value, number.isLiteral else { return nil }
      return number.reading(.int)?.int.map { .all($0) }
    }
  }
#endif
