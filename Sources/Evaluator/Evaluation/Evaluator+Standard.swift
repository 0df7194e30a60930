#if Macros
  import ForgeGraph
  import SwiftSyntax

  /// The functions and methods of Swift's standard library that descriptions of networks use.
  extension Evaluator {
    /// The value of a call of a free function or an initialiser; `nil` if it is not known.
    func standardCall(
      _ name: String, _ arguments: [Argument], _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value? {
      let values = arguments.map(\.value)
      let labels = arguments.map(\.label)
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
        return extreme(values, isMaximum: name == "max")
      case ("max", 3...), ("min", 3...): return extreme(values, isMaximum: name == "max")
      case ("abs", 1):
        guard case .number(let number) = values[0] else { return values[0].unknownValue }
        if let int = number.int {
          return int == .min ? nil : .number(Number(abs(int), isLiteral: number.isLiteral))
        }
        return .number(Number(abs(number.double)))
      case ("Int", 1):
        guard case .number(let number) = values[0] else { return values[0].unknownValue }
        if let int = number.int { return .int(int) }
        return Int(exactly: number.double.rounded(.towardZero)).map { .int($0) }
      case ("Float", 1), ("Double", 1):
        guard case .number(let number) = values[0] else { return values[0].unknownValue }
        return .number(number.asFloatingPoint)
      case ("String", 1):
        switch values[0] {
        case .string: return values[0]
        case .number(let number): return .string(number.text)
        default: return values[0].unknownValue
        }
      case ("Array", 1): return values[0].elements.map { .array($0) } ?? values[0].unknownValue
      case ("Array", 2) where labels == ["repeating", "count"]:
        guard case .number(let number) = values[1], let count = number.int, count >= 0,
          count <= Self.maximumElements
        else { return values[1].unknownValue }
        return .array(Array(repeating: values[0].typed, count: count))
      case ("zip", 2):
        guard let a = values[0].elements, let b = values[1].elements else {
          return values[0].unknownValue ?? values[1].unknownValue
        }
        return .array(zip(a, b).map { .tuple([(nil, $0), (nil, $1)]) })
      case ("stride", 3): return stride(values, isThrough: labels[1] == "through")
      case ("print", _), ("precondition", _), ("assert", _): return .void
      default: return nil
      }
    }

    private func stride(_ values: [Value], isThrough: Bool) -> Value? {
      let numbers = values.map { Int.converted(from: $0) }
      guard let start = numbers[0], let end = numbers[1], let step = numbers[2], step != 0 else {
        return values.lazy.compactMap(\.unknownValue).first
      }
      var list: [Int] = []
      var next = start
      while (step > 0 ? next < end : next > end) || (isThrough && next == end) {
        guard list.count < Self.maximumElements else { return nil }
        list.append(next)
        let (sum, overflow) = next.addingReportingOverflow(step)
        if overflow { break }
        next = sum
      }
      return .range(list)
    }

    private func extreme(_ values: [Value], isMaximum: Bool) -> Value? {
      var best: Number?
      for value in values {
        guard case .number(let number) = value else { return value.unknownValue }
        guard let current = best else {
          best = number
          continue
        }
        if Number.compare(number, isMaximum ? ">=" : "<", current) == true { best = number }
      }
      return best.map { .number($0) }
    }

    /// The value of a method of a value of Swift's; `nil` if it is not known.
    func standardMethod(
      _ name: String, of receiver: Value, _ base: ExprSyntax, _ arguments: [Argument],
      _ node: Syntax, in scope: NameScope
    ) -> Value? {
      let first = arguments.first?.value
      switch (receiver, name) {
      case (.none, _): return Value.none
      case (.array(let elements), "append"):
        guard let first else { return nil }
        let added =
          arguments.first?.label == "contentsOf" ? first.elements ?? [first] : [first]
        let count = elements.count + added.count
        return store(bounded(.array(elements + added), count, at: node), in: base, scope) ?? .void
      case (.array(let elements), "removeLast"), (.array(let elements), "popLast"):
        guard let last = elements.last else { return nil }
        return store(.array(elements.dropLast()), in: base, scope) ?? last
      case (.number(let number), "isMultiple"):
        guard case .number(let divisor)? = first, let a = number.int, let b = divisor.int else {
          return first?.unknownValue
        }
        return .bool(a.isMultiple(of: b))
      case (.number(let number), "rounded"):
        switch first {
        case nil: return .number(Number(number.double.rounded()))
        case .member("up", _)?: return .number(Number(number.double.rounded(.up)))
        case .member("down", _)?: return .number(Number(number.double.rounded(.down)))
        default: return nil
        }
      case (.number(let number), "squareRoot"):
        return .number(Number(number.double.squareRoot()))
      case (.number(let number), "quotientAndRemainder"):
        guard case .number(let divisor)? = first,
          let quotient = Number.combine(number, "/", divisor),
          let remainder = Number.combine(number, "%", divisor)
        else { return nil }
        return .tuple([("quotient", .number(quotient)), ("remainder", .number(remainder))])
      case (.string(let text), "hasPrefix"):
        if case .string(let other)? = first { return .bool(text.hasPrefix(other)) }
      case (.string(let text), "hasSuffix"):
        if case .string(let other)? = first { return .bool(text.hasSuffix(other)) }
      case (.string(let text), "uppercased"): return .string(text.uppercased())
      case (.string(let text), "lowercased"): return .string(text.lowercased())
      default: break
      }
      return receiver.elements.flatMap { sequence(name, of: $0, arguments, node) }
    }

    /// The value of a method of a sequence.
    private func sequence(
      _ name: String, of elements: [Value], _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      let first = arguments.first?.value
      switch (name, first) {
      case ("enumerated", nil):
        return .array(
          elements.enumerated().map { .tuple([("offset", .int($0)), ("element", $1)]) })
      case ("reversed", nil): return .array(elements.reversed())
      case ("dropFirst", _): return .array(Array(elements.dropFirst(count(first) ?? 1)))
      case ("dropLast", _): return .array(Array(elements.dropLast(count(first) ?? 1)))
      case ("prefix", let value?): return count(value).map { .array(Array(elements.prefix($0))) }
      case ("suffix", let value?): return count(value).map { .array(Array(elements.suffix($0))) }
      case ("max", nil), ("min", nil):
        return elements.isEmpty ? Value.none : extreme(elements, isMaximum: name == "max")
      case ("contains", let value?):
        if case .function = value { return nil }
        let results = elements.map { Value.areEqual($0, value) }
        return results.contains(true) ? .bool(true) : results.contains(nil) ? nil : .bool(false)
      case ("map", .function(let function)?):
        return .array(elements.map { call(function, [$0], at: node) })
      case ("flatMap", .function(let function)?):
        return .array(
          elements.flatMap { element -> [Value] in
            let result = call(function, [element], at: node)
            return result.elements ?? [result]
          })
      case ("filter", .function(let function)?):
        var kept: [Value] = []
        for element in elements {
          switch call(function, [element], at: node) {
          case .bool(let isKept): if isKept { kept.append(element) }
          case let other: return other.unknownValue
          }
        }
        return .array(kept)
      case ("forEach", .function(let function)?):
        for element in elements {
          if let unknown = call(function, [element], at: node).unknownValue { return unknown }
        }
        return .void
      case ("reduce", let initial?):
        guard arguments.count == 2, arguments[0].label == nil else { return nil }
        return elements.reduce(initial) { partial, element in
          switch arguments[1].value {
          case .function(let function): call(function, [partial, element], at: node)
          default: .unknown(Unknown(node, "this operator is not evaluated as a function"))
          }
        }
      default: return nil
      }
    }

    private func count(_ value: Value?) -> Int? {
      guard let count = value.flatMap({ Int.converted(from: $0) }), count >= 0 else { return nil }
      return count
    }
  }

  extension Value {
    /// The value if it is not known, else `nil`.
    var unknownValue: Value? { unknown.map { .unknown($0) } }
  }
#endif
