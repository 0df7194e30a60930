#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// Properties, methods and subscripts.
  extension Evaluator {
    /// The value of `base.member` and of `.member`.
    func member(_ access: MemberAccessExprSyntax, in scope: NameScope) -> Value {
      let name = access.declName.baseName.text
      guard let base = access.base else { return .member(name, []) }
      let value = evaluate(base, in: scope)
      switch value {
      case .type(let type): return staticMember(name, of: type, at: access)
      case .typeName(let owner): return knownMember(name, of: owner, at: access)
      case .instance(let instance):
        let owner = SelfValue(instance.type, fields: instance.fields)
        if let result = member(name, of: owner, at: access) { return result }
      case .tuple(let elements):
        if let index = Int(name), elements.indices.contains(index) { return elements[index].value }
        if let element = elements.first(where: { $0.label == name }) { return element.value }
      case .unknown: return value
      default:
        if let result = property(name, of: value) { return result }
        for type in additions(to: value, in: scope) {
          let owner = SelfValue(type, fields: [:], extended: value)
          if let result = member(name, of: owner, at: access) { return result }
        }
      }
      return .unknown(Unknown(access.declName, "\"\(name)\" is not evaluated"))
    }

    /// What the source adds to the type of a value.
    private func additions(to value: Value, in scope: NameScope) -> [UserType] {
      let name: String? =
        switch value {
        case .tensor: "Tensor"
        case .model: "Model"
        case .step: "Block"
        case .number(let number): number.int == nil ? "Float" : "Int"
        case .string: "String"
        case .shape: "Shape"
        default: nil
        }
      return name.map { additions(to: $0, in: scope) } ?? []
    }

    /// A static member or a case of a type that the source declares.
    private func staticMember(
      _ name: String, of type: UserType, at node: some SyntaxProtocol
    ) -> Value {
      switch type.scope.own(name) {
      case .value(let value): return value
      case .lazy(let declaration): return declaration.value
      case nil: break
      }
      if let function = type.scope.ownFunctions(name).first { return .function(function) }
      if type.cases.contains(name) { return .member(name, []) }
      if name == "allCases" { return .array(type.cases.map { .member($0, []) }) }
      if name == "self" { return .type(type) }
      return .unknown(Unknown(node, "\"\(type.name).\(name)\" is not evaluated"))
    }

    /// A member of a type or module that the evaluator knows.
    private func knownMember(
      _ name: String, of owner: String, at node: some SyntaxProtocol
    ) -> Value {
      let full = "\(owner).\(name)"
      if memberTypes.contains(full) { return .typeName(full) }
      if memberTypes.contains(owner) || owner == "Edges" { return .member(name, []) }
      if Self.isKnownType(name) { return .typeName(name) }
      switch full {
      case "Int.max": return .int(.max)
      case "Int.min": return .int(.min)
      case "Float.pi", "Double.pi": return .number(Number(Double.pi))
      default: return .unknown(Unknown(node, "\"\(full)\" is not evaluated"))
      }
    }

    /// A stored or computed property, or a method as a value, of a value of the source's type.
    func member(_ name: String, of owner: SelfValue, at node: some SyntaxProtocol) -> Value? {
      if let value = owner.fields[name] { return value }
      if let extended = owner.extended, let value = property(name, of: extended) { return value }
      if let body = owner.type.computed[name] {
        return nested(at: node) {
          let scope = NameScope(NameScope(owner.type.scope, selfValue: owner))
          return value(of: run(body, in: scope, isBody: true), at: Syntax(node))
        }
      }
      return nil
    }

    /// A property of a value of Swift's or Forge's.
    private func property(_ name: String, of value: Value) -> Value? {
      if let elements = value.elements {
        switch name {
        case "count": return .int(elements.count)
        case "isEmpty": return .bool(elements.isEmpty)
        case "first": return elements.first ?? Value.none
        case "last": return elements.last ?? Value.none
        case "indices": return .range(Array(elements.indices))
        case "startIndex": return .int(0)
        case "endIndex": return .int(elements.count)
        default: return nil
        }
      }
      switch (value, name) {
      case (.none, _): return Value.none
      case (.tensor(let tensor), "shape"):
        // A tensor with a mistake has no shape when the program runs, either.
        guard !tensor.isUncertain else { return nil }
        return tensor.shape.map { .shape($0) } ?? Value.none
      case (.tensor(let tensor), "width"): return size(tensor.width, of: tensor)
      case (.tensor(let tensor), "height"): return size(tensor.height, of: tensor)
      case (.tensor(let tensor), "channels"): return size(tensor.channels, of: tensor)
      case (.shape(let shape), "width"): return .int(shape.width)
      case (.shape(let shape), "height"): return .int(shape.height)
      case (.shape(let shape), "channels"): return .int(shape.channels)
      case (.shape(let shape), "rank"): return .int(shape.rank)
      case (.shape(let shape), "elementCount"): return .int(shape.elementCount)
      case (.shape(let shape), "isImage"): return .bool(shape.isImage)
      case (.shape(let shape), "isKnown"): return .bool(shape.isKnown)
      case (.shape(let shape), "dimensions"): return .array(shape.dimensions.map { .int($0) })
      case (.shape(let shape), "sizes"):
        return shape.sizes.map { .array($0.map { .int($0) }) } ?? Value.none
      case (.model(let model), "inputs"): return .array(model.inputs.map { .tensor($0) })
      case (.model(let model), "outputs"): return .array(model.outputs.map { .tensor($0) })
      case (.string(let text), "count"): return .int(text.count)
      case (.string(let text), "isEmpty"): return .bool(text.isEmpty)
      case (.string(let text), "description"): return .string(text)
      case (.number(let number), "description"): return .string(number.text)
      default: return nil
      }
    }

    /// A size of a tensor; `nil` where it is not known now but will be when the program runs.
    private func size(_ size: Int?, of tensor: Tensor) -> Value? {
      size == nil && tensor.isUncertain ? nil : .int(size)
    }

    /// The value of `base.method(…)`.
    func methodCall(
      _ name: String, of base: ExprSyntax, _ call: FunctionCallExprSyntax, in scope: NameScope
    ) -> Value {
      let receiver = evaluate(base, in: scope)
      let arguments = arguments(of: call, in: scope)
      let node = Syntax(call)
      switch receiver {
      case .unknown: return receiver
      case .type(let type):
        if name == "init" { return create(type, arguments, at: node) }
        if let result = overload(type.scope.ownFunctions(name), arguments, at: node) {
          return result
        }
        return self.call(staticMember(name, of: type, at: call), arguments, call, in: scope)
      case .typeName(let owner):
        let full = "\(owner).\(name)"
        if memberTypes.contains(full) { return .member("init", arguments) }
        if memberTypes.contains(owner) || owner == "Edges" { return .member(name, arguments) }
        for type in additions(to: owner, in: scope) {
          if let result = overload(type.scope.ownFunctions(name), arguments, at: node) {
            return result
          }
        }
        return knownCall(name == "init" ? owner : name, arguments, call, in: scope)
      case .instance(let instance):
        let methods = instance.type.methods.filter { $0.name == name }
        let owner = SelfValue(instance.type, fields: instance.fields)
        if let method = methods.first(where: { $0.match(arguments) != nil }) {
          let result = invoke(method, on: owner, arguments, at: node)
          if method.isMutating, let failure = store(owner.value, in: base, scope) { return failure }
          return result
        }
        if name == "named", let step = step(of: receiver, at: node) {
          return named(step, arguments, call, in: scope)
        }
      case .step(let step) where name == "named":
        return named(step, arguments, call, in: scope)
      case .model(let model) where name == "named":
        return named(model, arguments, call, in: scope)
      case .step(let step) where name == "callAsFunction":
        return self.call(.step(step), arguments, call, in: scope)
      default:
        if let result = standardMethod(name, of: receiver, base, arguments, node, in: scope) {
          return result
        }
        for type in additions(to: receiver, in: scope) {
          let owner = SelfValue(type, fields: [:], extended: receiver)
          let methods = type.methods.filter { $0.name == name }
          if let result = overload(methods, arguments, at: node, on: owner) { return result }
        }
      }
      let unknown = Value.unknown(
        Unknown(call.calledExpression, "\"\(name)\" is not evaluated"))
      switch receiver {
      case .array, .dictionary, .number, .string, .bool, .tuple, .instance:
        // The method may change the variable.
        _ = store(unknown, in: base, scope)
      default: break
      }
      return unknown
    }

    /// `step.named("se1")`.
    private func named(
      _ step: any Step, _ arguments: [Argument], _ call: FunctionCallExprSyntax,
      in scope: NameScope
    ) -> Value {
      let place = record(call, in: scope)
      guard let first = arguments.first, case .string(let name) = first.value else {
        // The shapes are the same under any name.
        report(arguments.first?.value.unknown ?? Unknown(call, "the name is not evaluated"))
        return .step(step)
      }
      let (file, line, column) = (place.fileID, place.line, place.column)
      switch step {
      case let layer as any Layer:
        return .step(layer.named(name, fileID: file, line: line, column: column))
      case let block as Block:
        return .step(block.named(name, fileID: file, line: line, column: column))
      case let other as any GraphStep:
        return .step(other.named(name, fileID: file, line: line, column: column))
      default: return .step(step)
      }
    }

    /// The value of `base[index]`.
    func element(_ call: SubscriptCallExprSyntax, in scope: NameScope) -> Value {
      let base = evaluate(call.calledExpression, in: scope)
      if case .unknown = base { return base }
      guard let argument = call.arguments.first else {
        return .unknown(Unknown(call, "this subscript is not evaluated"))
      }
      let index = evaluate(argument.expression, in: scope)
      if case .dictionary(let entries) = base {
        if let entry = entries.first(where: { Value.areEqual($0.key, index) == true }) {
          return entry.value
        }
        let fallback = call.arguments.first { $0.label?.text == "default" }
        return fallback.map { evaluate($0.expression, in: scope) } ?? .none
      }
      guard call.arguments.count == 1 else {
        return .unknown(Unknown(call, "this subscript is not evaluated"))
      }
      guard let elements = base.elements else {
        return .unknown(index.unknown ?? Unknown(call, "this subscript is not evaluated"))
      }
      switch index {
      case .number(let number):
        if let index = number.int, elements.indices.contains(index) { return elements[index] }
        return .unknown(Unknown(call, "the index is out of range"))
      case .range(let numbers):
        guard numbers.allSatisfy(elements.indices.contains) else {
          return .unknown(Unknown(call, "the range is out of bounds"))
        }
        return .array(numbers.map { elements[$0] })
      default: return .unknown(index.unknown ?? Unknown(call, "this subscript is not evaluated"))
      }
    }
  }
#endif
