#if Macros
  import SwiftSyntax

  /// Methods of sequences and optionals that take a closure.
  extension Evaluator {
    /// The value of such a method; `nil` if it is not followed.
    func closureMethod(
      _ name: String, of array: ArrayValue, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      guard arguments.count == 1, let argument = arguments.first else { return nil }
      let callee = argument.value
      switch callee {
      case .function, .typeName, .operatorName, .keyPath: break
      default: return nil
      }
      let label = argument.label
      let isTrailing = argument.node.is(ClosureExprSyntax.self) && label == nil
      let isWhere = label == "where" || isTrailing
      let elements = array.elements
      let element = array.elementType ?? .unknown
      func apply(_ value: Value) -> Value { mapped(callee, value, node) }
      /// The first element that fulfils the condition.
      func first(of candidates: some Sequence<Int>) -> Search {
        for index in candidates {
          switch apply(elements[index]) {
          case .bool(true): return .found(index)
          case .bool(false): continue
          case let other: return .failed(condition(other, node))
          }
        }
        return .found(nil)
      }
      switch name {
      case "map" where label == nil: return .array(ArrayValue(elements.map(apply)))
      case "flatMap" where label == nil:
        var all: [Value] = []
        for value in elements {
          let result = apply(value)
          guard let inner = self.elements(of: typed(result, at: node)) else {
            return result.unknownValue ?? .unknown(Unknown(node, "this flatMap is not evaluated"))
          }
          all += inner
          guard all.count <= Self.maximumElements else {
            return bounded(.void, all.count, at: node)
          }
        }
        return bounded(typed(.array(ArrayValue(all)), at: node), all.count, at: node)
      case "compactMap" where label == nil:
        var all: [Value] = []
        for value in elements {
          switch apply(value) {
          case .optional(let inner, _): if let inner { all.append(inner) }
          case .none: continue
          case let other:
            return other.unknownValue ?? .unknown(Unknown(node, "this result is not evaluated"))
          }
        }
        return .array(ArrayValue(all))
      case "filter" where label == nil:
        var kept: [Value] = []
        for value in elements {
          switch apply(value) {
          case .bool(let isKept): if isKept { kept.append(value) }
          case let other: return condition(other, node)
          }
        }
        return .array(ArrayValue(kept, of: array.elementType))
      case "forEach" where label == nil:
        for value in elements {
          if case .unknown(let unknown) = apply(value) { return .unknown(unknown) }
        }
        return .void
      case "allSatisfy" where label == nil:
        for value in elements {
          switch apply(value) {
          case .bool(true): continue
          case .bool(false): return .bool(false)
          case let other: return condition(other, node)
          }
        }
        return .bool(true)
      case "contains" where isWhere:
        return first(of: elements.indices).value { .bool($0 != nil) }
      case "first" where isWhere:
        return first(of: elements.indices).value { .optional($0.map { elements[$0] }, element) }
      case "last" where isWhere && array.kind != .sequence:
        return first(of: elements.indices.reversed()).value {
          .optional($0.map { elements[$0] }, element)
        }
      case "firstIndex" where isWhere && array.kind != .sequence:
        return first(of: elements.indices).value { .optionalInt($0.map { $0 + array.start }) }
      case "lastIndex" where isWhere && array.kind != .sequence:
        return first(of: elements.indices.reversed()).value {
          .optionalInt($0.map { $0 + array.start })
        }
      case "prefix" where label == "while", "drop" where label == "while" || isTrailing:
        guard array.kind != .sequence else { return nil }
        var count = 0
        scan: while count < elements.count {
          switch apply(elements[count]) {
          case .bool(true): count += 1
          case .bool(false): break scan
          case let other: return condition(other, node)
          }
        }
        let range = name == "prefix" ? 0..<count : count..<elements.count
        return .array(
          ArrayValue(
            Array(elements[range]), of: array.elementType, kind: .slice,
            start: array.start + range.lowerBound))
      default: return nil
      }
    }

    /// The place of an element, or a condition without a known value.
    private enum Search {
      case found(Int?)
      case failed(Value)

      /// The value made of the place.
      func value(_ make: (Int?) -> Value) -> Value {
        switch self {
        case .found(let index): make(index)
        case .failed(let value): value
        }
      }
    }

    private func condition(_ value: Value, _ node: Syntax) -> Value {
      value.unknownValue ?? .unknown(Unknown(node, "the condition is not known"))
    }

    /// The result of a function for one value.
    private func mapped(_ callee: Value, _ value: Value, _ node: Syntax) -> Value {
      if case .keyPath(let names, let scope) = callee {
        return names.reduce(value) { member($1, of: $0, node, in: scope) }
      }
      return applied(callee, [value], node)
    }

    /// `map` and `flatMap` of an optional; `nil` for other methods.
    func optionalMethod(
      _ name: String, _ value: Value?, _ arguments: [Argument], _ node: Syntax
    ) -> Value? {
      guard arguments.count == 1, name == "map" || name == "flatMap" else { return nil }
      guard let value else {
        // The type of the result is that of the closure.
        return .optional(nil, .unknown)
      }
      let result = typed(mapped(arguments[0].value, value, node), at: node)
      switch result {
      case .unknown: return result
      case .optional: return name == "flatMap" ? result : nil
      default: return .optional(result, result.type)
      }
    }
  }
#endif
