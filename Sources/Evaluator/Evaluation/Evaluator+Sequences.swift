#if Macros
  import SwiftSyntax

  /// Methods of sequences that change nothing.
  extension Evaluator {
    /// The elements of what a `for` loop may run over, in their order.
    func elements(of value: Value) -> [Value]? {
      switch value {
      case .array(let array):
        guard array.kind != .unordered || array.count <= 1 else { return nil }
        return array.elements
      case .range(let range):
        guard let (lower, upper) = range.bounds,
          case let (count, overflow) = upper.subtractingReportingOverflow(lower), !overflow,
          count <= Self.maximumElements
        else { return elements(ofNarrow: range) }
        charge(count)
        return (lower..<upper).map { .int($0) }
      case .dictionary(let dictionary) where dictionary.count <= 1:
        return dictionary.entries.values.map { .tuple([("key", $0.key), ("value", $0.value)]) }
      case .set(let set) where set.count <= 1: return Array(set.members.values)
      default: return nil
      }
    }

    /// The elements of a range of whole numbers that are not `Int`.
    private func elements(ofNarrow range: RangeValue) -> [Value]? {
      guard let lower = range.lower?.defaulted, let upper = range.upper?.defaulted,
        lower.type == upper.type, lower.type != .int, lower.type.integer != nil,
        let one = Number(literal: 1).reading(lower.type)
      else { return nil }
      var elements: [Value] = []
      var next = lower
      while Scalar.compare(next, range.isClosed ? "<=" : "<", upper) == true {
        guard elements.count < Self.maximumElements else { return nil }
        elements.append(.scalar(next))
        guard let sum = Scalar.combine(next, "+", one) else { break }
        next = sum
      }
      charge(elements.count)
      return elements
    }

    /// A sequence as an array value, of which only some members are allowed.
    func sequence(of value: Value) -> ArrayValue? {
      switch value {
      case .array(let array): return array
      case .range(let range):
        return elements(of: value).map {
          ArrayValue($0, of: range.type.element, kind: .sequence)
        }
      case .set(let set):
        charge(set.weight)
        return ArrayValue(Array(set.members.values), of: set.elementType, kind: .unordered)
      case .dictionary(let dictionary):
        charge(dictionary.weight)
        return ArrayValue(
          dictionary.entries.values.map { .tuple([("key", $0.key), ("value", $0.value)]) },
          of: value.type.element, kind: .unordered)
      default: return nil
      }
    }

    /// The value of a method of a sequence; `nil` if it is not followed.
    func sequenceMethod(
      _ name: String, of array: ArrayValue, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      charge(array.weight)
      let element = array.elementType ?? .unknown
      if array.kind == .unordered, array.count > 1 {
        return unorderedMethod(name, of: array, arguments, node)
      }
      let elements = array.elements
      let first = arguments.first?.value
      let label = arguments.first?.label
      let isIndexed = array.kind == .array || array.kind == .slice
      func made(_ values: [Value], _ kind: ArrayValue.Kind = .array, start: Int = 0) -> Value {
        .array(ArrayValue(values, of: element, kind: kind, start: start))
      }
      func part(_ range: Range<Int>) -> Value {
        made(
          Array(elements[range]), isIndexed ? .slice : .sequence,
          start: isIndexed ? array.start + range.lowerBound : 0)
      }
      switch (name, arguments.count) {
      case ("enumerated", 0):
        return .array(
          ArrayValue(
            elements.enumerated().map { .tuple([("offset", .int($0)), ("element", $1)]) },
            of: .tuple([("offset", .number(.int)), ("element", element)]), kind: .sequence))
      case ("reversed", 0): return made(elements.reversed(), .sequence)
      case ("dropFirst", 0...1), ("dropLast", 0...1), ("prefix", 1), ("suffix", 1):
        guard label == nil else { return nil }
        let number = first.map { Int.converted(from: $0) } ?? 1
        guard let number, number >= 0 else { return first?.unknownValue }
        let count = min(number, elements.count)
        switch name {
        case "dropFirst": return part(count..<elements.count)
        case "dropLast": return part(0..<elements.count - count)
        case "prefix": return part(0..<count)
        default: return part(elements.count - count..<elements.count)
        }
      case ("prefix", 1...), ("dropFirst", 1...): return nil
      case ("min", 0), ("max", 0), ("sorted", 0), ("min", 1), ("max", 1), ("sorted", 1):
        return ordered(name, array, arguments, node)
      case ("contains", 1) where label == nil:
        if case .function = first { break }
        guard let first else { return nil }
        let wanted = coerced(first, to: element, at: node)
        let results = elements.map { Value.areEqual($0, wanted) }
        return results.contains(true) ? .bool(true) : results.contains(nil) ? nil : .bool(false)
      case ("firstIndex", 1), ("lastIndex", 1):
        guard label == "of", isIndexed, let first else { break }
        let wanted = coerced(first, to: element, at: node)
        let results = elements.map { Value.areEqual($0, wanted) }
        guard !results.contains(nil) else { return nil }
        let found =
          name == "firstIndex" ? results.firstIndex(of: true) : results.lastIndex(of: true)
        return .optionalInt(found.map { $0 + array.start })
      case ("elementsEqual", 1) where label == nil, ("starts", 1):
        guard let first, let other = self.elements(of: coercedSequence(first, element, node)),
          name == "elementsEqual" || label == "with"
        else { return nil }
        if name == "elementsEqual", other.count != elements.count { return .bool(false) }
        if other.count > elements.count { return .bool(false) }
        let results = zip(elements, other).map { Value.areEqual($0, $1) }
        return results.contains(nil) ? nil : .bool(!results.contains(false))
      case ("joined", 0...1): return joined(elements, first, element, node)
      case ("reduce", 2): return reduced(array, arguments, node)
      default: break
      }
      return closureMethod(name, of: array, arguments, node)
    }

    /// A literal array with the element type of another sequence.
    func coercedSequence(_ value: Value, _ element: StaticType, _ node: Syntax) -> Value {
      guard case .array(let array) = value, array.elementType == nil else {
        return typed(value, at: node)
      }
      return coerced(value, to: .array(element), at: node)
    }

    /// The members of a dictionary or a set, where their order does not matter.
    private func unorderedMethod(
      _ name: String, of array: ArrayValue, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      switch (name, arguments.count) {
      case ("sorted", 0), ("min", 0), ("max", 0):
        // Equal whole numbers and equal strings are not told apart.
        switch array.elementType {
        case .number(let type)? where !type.isReal: return ordered(name, array, arguments, node)
        case .string?: return ordered(name, array, arguments, node)
        default: return nil
        }
      case ("contains", 1) where arguments[0].label == nil:
        if case .function = arguments[0].value { return nil }
        let wanted = coerced(arguments[0].value, to: array.elementType ?? .unknown, at: node)
        let results = array.elements.map { Value.areEqual($0, wanted) }
        return results.contains(true) ? .bool(true) : results.contains(nil) ? nil : .bool(false)
      default: return nil
      }
    }

    /// `min`, `max` and `sorted`, with or without a closure.
    private func ordered(
      _ name: String, _ array: ArrayValue, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      let element = array.elementType ?? .unknown
      var failure: Value?
      let isBefore: (Value, Value) -> Bool
      if arguments.isEmpty {
        isBefore = { a, b in
          if let result = Value.compare(a, "<", b) { return result }
          failure =
            failure ?? a.unknownValue ?? b.unknownValue
            ?? .unknown(Unknown(node, "the order of these values is not evaluated"))
          return false
        }
        for case .number(let number) in array.elements {
          // Not-a-number has no place in an order.
          if number.defaulted?.double?.isNaN == true { return nil }
        }
      } else {
        guard arguments[0].label == "by" || arguments[0].node.is(ClosureExprSyntax.self) else {
          return nil
        }
        let order = arguments[0]
        if name == "sorted", SourceEffects.isPossible(order.value, self) {
          // How often an order is asked is not stated.
          return nil
        }
        isBefore = { a, b in
          guard failure == nil else { return false }
          switch self.applied(order.value, [a, b], node) {
          case .bool(let bool): return bool
          case let other:
            failure =
              other.unknownValue
              ?? .unknown(Unknown(node, "the order of these values is not evaluated"))
            return false
          }
        }
      }
      let result: Value
      switch name {
      case "sorted":
        charge(array.count * 8)
        result = .array(ArrayValue(array.elements.sorted(by: isBefore), of: element))
      case "min": result = .optional(array.elements.min(by: isBefore), element)
      default: result = .optional(array.elements.max(by: isBefore), element)
      }
      return failure ?? result
    }

    private func joined(
      _ elements: [Value], _ separator: Value?, _ element: StaticType, _ node: Syntax
    ) -> Value? {
      if case .string = element {
        var text = ""
        var between = ""
        if let separator {
          guard case .string(let stated) = separator else { return nil }
          between = stated
        }
        for (index, value) in elements.enumerated() {
          guard case .string(let part) = value else { return value.unknownValue }
          if index > 0 { text += between }
          text += part
          guard text.utf8.count <= Self.maximumElements else {
            return bounded(.void, text.utf8.count, at: node)
          }
        }
        charge(text.utf8.count / 16)
        return .string(text)
      }
      guard separator == nil else { return nil }
      var all: [Value] = []
      for value in elements {
        guard let inner = self.elements(of: value) else { return value.unknownValue }
        all += inner
        guard all.count <= Self.maximumElements else {
          return bounded(.void, all.count, at: node)
        }
      }
      return bounded(
        .array(ArrayValue(all, of: element.element, kind: .sequence)), all.count, at: node)
    }

    /// `reduce(initial, f)` and `reduce(into: initial) { … }`.
    private func reduced(_ array: ArrayValue, _ arguments: [Argument], _ node: Syntax) -> Value? {
      let element = array.elementType ?? .unknown
      if arguments[0].label == "into" {
        guard case .function(let function) = arguments[1].value else { return nil }
        let initial = typed(waiting(arguments[0].value), at: node)
        let partial = Variable(initial, type: initial.type, isMutable: true)
        for value in array.elements {
          let place = Place.variable(partial, name: "$0")
          let result = invoke(
            function,
            [
              Argument(label: nil, value: partial.value, node: node, place: place),
              Argument(label: nil, value: value, node: node),
            ], at: node)
          if case .unknown = result { return result }
        }
        return partial.value
      }
      guard arguments[0].label == nil else { return nil }
      if case .function(let function) = arguments[1].value {
        // What the closure computes may give a literal its type.
        let isOpen = arguments[0].value.type.isOpen
        var partial = waiting(arguments[0].value)
        if array.elements.isEmpty { return partial }
        for value in array.elements {
          partial = call(function, [partial, value], at: node)
          if case .unknown = partial { return partial }
        }
        // Literals that all steps have left without a type have that of the result.
        if isOpen, case .number(.literal(var literal)) = partial,
          case .number(.literal(let initial)) = arguments[0].value, initial.isCertain,
          function.hasOneResult
        {
          literal.isCertain = true
          return .number(.literal(literal))
        }
        return partial
      }
      var partial = coerced(arguments[0].value, to: element, at: node)
      for value in array.elements { partial = applied(arguments[1].value, [partial, value], node) }
      return partial
    }

    /// The value of a function, a closure or an operator for values.
    func applied(_ callee: Value, _ values: [Value], _ node: Syntax) -> Value {
      switch callee {
      case .function(let function): return call(function, values, at: node)
      case .operatorName(let symbol) where values.count == 2:
        return operate(symbol, node, values[0], values[1])
      case .typeName(let name) where values.count == 1:
        if let type = NumberType(rawValue: name), case .number(.typed(let scalar)) = values[0] {
          return scalar.converted(to: type).map { .scalar($0) }
            ?? .unknown(Unknown(node, "the number does not fit"))
        }
        return .unknown(Unknown(node, "this function is not evaluated"))
      default:
        return callee.unknownValue ?? .unknown(Unknown(node, "this function is not evaluated"))
      }
    }
  }

  extension SourceEffects {
    /// Whether calls of a value may change anything.
    static func isPossible(_ value: Value, _ evaluator: Evaluator) -> Bool {
      switch value {
      case .function(let function):
        let effects = evaluator.effects(of: Syntax(function.body))
        return !effects.written.isEmpty || effects.writesSelf
          || effects.names.contains { !evaluator.functions($0, in: function.scope).isEmpty }
      default: return false
      }
    }
  }
#endif
