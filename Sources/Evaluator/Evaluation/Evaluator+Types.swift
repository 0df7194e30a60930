#if Macros
  import SwiftSyntax

  /// Types of the source, and values that get one.
  extension Evaluator {
    // MARK: Types as they are written

    /// The type that syntax names.
    func resolve(_ syntax: TypeSyntax, in scope: NameScope, depth: Int = 0) -> StaticType {
      guard depth < 20 else { return .unknown }
      func inner(_ type: TypeSyntax) -> StaticType { resolve(type, in: scope, depth: depth + 1) }
      switch syntax.as(TypeSyntaxEnum.self) {
      case .identifierType(let type):
        let arguments = type.genericArgumentClause?.arguments.compactMap {
          $0.argument.as(TypeSyntax.self)
        }
        return named(type.name.text, arguments, in: scope, depth: depth)
      case .memberType(let type):
        guard type.genericArgumentClause == nil else { return .unknown }
        if type.baseType.trimmedDescription == "Swift" {
          return named(type.name.text, nil, in: scope, depth: depth)
        }
        if case .user(let owner) = inner(type.baseType) {
          return declaredType(type.name.text, in: owner.scope, depth: depth) ?? .unknown
        }
        let full = syntax.trimmedDescription
        return Self.isForgeType(type.name.text) || memberTypes.contains(full)
          ? .forge(type.name.text) : .unknown
      case .arrayType(let type): return .array(inner(type.element))
      case .dictionaryType(let type): return .dictionary(inner(type.key), inner(type.value))
      case .optionalType(let type):
        let wrapped = inner(type.wrappedType)
        // Optionals of optionals are not followed.
        if case .optional = wrapped { return .unknown }
        return .optional(wrapped)
      case .tupleType(let type):
        if type.elements.isEmpty { return .void }
        if type.elements.count == 1, let only = type.elements.first, only.firstName == nil {
          return inner(only.type)
        }
        return .tuple(
          type.elements.map { element in
            let label = element.firstName?.text
            return (label == "_" ? nil : label, inner(element.type))
          })
      case .functionType(let type):
        return .function(
          type.parameters.map { inner($0.type) }, inner(type.returnClause.type))
      case .attributedType(let type): return inner(type.baseType)
      case .someOrAnyType(let type):
        let name = type.constraint.trimmedDescription
        return Self.isForgeType(name) && declaredType(name, in: scope, depth: depth) == nil
          ? .forge("") : .unknown
      default: return .unknown
      }
    }

    private func named(
      _ name: String, _ arguments: [TypeSyntax]?, in scope: NameScope, depth: Int
    ) -> StaticType {
      func argument(_ index: Int) -> StaticType {
        guard let arguments, arguments.indices.contains(index) else { return .bottom }
        return resolve(arguments[index], in: scope, depth: depth + 1)
      }
      if let declared = declaredType(name, in: scope, depth: depth) {
        return arguments == nil ? declared : .unknown
      }
      switch (name, arguments?.count) {
      case ("Bool", nil): return .bool
      case ("String", nil): return .string
      case ("Void", nil): return .void
      case ("Optional", 1): return .optional(argument(0))
      case ("Array", 1), ("Array", nil): return .array(argument(0))
      case ("ArraySlice", 1), ("ArraySlice", nil): return .slice(argument(0))
      case ("Set", 1), ("Set", nil): return .set(argument(0))
      case ("Dictionary", 2), ("Dictionary", nil): return .dictionary(argument(0), argument(1))
      case ("Range", 1), ("ClosedRange", 1):
        if case .number(let type) = argument(0) { return .range(type) }
        return .unknown
      default:
        guard arguments == nil else { return .unknown }
        if let number = NumberType(rawValue: name) { return .number(number) }
        return Self.isForgeType(name) ? .forge(name) : .unknown
      }
    }

    /// A type that the source declares.
    private func declaredType(_ name: String, in scope: NameScope, depth: Int) -> StaticType? {
      var current: NameScope? = scope
      while let scope = current {
        if scope.isGeneric(name) { return .generic }
        if let alias = scope.alias(name) {
          guard alias.genericParameterClause == nil else { return .unknown }
          return resolve(alias.initializer.value, in: scope, depth: depth + 1)
        }
        switch scope.own(name) {
        case .lazy(let declaration):
          if case .type(let type) = declaration.value { return .user(type) }
          return .unknown
        case .variable(let variable):
          if case .type(let type) = variable.value { return .user(type) }
          return .unknown
        case .computed: return .unknown
        case nil: break
        }
        current = scope.parent
      }
      return nil
    }

    /// Whether a name is that of a type of Forge's.
    static func isForgeType(_ name: String) -> Bool {
      memberTypes.contains(name) || GraphCalls.names.contains(name)
        || LayerTable.shared.initializers[name] != nil
        || [
          "Edges", "InputSize", "Step", "Layer", "GraphStep", "Module", "MultiModule",
          "RecurrentLayer",
        ].contains(name)
    }

    // MARK: Values that get a type

    /// The value after it was stored without a stated type.
    func typed(_ value: Value, at node: some SyntaxProtocol) -> Value {
      switch value {
      case .number(.typed), .bool, .string, .tensor, .step, .model, .shape, .function, .instance,
        .enumCase, .dictionary, .set, .optional, .unknown, .void, .type, .typeName:
        return value
      case .array(let array) where array.elementType != nil: return value
      default: return coerced(value, to: value.type.defaulted, at: node)
      }
    }

    /// A value as one of a type, as the compiler converts it; unknown where that is not followed.
    func coerced(_ value: Value, to type: StaticType, at node: some SyntaxProtocol) -> Value {
      func unknown(_ reason: String = "its type is not known") -> Value {
        .unknown(value.unknown ?? Unknown(node, reason))
      }
      switch (value, type) {
      case (.unknown, _), (.type, _), (.typeName, _), (.metatype, _), (.stopped, _): return value
      case (_, .generic): return waiting(value)
      case (.number(let number), .number(let type)):
        guard let scalar = number.reading(type) else {
          return unknown("it has no known value of type \(type.rawValue)")
        }
        return .scalar(scalar)
      case (.bool, .bool), (.string, .string), (.void, .void): return value
      case (.none, .optional(let wrapped)): return .optional(nil, wrapped)
      case (.optional(let inner, let old), .optional(let wrapped)):
        if StaticType.areSame(old, wrapped) { return value }
        guard let inner else { return .optional(nil, wrapped) }
        return .optional(coerced(inner, to: wrapped, at: node), wrapped)
      case (.optional, .unknown): return unknown()
      case (.optional, .forge): return value
      case (_, .optional(let wrapped)):
        let inner = coerced(value, to: wrapped, at: node)
        if case .unknown = inner { return inner }
        return .optional(inner, wrapped)
      case (.tuple(let tuple), .tuple(let types)):
        guard tuple.elements.count == types.count else { return unknown() }
        charge(tuple.weight)
        return .tuple(
          zip(tuple.elements, types).map { ($1.label, coerced($0.value, to: $1.type, at: node)) })
      case (.array(let array), .array(let element)), (.array(let array), .sequence(let element)),
        (.array(let array), .slice(let element)):
        return coerced(array, of: element, to: type, at: node)
      case (.array(let array), .set(let element)):
        let element = element.isOpen ? .join(element, array.type.element).defaulted : element
        charge(array.weight)
        let values = array.elements.map { coerced($0, to: element, at: node) }
        guard let set = SetValue(values, of: element) else { return unknown() }
        return .set(set)
      case (.set, .set): return value
      case (.pairs(let entries), .dictionary(let keyType, let valueType)):
        return dictionary(entries, keyType, valueType, at: node)
      case (.dictionary(let dictionary), .dictionary(_, let valueType)):
        return StaticType.areSame(dictionary.valueType, valueType) ? value : unknown()
      case (.range(let range), .range(let type)):
        return range.readings(type).map { .range($0) } ?? unknown()
      case (.range(let range), _):
        if case .forge = type { return value }
        return range.typed.map { .range($0) } ?? unknown()
      case (.member(let name, let arguments), .user(let owner)):
        return implicitMember(name, arguments, of: owner, at: node)
      case (.member(let name, let arguments), .number(let type)):
        guard arguments.isEmpty, let scalar = constant(name, of: type) else { return unknown() }
        return .scalar(scalar)
      case (.member, .forge), (.member, .unknown): return value
      case (.instance(let instance), .user(let type)):
        return instance.type === type ? value : unknown()
      case (.enumCase(let enumCase), .user(let type)):
        return enumCase.type === type ? value : unknown()
      case (.function(let function), .function(let parameters, let result)):
        return .function(function.typed(parameters, result))
      case (.function, _): return value
      // What Forge's own initializers convert.
      case (_, .forge): return value
      case (.tensor, _), (.step, _), (.model, _), (.shape, _):
        switch type {
        case .unknown, .user: return value
        default: return unknown()
        }
      case (.array(let array), .unknown):
        // Tensors and layers stay what they are in a collection of any type.
        guard array.elements.contains(where: \.isOfGraph) else { return unknown() }
        return coerced(array, of: .unknown, to: .array(.unknown), at: node)
      default: return unknown()
      }
    }

    private func coerced(
      _ array: ArrayValue, of element: StaticType, to type: StaticType, at node: some SyntaxProtocol
    ) -> Value {
      var result = array
      if case .array = type { (result.kind, result.start) = (.array, 0) }
      if case .slice = type, array.kind != .slice { result.kind = .slice }
      if array.kind == .unordered, array.count > 1 {
        guard case .sequence = type else {
          return .unknown(Unknown(node, "its order differs in each run"))
        }
        result.kind = .unordered
      }
      if let old = array.elementType, StaticType.areSame(old, element) || isBottom(element) {
        return .array(result)
      }
      // `[Array]` without its element type takes that of the value.
      let element = isBottom(element) ? array.type.element.defaulted : element
      charge(array.weight)
      result.replace(array.elements.map { coerced($0, to: element, at: node) })
      result.elementType = element
      return .array(result)
    }

    private func isBottom(_ type: StaticType) -> Bool {
      if case .bottom = type { true } else { false }
    }

    /// A dictionary of entries; unknown where its keys are not followed.
    func dictionary(
      _ entries: [(key: Value, value: Value)], _ keyType: StaticType, _ valueType: StaticType,
      at node: some SyntaxProtocol
    ) -> Value {
      charge(entries.count)
      var result = DictionaryValue(keyType: keyType, valueType: valueType)
      for entry in entries {
        let keyValue = coerced(entry.key, to: keyType, at: node)
        guard let key = Key(keyValue) else {
          return .unknown(keyValue.unknown ?? Unknown(node, "keys of this type are not evaluated"))
        }
        guard result[key] == nil else {
          return .unknown(Unknown(node, "a key appears twice in the dictionary"))
        }
        result.set(key, keyValue, coerced(entry.value, to: valueType, at: node))
      }
      return .dictionary(result)
    }

    /// A value whose literals wait for a type that the evaluator may not see.
    func waiting(_ value: Value) -> Value {
      switch value {
      case .number(let number): return .number(number.uncertain)
      case .tuple(let tuple): return .tuple(tuple.elements.map { ($0.label, waiting($0.value)) })
      case .array(var array) where array.elementType == nil:
        charge(array.weight)
        array.replace(array.elements.map(waiting))
        return .array(array)
      default: return value
      }
    }

    /// Whether no literal in a value waits for a type.
    func isSettled(_ value: Value) -> Bool {
      switch value {
      case .number(.typed), .bool, .string, .instance, .enumCase, .set, .dictionary, .optional:
        true
      case .array(let array): array.elementType.map { !$0.isOpen } ?? false
      case .tuple(let tuple): tuple.elements.allSatisfy { isSettled($0.value) }
      default: value.isOfGraph
      }
    }
  }

  extension StaticType {
    /// The type of the elements of a collection.
    var element: StaticType {
      switch self {
      case .array(let type), .slice(let type), .sequence(let type), .set(let type): type
      case .range(let type): .number(type)
      case .dictionary(let key, let value): .tuple([("key", key), ("value", value)])
      default: .unknown
      }
    }
  }
#endif
