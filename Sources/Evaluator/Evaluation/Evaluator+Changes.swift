#if Macros
  import SwiftSyntax

  /// Methods of Swift's standard library that change the value on which they are called.
  extension Evaluator {
    /// What a method changes.
    enum Changed {
      case array
      case dictionary
      case set
      case string
      case bool
      case number
    }

    /// What a method of a name changes; `nil` for one that changes nothing.
    func changed(by name: String, _ receiver: Value) -> Changed? {
      switch (receiver, name) {
      case (.array, "append"), (.array, "insert"), (.array, "remove"), (.array, "removeLast"),
        (.array, "removeFirst"), (.array, "popLast"), (.array, "removeAll"), (.array, "reverse"),
        (.array, "sort"), (.array, "swapAt"), (.array, "reserveCapacity"),
        (.array, "removeSubrange"):
        .array
      case (.dictionary, "removeValue"), (.dictionary, "updateValue"), (.dictionary, "removeAll"):
        .dictionary
      case (.set, "insert"), (.set, "remove"), (.set, "formUnion"), (.set, "removeAll"),
        (.set, "subtract"), (.set, "formIntersection"):
        .set
      case (.string, "append"): .string
      case (.bool, "toggle"): .bool
      case (.number, "negate"), (.number, "round"): .number
      default: nil
      }
    }

    /// The result of a method that changes what is stored at a place, which nothing else holds.
    func changingMethod(
      _ name: String, _ changed: Changed, _ place: Place, _ arguments: [Argument], _ node: Syntax
    ) -> Value {
      switch (changed, name) {
      case (.array, _):
        return change(place, at: node) { changeArray(name, &$0, arguments, node) }
      case (.dictionary, _):
        return change(place, at: node) { changeDictionary(name, &$0, arguments, node) }
      case (.set, _):
        return change(place, at: node) { changeSet(name, &$0, arguments, node) }
      case (.string, _):
        return change(place, at: node) { value in
          guard arguments.count == 1, arguments[0].label ?? "contentsOf" == "contentsOf",
            case .string(let added) = arguments[0].value, case .string(var text) = value
          else { return nil }
          value = .void
          text += added
          charge(added.utf8.count / 16 + 1)
          value = bounded(.string(text), text.utf8.count, at: node)
          return .void
        }
      case (.bool, _):
        return change(place, at: node) { value in
          guard case .bool(let bool) = value, arguments.isEmpty else { return nil }
          value = .bool(!bool)
          return .void
        }
      case (.number, "negate"):
        return change(place, at: node) { value in
          guard case .number(let number) = value, arguments.isEmpty, let negated = number.negated
          else { return nil }
          value = .number(negated)
          return .void
        }
      case (.number, _):
        return change(place, at: node) { value in
          guard arguments.count <= 1,
            let rounded = standardMethod("rounded", of: value, arguments, node)
          else {
            return nil
          }
          value = rounded
          return .void
        }
      }
    }

    /// Changes a place; what the change does not follow is unknown after it.
    private func change(
      _ place: Place, at node: Syntax, _ body: (inout Value) -> Value?
    ) -> Value {
      modify(place, at: node) { value in
        if case .unknown = value { return value }
        if let result = body(&value) { return result }
        value = .unknown(Unknown(node, "this change is not evaluated"))
        return value
      }
    }

    private func index(_ argument: Argument?) -> Int? {
      guard case .number(let number)? = argument?.value else { return nil }
      return number.reading(.int)?.int
    }

    private func changeArray(
      _ name: String, _ value: inout Value, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      guard case .array(var array) = value, array.kind == .array || array.kind == .slice,
        let element = array.elementType
      else { return nil }
      let (first, label) = (arguments.first?.value, arguments.first?.label)
      func offset(_ argument: Argument?, isEnd: Bool = false) -> Int? {
        guard let index = index(argument) else { return nil }
        let offset = index - array.start
        return offset >= 0 && (offset < array.count || isEnd && offset == array.count)
          ? offset : nil
      }
      func added(_ argument: Argument) -> [Value]? {
        guard argument.label == "contentsOf" else {
          return [coerced(argument.value, to: element, at: argument.node)]
        }
        return elements(of: coercedSequence(argument.value, element, argument.node))
      }
      /// Changes all elements, a copy of which this takes.
      func replace(_ change: (inout [Value]) -> Value) -> Value {
        charge(array.count)
        var elements = array.elements
        let result = change(&elements)
        array.replace(elements)
        return result
      }
      let result: Value
      switch (name, arguments.count) {
      case ("append", 1):
        guard label == nil || label == "contentsOf", let added = added(arguments[0]) else {
          return nil
        }
        value = .void
        charge(added.count + array.unshare())
        array.append(added)
        result = .void
      case ("insert", 2):
        guard arguments[1].label == "at", let index = offset(arguments[1], isEnd: true),
          let added = added(arguments[0])
        else { return nil }
        result = replace {
          $0.insert(contentsOf: added, at: index)
          return .void
        }
      case ("remove", 1):
        guard label == "at", let index = offset(arguments[0]) else { return nil }
        result = replace { $0.remove(at: index) }
      case ("removeLast", 0):
        guard array.count > 0 else { return nil }
        value = .void
        charge(array.unshare())
        result = array.removeLast()
      case ("popLast", 0):
        guard array.count > 0 else { return .optional(nil, element) }
        value = .void
        charge(array.unshare())
        result = .optional(array.removeLast(), element)
      case ("removeFirst", 0):
        guard array.count > 0, array.kind == .array else { return nil }
        result = replace { $0.removeFirst() }
      case ("removeLast", 1), ("removeFirst", 1):
        guard label == nil, let count = index(arguments[0]), count >= 0, count <= array.count,
          array.kind == .array
        else { return nil }
        result = replace {
          if name == "removeLast" { $0.removeLast(count) } else { $0.removeFirst(count) }
          return .void
        }
      case ("removeSubrange", 1):
        guard case .range(let range)? = first, let (lower, upper) = range.bounds,
          lower >= 0, upper <= array.count, array.kind == .array
        else { return nil }
        result = replace {
          $0.removeSubrange(lower..<upper)
          return .void
        }
      case ("removeAll", 0):
        array.replace([])
        if array.kind == .slice { return nil }
        result = .void
      case ("removeAll", 1):
        if label == "keepingCapacity", array.kind == .array {
          array.replace([])
          result = .void
        } else {
          guard array.kind == .array,
            case .array(let kept)? = rejecting(array, arguments[0], node)
          else { return nil }
          array.replace(kept.elements)
          result = .void
        }
      case ("reverse", 0):
        result = replace {
          $0.reverse()
          return .void
        }
      case ("sort", 0), ("sort", 1):
        var copy = array
        copy.kind = .array
        guard case .array(let sorted)? = sequenceMethod("sorted", of: copy, arguments, node) else {
          return nil
        }
        array.replace(sorted.elements)
        result = .void
      case ("swapAt", 2):
        guard let i = offset(arguments[0]), let j = offset(arguments[1]) else { return nil }
        value = .void
        charge(array.unshare())
        let (a, b) = (array.elements[i], array.elements[j])
        array[i + array.start] = b
        array[j + array.start] = a
        result = .void
      case ("reserveCapacity", 1): return .void
      default: return nil
      }
      value =
        array.weight <= Self.maximumElements
        ? .array(array) : bounded(.void, array.weight, at: node)
      return result
    }

    /// The elements that `removeAll(where:)` leaves.
    private func rejecting(_ array: ArrayValue, _ argument: Argument, _ node: Syntax) -> Value? {
      var kept: [Value] = []
      guard argument.label == "where" || argument.node.is(ClosureExprSyntax.self),
        !SourceEffects.isPossible(argument.value, self)
      else { return nil }
      for element in array.elements {
        guard case .bool(let isRemoved) = applied(argument.value, [element], node) else {
          return nil
        }
        if !isRemoved { kept.append(element) }
      }
      return .array(ArrayValue(kept, of: array.elementType))
    }

    private func changeDictionary(
      _ name: String, _ value: inout Value, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      guard case .dictionary(var dictionary) = value else { return nil }
      if name == "removeAll", arguments.isEmpty {
        value = .dictionary(
          DictionaryValue(keyType: dictionary.keyType, valueType: dictionary.valueType))
        return .void
      }
      guard let last = arguments.last, last.label == "forKey" else { return nil }
      let keyValue = coerced(last.value, to: dictionary.keyType, at: node)
      guard let key = Key(keyValue) else { return nil }
      let old = Value.optional(dictionary[key], dictionary.valueType)
      switch (name, arguments.count) {
      case ("removeValue", 1):
        value = .void
        charge(dictionary.unshare())
        dictionary.set(key, keyValue, nil)
      case ("updateValue", 2):
        let new = coerced(arguments[0].value, to: dictionary.valueType, at: node)
        value = .void
        charge(dictionary.unshare())
        dictionary.set(key, keyValue, new)
      default: return nil
      }
      value = .dictionary(dictionary)
      return old
    }

    private func changeSet(
      _ name: String, _ value: inout Value, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      guard case .set(var set) = value else { return nil }
      if name == "removeAll", arguments.isEmpty {
        value = .set(SetValue(of: set.elementType))
        return .void
      }
      guard arguments.count == 1, let first = arguments.first, first.label == nil else {
        return nil
      }
      if name == "insert" || name == "remove" {
        let member = coerced(first.value, to: set.elementType, at: node)
        guard let key = Key(member) else { return nil }
        value = .void
        charge(set.unshare())
        let result: Value
        if name == "insert" {
          let isNew = !set.contains(key)
          if isNew { set.insert(key, member) }
          result = .tuple([("inserted", .bool(isNew)), ("memberAfterInsert", member)])
        } else {
          result = .optional(set.remove(key), set.elementType)
        }
        value = .set(set)
        return result
      }
      let method = [
        "formUnion": "union", "subtract": "subtracting", "formIntersection": "intersection",
      ]
      guard let method = method[name], let changed = setMethod(method, of: set, arguments, node)
      else { return nil }
      value = changed
      return .void
    }

    /// The value of a method of a set that changes nothing; `nil` if it is not followed.
    func setMethod(
      _ name: String, of set: SetValue, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      guard arguments.count == 1, let first = arguments.first else { return nil }
      if name == "contains", first.label == nil {
        guard let key = Key(coerced(first.value, to: set.elementType, at: node)) else { return nil }
        return .bool(set.contains(key))
      }
      let other: SetValue
      if case .set(let value) = first.value {
        other = value
      } else {
        guard let array = sequence(of: coercedSequence(first.value, set.elementType, node)),
          let value = SetValue(array.elements, of: set.elementType)
        else { return nil }
        other = value
      }
      charge(set.count + other.count)
      let keys = other.keys
      switch name {
      case "union":
        // Which of two equal members stays is not told apart.
        var result = set
        _ = result.unshare()
        for (key, value) in other.members where !set.contains(key) { result.insert(key, value) }
        return .set(result)
      case "intersection": return .set(set.filter { keys.contains($0) })
      case "subtracting": return .set(set.filter { !keys.contains($0) })
      case "symmetricDifference":
        var result = set.filter { !keys.contains($0) }
        for (key, value) in other.members where !set.contains(key) { result.insert(key, value) }
        return .set(result)
      case "isSubset" where first.label == "of": return .bool(set.keys.isSubset(of: keys))
      case "isSuperset" where first.label == "of": return .bool(set.keys.isSuperset(of: keys))
      case "isDisjoint" where first.label == "with": return .bool(set.keys.isDisjoint(with: keys))
      default: return nil
      }
    }
  }
#endif
