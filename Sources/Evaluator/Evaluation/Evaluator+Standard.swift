#if Macros
  import ForgeGraph
  import SwiftSyntax

  /// The functions and methods of Swift's standard library that descriptions of networks use.
  extension Evaluator {
    /// The value of a call of a free function or an initializer; `nil` if it is not known.
    func standardCall(
      _ name: String, _ arguments: [Argument], _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value? {
      let values = arguments.map(\.value)
      let labels = arguments.map(\.label)
      let node = Syntax(call)
      if let type = NumberType(rawValue: name) { return numberCall(type, arguments, node) }
      switch (name, values.count) {
      case ("max", 2), ("min", 2):
        if case .tensor(let a) = values[0], case .tensor(let b) = values[1] {
          let place = record(call, in: scope)
          let (file, line, column) = (place.fileID, place.line, place.column)
          return .tensor(
            name == "max"
              ? max(a, b, fileID: file, line: line, column: column)
              : min(a, b, fileID: file, line: line, column: column))
        }
        return extreme(arguments, isMaximum: name == "max")
      case ("max", 3...), ("min", 3...): return extreme(arguments, isMaximum: name == "max")
      case ("abs", 1):
        guard case .number(let number) = values[0] else { return values[0].unknownValue }
        return number.map(\.absolute).map { .number($0) }
      case ("floor", 1), ("ceil", 1), ("round", 1), ("trunc", 1), ("sqrt", 1):
        return roundingCall(name, arguments, node)
      case ("Bool", 1):
        if case .bool = values[0] { return values[0] }
        return values[0].unknownValue
      case ("String", 0): return .string("")
      case ("String", 1) where labels[0] == nil || labels[0] == "describing":
        return text(of: typed(values[0], at: node)).map { .string($0) } ?? values[0].unknownValue
      case ("String", 2) where labels == ["repeating", "count"]:
        guard case .string(let text) = values[0], let count = Int.converted(from: values[1]),
          count >= 0
        else { return values[0].unknownValue ?? values[1].unknownValue }
        let (bytes, overflow) = text.utf8.count.multipliedReportingOverflow(by: count)
        guard !overflow, bytes <= Self.maximumElements else {
          return bounded(.void, Self.maximumElements + 1, at: node)
        }
        charge(bytes / 16)
        return .string(String(repeating: text, count: count))
      case ("Array", 0): return .array(ArrayValue([]))
      case ("Array", 1) where labels[0] == nil,
        ("Array", 2) where labels == ["repeating", "count"]:
        return made(.array(.bottom), arguments, node)
      case ("Set", 0): return .array(ArrayValue([]))
      case ("Set", 1) where labels[0] == nil: return made(.set(.bottom), arguments, node)
      case ("zip", 2):
        let (a, b) = (typed(values[0], at: node), typed(values[1], at: node))
        guard let x = elements(of: a), let y = elements(of: b) else {
          return a.unknownValue ?? b.unknownValue
        }
        charge(min(x.count, y.count))
        return .array(
          ArrayValue(
            zip(x, y).map { .tuple([(nil, $0), (nil, $1)]) },
            of: .tuple([(nil, a.type.element), (nil, b.type.element)]), kind: .sequence))
      case ("stride", 3): return stride(values, labels, node)
      case ("swap", 2):
        guard let a = arguments[0].place, let b = arguments[1].place else { return nil }
        let (x, y) = (read(a, at: node), read(b, at: node))
        _ = store(y, at: a, node)
        _ = store(x, at: b, node)
        return .void
      case ("print", _): return .void
      default: return nil
      }
    }

    /// A collection made by its initializer, as in `Set([1, 2])`.
    func made(_ type: StaticType, _ arguments: [Argument], _ node: Syntax) -> Value? {
      let values = arguments.map(\.value)
      if values.isEmpty {
        switch type {
        case .array: return coerced(.array(ArrayValue([])), to: type, at: node)
        case .set: return coerced(.array(ArrayValue([])), to: type, at: node)
        case .dictionary: return coerced(.pairs([]), to: type, at: node)
        default: return nil
        }
      }
      if arguments.map(\.label) == ["repeating", "count"], case .array(let element) = type {
        guard let count = Int.converted(from: values[1]), count >= 0 else {
          return values[1].unknownValue
        }
        let (weight, overflow) = values[0].weight.multipliedReportingOverflow(by: count)
        guard !overflow, weight <= Self.maximumElements else {
          return bounded(.void, Self.maximumElements + 1, at: node)
        }
        charge(count)
        let value = coercedUnlessOpen(values[0], element, node)
        return .array(ArrayValue(Array(repeating: value, count: count)))
      }
      guard arguments.count == 1, arguments[0].label == nil else { return nil }
      switch type {
      case .array(let element):
        let source = coercedUnlessOpen(values[0], .sequence(element), node)
        guard let array = sequence(of: source) else { return source.unknownValue }
        charge(array.count)
        return .array(
          ArrayValue(
            array.elements, of: array.elementType,
            kind: array.kind == .unordered ? .unordered : .array))
      case .set(let element):
        guard let array = sequence(of: typed(values[0], at: node)) else {
          return values[0].unknownValue
        }
        charge(array.count)
        let element = element.isOpen ? array.elementType ?? .unknown : element
        let members = array.elements.map { coerced($0, to: element, at: node) }
        return SetValue(members, of: element).map { .set($0) }
      default: return nil
      }
    }

    private func coercedUnlessOpen(_ value: Value, _ type: StaticType, _ node: Syntax) -> Value {
      type.isOpen ? value : coerced(value, to: type, at: node)
    }

    private func stride(_ values: [Value], _ labels: [String?], _ node: Syntax) -> Value? {
      guard labels[0] == "from", labels[1] == "to" || labels[1] == "through", labels[2] == "by"
      else { return nil }
      let isThrough = labels[1] == "through"
      guard case .array(let bounds) = typed(.array(ArrayValue(Array(values.prefix(2)))), at: node),
        case .number(.typed(let start))? = bounds.elements.first,
        case .number(.typed(let end))? = bounds.elements.last, start.type == end.type,
        start.type == .int, let step = Int.converted(from: values[2]), step != 0,
        let start = start.int, let end = end.int
      else { return values.lazy.compactMap(\.unknownValue).first }
      var list: [Int] = []
      var next = start
      while (step > 0 ? next < end : next > end) || (isThrough && next == end) {
        guard list.count < Self.maximumElements else { return nil }
        list.append(next)
        let (sum, overflow) = next.addingReportingOverflow(step)
        if overflow { break }
        next = sum
      }
      charge(list.count)
      return .array(ArrayValue(list.map { .int($0) }, of: .number(.int), kind: .sequence))
    }

    /// The text of a value, as string interpolation writes it; `nil` if it is not followed.
    func text(of value: Value) -> String? {
      switch value {
      case .string(let text): return text
      case .number(let number): return number.defaulted?.text
      case .bool(let bool): return "\(bool)"
      case .enumCase(let value)
      where value.payload.isEmpty
        && !value.type.inherits(["CustomStringConvertible", "LosslessStringConvertible"])
        && value.type.computed["description"] == nil:
        return value.name
      default: return nil
      }
    }

    /// The value of a method of a value of Swift's; `nil` if it is not known.
    func standardMethod(
      _ name: String, of receiver: Value, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      let first = arguments.first?.value
      switch (receiver, name) {
      case (.number(.typed(let scalar)), _): return numberMethod(name, of: scalar, arguments, node)
      case (.optional(let value, _), _): return optionalMethod(name, value, arguments, node)
      case (.string(let text), "hasPrefix"):
        guard case .string(let other)? = first else { return nil }
        return .bool(text.hasPrefix(other))
      case (.string(let text), "hasSuffix"):
        guard case .string(let other)? = first else { return nil }
        return .bool(text.hasSuffix(other))
      case (.string(let text), "uppercased") where arguments.isEmpty:
        return bounded(.string(text.uppercased()), text.utf8.count, at: node)
      case (.string(let text), "lowercased") where arguments.isEmpty:
        return bounded(.string(text.lowercased()), text.utf8.count, at: node)
      case (.range(let range), "contains") where arguments.count == 1:
        guard case .number(let number)? = first, let isInside = range.contains(number) else {
          break
        }
        return .bool(isInside)
      case (.set(let set), _):
        if let result = setMethod(name, of: set, arguments, node) { return result }
      case (.dictionary(let dictionary), "mapValues"), (.dictionary(let dictionary), "filter"):
        guard arguments.count == 1, let callee = first,
          dictionary.count <= 1 || !SourceEffects.isPossible(callee, self)
        else { return nil }
        return changed(dictionary, name, callee, node)
      case (.string, _): return nil
      default: break
      }
      return sequence(of: receiver).flatMap { sequenceMethod(name, of: $0, arguments, node) }
    }

    /// `mapValues` and `filter` of a dictionary.
    private func changed(
      _ dictionary: DictionaryValue, _ name: String, _ callee: Value, _ node: Syntax
    ) -> Value? {
      charge(dictionary.weight)
      var entries: [(key: Value, value: Value)] = []
      for entry in dictionary.entries.values {
        if name == "mapValues" {
          entries.append((entry.key, applied(callee, [entry.value], node)))
          continue
        }
        let pair = Value.tuple([("key", entry.key), ("value", entry.value)])
        switch applied(callee, [pair], node) {
        case .bool(let isKept): if isKept { entries.append(entry) }
        case let other: return other.unknownValue
        }
      }
      if name == "filter" {
        return self.dictionary(entries, dictionary.keyType, dictionary.valueType, at: node)
      }
      if entries.isEmpty { return nil }
      return typed(.pairs(entries), at: node)
    }
  }
#endif
