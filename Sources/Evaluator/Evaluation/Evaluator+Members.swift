#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// Properties and subscripts.
  extension Evaluator {
    /// The value of `base.member` and of `.member`.
    func member(_ access: MemberAccessExprSyntax, in scope: NameScope) -> Value {
      if access.base == nil { return .member(access.declName.baseName.text, []) }
      return read(place(of: ExprSyntax(access), in: scope), at: access)
    }

    /// The value of a member of a value.
    func member(
      _ name: String, of value: Value, _ node: some SyntaxProtocol, in scope: NameScope
    ) -> Value {
      func unknown(_ reason: String? = nil) -> Value {
        let place = node.as(MemberAccessExprSyntax.self).map { Syntax($0.declName) }
        return .unknown(Unknown(place ?? Syntax(node), reason ?? "\"\(name)\" is not evaluated"))
      }
      switch value {
      case .type(let type): return staticMember(name, of: type, at: node)
      case .typeName(let owner): return knownMember(name, of: owner, at: node)
      case .stopped, .unknown: return value
      case .tuple(let tuple):
        return tuple.index(of: name).map { tuple.elements[$0].value } ?? unknown()
      case .instance(let instance):
        return member(name, of: SelfValue(instance.type, value), at: node) ?? unknown()
      case .enumCase(let enumCase):
        return member(name, of: SelfValue(enumCase.type, value), at: node) ?? unknown()
      default: break
      }
      let settled = typed(value, at: node)
      if case .unknown = settled { return settled }
      let added = additions(to: settled, in: scope).lazy.compactMap { type in
        self.member(name, of: SelfValue(type, settled), at: node)
      }.first
      let known = knownProperty(name, of: settled)
      // A member that the source adds may be the one that is meant.
      if isAdded(name, in: scope) { return known == nil ? added ?? unknown() : unknown() }
      return known ?? unknown()
    }

    /// Whether the source adds a member of a name to a type that it does not declare.
    func isAdded(_ name: String, in scope: NameScope) -> Bool {
      var current: NameScope? = scope
      while let scope = current {
        if scope.isAdded(name) || scope.isConditional(name) { return true }
        current = scope.parent
      }
      return false
    }

    /// What the source adds to the type of a value.
    func additions(to value: Value, in scope: NameScope) -> [UserType] {
      let name: String? =
        switch value {
        case .tensor: "Tensor"
        case .model: "Model"
        case .step: "Block"
        case .number(.typed(let scalar)): scalar.type.rawValue
        case .string: "String"
        case .bool: "Bool"
        case .shape: "Shape"
        default: nil
        }
      return name.map { additions(to: $0, in: scope) } ?? []
    }

    // MARK: Types

    /// A static member or a case of a type that the source declares.
    func staticMember(_ name: String, of type: UserType, at node: some SyntaxProtocol) -> Value {
      if type.scope.isConditional(name) {
        return .unknown(Unknown(node, "\"\(name)\" is inside #if"))
      }
      switch type.scope.own(name) {
      case .variable(let variable): return variable.value
      case .lazy(let declaration): return declaration.value
      case .computed(let computed): return get(computed, in: type.scope, at: node)
      case nil: break
      }
      let functions = type.scope.ownFunctions(name)
      if functions.count == 1 { return .function(functions[0]) }
      if let found = type.cases.first(where: { $0.name == name }) {
        if found.values.isEmpty { return enumCase(found, of: type, [], at: node) }
        return .unknown(Unknown(node, "cases as functions are not evaluated"))
      }
      if name == "allCases", type.inherits(["CaseIterable"]), type.obstacle == nil {
        return .array(
          ArrayValue(
            type.cases.map { enumCase($0, of: type, [], at: node) }, of: .user(type)))
      }
      if name == "self" { return .type(type) }
      return .unknown(Unknown(node, "\"\(type.name).\(name)\" is not evaluated"))
    }

    /// `.member` where a value of a type of the source is asked for.
    func implicitMember(
      _ name: String, _ arguments: [Argument], of type: UserType, at node: some SyntaxProtocol
    ) -> Value {
      if name == "init" { return create(type, arguments, at: Syntax(node)) }
      if let found = type.cases.first(where: { $0.name == name }), !arguments.isEmpty {
        return enumCase(found, of: type, arguments, at: node)
      }
      if !arguments.isEmpty {
        return overload(type.scope.ownFunctions(name), arguments, at: Syntax(node))
          ?? .unknown(Unknown(node, "\"\(type.name).\(name)\" is not evaluated"))
      }
      let value = staticMember(name, of: type, at: node)
      // `.member` may also mean a member of another type.
      switch value {
      case .instance(let instance) where instance.type === type: return value
      case .enumCase(let enumCase) where enumCase.type === type: return value
      case .unknown: return value
      default: return .unknown(Unknown(node, "\"\(type.name).\(name)\" is not evaluated"))
      }
    }

    /// A case of an enumeration with its values.
    func enumCase(
      _ found: UserType.Case, of type: UserType, _ arguments: [Argument],
      at node: some SyntaxProtocol
    ) -> Value {
      if let obstacle = type.obstacle { return .unknown(Unknown(node, obstacle)) }
      guard found.values.count == arguments.count,
        zip(found.values, arguments).allSatisfy({ $0.label == $1.label })
      else { return .unknown(Unknown(node, "the values of the case do not fit")) }
      return .enumCase(
        EnumCaseValue(
          type, found.name,
          zip(found.values, arguments).map { declared, argument in
            let type = resolve(declared.type, in: type.scope)
            return (declared.label, coerced(argument.value, to: type, at: argument.node))
          }))
    }

    /// A member of a type or module that the evaluator knows.
    private func knownMember(
      _ name: String, of owner: String, at node: some SyntaxProtocol
    ) -> Value {
      let full = "\(owner).\(name)"
      if memberTypes.contains(full) { return .typeName(full) }
      if memberTypes.contains(owner) || owner == "Edges" { return .member(name, []) }
      if let type = NumberType(rawValue: owner) {
        if let scalar = constant(name, of: type) { return .scalar(scalar) }
      } else if Self.isKnownType(name) {
        return .typeName(name)
      }
      return .unknown(Unknown(node, "\"\(full)\" is not evaluated"))
    }

    /// A stored or computed property of a value of the source's type.
    func member(_ name: String, of owner: SelfValue, at node: some SyntaxProtocol) -> Value? {
      if case .unknown = owner.extended { return owner.extended }
      if let value = owner.fields[name] { return value }
      if let computed = owner.type.computed[name] {
        return get(computed, in: NameScope(owner.type.scope, selfValue: owner), at: node)
      }
      if name == "rawValue", case .enumCase(let value) = owner.extended {
        return rawValue(of: value.name, in: owner.type, at: node)
      }
      // A property of Forge's or Swift's, used in an extension of its type.
      return owner.extended.flatMap { knownProperty(name, of: $0) }
    }

    /// The raw value of a case.
    func rawValue(
      of name: String, in type: UserType, at node: some SyntaxProtocol
    ) -> Value? {
      guard let inherited = type.inherits.first else { return nil }
      if inherited == "String" {
        guard let found = type.cases.first(where: { $0.name == name }) else { return nil }
        guard let raw = found.raw else { return .string(name) }
        return raw.as(StringLiteralExprSyntax.self)?.representedLiteralValue.map { .string($0) }
      }
      guard let number = NumberType(rawValue: inherited), number.integer != nil else { return nil }
      var next: Scalar? = Number(literal: 0).reading(number)
      for enumCase in type.cases {
        if let raw = enumCase.raw {
          guard case .number(let stated) = evaluate(raw, in: type.scope) else { return nil }
          next = stated.reading(number)
        }
        guard let value = next else { return nil }
        if enumCase.name == name { return .scalar(value) }
        next = Number(literal: 1).reading(number).flatMap { Scalar.combine(value, "+", $0) }
      }
      return nil
    }

    // MARK: Properties

    /// A property of a value of Swift's or Forge's.
    private func knownProperty(_ name: String, of value: Value) -> Value? {
      switch (value, name) {
      case (.array(let array), _): return property(name, of: array)
      case (.range(let range), _): return property(name, of: range)
      case (.dictionary(let dictionary), "count"): return .int(dictionary.count)
      case (.dictionary(let dictionary), "isEmpty"): return .bool(dictionary.count == 0)
      case (.dictionary(let dictionary), "keys"), (.dictionary(let dictionary), "values"):
        charge(dictionary.weight)
        let isKeys = name == "keys"
        return .array(
          ArrayValue(
            dictionary.entries.values.map { isKeys ? $0.key : $0.value },
            of: isKeys ? dictionary.keyType : dictionary.valueType, kind: .unordered))
      case (.set(let set), "count"): return .int(set.count)
      case (.set(let set), "isEmpty"): return .bool(set.count == 0)
      case (.tensor(let tensor), "shape"):
        // A tensor with a mistake has no shape when the program runs, either.
        guard !tensor.isUncertain else { return nil }
        return .optional(tensor.shape.map { .shape($0) }, .forge("Shape"))
      case (.tensor(let tensor), "width"): return size(tensor.width, of: tensor)
      case (.tensor(let tensor), "height"): return size(tensor.height, of: tensor)
      case (.tensor(let tensor), "channels"): return size(tensor.channels, of: tensor)
      case (.shape(let shape), "width"): return .optionalInt(shape.width)
      case (.shape(let shape), "height"): return .optionalInt(shape.height)
      case (.shape(let shape), "channels"): return .optionalInt(shape.channels)
      case (.shape(let shape), "rank"): return .int(shape.rank)
      case (.shape(let shape), "elementCount"): return .optionalInt(shape.elementCount)
      case (.shape(let shape), "isImage"): return .bool(shape.isImage)
      case (.shape(let shape), "isKnown"): return .bool(shape.isKnown)
      case (.shape(let shape), "dimensions"):
        return .array(
          ArrayValue(
            shape.dimensions.map { .optionalInt($0) }, of: .optional(.number(.int))))
      case (.shape(let shape), "sizes"):
        return .optional(shape.sizes.map { .ints($0) }, .array(.number(.int)))
      case (.model(let model), "inputs"): return .tensors(model.inputs)
      case (.model(let model), "outputs"): return .tensors(model.outputs)
      case (.string(let text), "count"):
        charge(text.utf8.count / 16)
        return .int(text.count)
      case (.string(let text), "isEmpty"): return .bool(text.isEmpty)
      case (.string(let text), "description"): return .string(text)
      case (.bool(let bool), "description"): return .string("\(bool)")
      case (.number(.typed(let scalar)), _): return property(name, of: scalar)
      default: return nil
      }
    }

    private func property(_ name: String, of array: ArrayValue) -> Value? {
      let element = array.elementType ?? .unknown
      let isOrdered = array.kind != .unordered || array.count <= 1
      switch name {
      case "count" where array.kind != .sequence: return .int(array.count)
      case "isEmpty" where array.kind != .sequence: return .bool(array.elements.isEmpty)
      case "first" where isOrdered && array.kind != .sequence:
        return .optional(array.elements.first, element)
      case "last" where isOrdered && array.kind != .sequence:
        return .optional(array.elements.last, element)
      case "indices" where array.kind == .array || array.kind == .slice:
        return .range(
          RangeValue(
            lower: Number(array.indices.lowerBound), upper: Number(array.indices.upperBound),
            isClosed: false))
      case "startIndex" where array.kind == .array || array.kind == .slice:
        return .int(array.indices.lowerBound)
      case "endIndex" where array.kind == .array || array.kind == .slice:
        return .int(array.indices.upperBound)
      default: return nil
      }
    }

    private func property(_ name: String, of range: RangeValue) -> Value? {
      switch name {
      case "lowerBound": return range.lower.map { .number($0) }
      case "upperBound": return range.upper.map { .number($0) }
      default: break
      }
      guard let (lower, upper) = range.bounds else { return nil }
      switch name {
      case "count":
        let (count, overflow) = upper.subtractingReportingOverflow(lower)
        return overflow ? nil : .int(count)
      case "isEmpty": return .bool(lower == upper)
      case "first": return .optionalInt(lower < upper ? lower : nil)
      case "last": return .optionalInt(lower < upper ? upper - 1 : nil)
      default: return nil
      }
    }

    /// A size of a tensor; `nil` where it is not known now but will be when the program runs.
    private func size(_ size: Int?, of tensor: Tensor) -> Value? {
      size == nil && tensor.isUncertain ? nil : .optionalInt(size)
    }

    // MARK: Subscripts

    /// The evaluated arguments of a subscript.
    func subscriptArguments(
      of call: SubscriptCallExprSyntax, in scope: NameScope
    ) -> [Argument] {
      call.arguments.map { argument in
        let value: Value
        if argument.label?.text == "default", mayHaveEffects(argument.expression) {
          // It is evaluated only where there is no such key.
          value = skipped(argument.expression, "this default is not evaluated", in: scope)
        } else {
          value = evaluate(argument.expression, in: scope)
        }
        return Argument(
          label: argument.label?.text, value: value, node: Syntax(argument.expression))
      }
    }

    private func mayHaveEffects(_ expression: ExprSyntax) -> Bool {
      expression.tokens(viewMode: .sourceAccurate).contains {
        [.leftBrace, .leftParen, .keyword(.try)].contains($0.tokenKind)
      }
    }

    /// The value of `base[index]`.
    func element(of base: Value, _ arguments: [Argument], at node: Syntax) -> Value {
      let unknown = Value.unknown(
        arguments.lazy.compactMap(\.value.unknown).first
          ?? Unknown(node, "this subscript is not evaluated"))
      guard let first = arguments.first else { return unknown }
      switch typed(base, at: node) {
      case .stopped, .unknown: return base
      case .dictionary(let dictionary):
        let keyValue = coerced(first.value, to: dictionary.keyType, at: node)
        guard first.label == nil, let key = Key(keyValue) else { return unknown }
        if arguments.count == 1 { return .optional(dictionary[key], dictionary.valueType) }
        guard arguments.count == 2, arguments[1].label == "default" else { return unknown }
        return dictionary[key] ?? coerced(arguments[1].value, to: dictionary.valueType, at: node)
      case .array(let array) where array.kind == .array || array.kind == .slice:
        guard arguments.count == 1, first.label == nil else { return unknown }
        switch first.value {
        case .number(let number):
          guard let index = number.reading(.int)?.int else { return unknown }
          guard array.indices.contains(index) else {
            return .unknown(Unknown(node, "the index is out of range"))
          }
          return array[index]
        case .range(let range): return slice(of: array, range, at: node)
        default: return unknown
        }
      default: return unknown
      }
    }

    private func slice(of array: ArrayValue, _ range: RangeValue, at node: Syntax) -> Value {
      let lower = range.lower.map { $0.reading(.int)?.int } ?? array.indices.lowerBound
      var upper = range.upper.map { $0.reading(.int)?.int } ?? array.indices.upperBound
      if range.upper != nil, range.isClosed { upper = upper.flatMap { $0 < .max ? $0 + 1 : nil } }
      guard let lower, let upper, lower <= upper, lower >= array.indices.lowerBound,
        upper <= array.indices.upperBound
      else { return .unknown(Unknown(node, "the range is out of bounds")) }
      charge(upper - lower)
      let elements = Array(array.elements[lower - array.start..<upper - array.start])
      return .array(
        ArrayValue(elements, of: array.elementType, kind: .slice, start: lower))
    }
  }
#endif
