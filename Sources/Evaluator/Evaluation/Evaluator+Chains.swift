#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// The operator `-->` between values.
  extension Evaluator {
    /// The result of applying what stands right of `-->`.
    func chain(_ source: Value, _ step: Value, at node: Syntax, in scope: NameScope) -> Value {
      switch source {
      case .tensor(let tensor): return apply(step, to: [tensor], source, at: node)
      case .array(let array):
        guard let tensors = tensors(array.elements) else { break }
        return apply(step, to: tensors, source, at: node)
      case .model(let model):
        if case .function(let function) = step {
          let operand: Value =
            model.outputs.count == 1 && !takesArray(function)
            ? .tensor(model.outputs[0]) : .tensors(model.outputs)
          let result = call(function, [operand], at: node)
          guard let outputs = outputs(of: result, for: model.outputs) else {
            return .unknown(Unknown(node, "the outputs of the function are not known"))
          }
          return .model(model.with(outputs: outputs))
        }
        guard let right = self.step(of: step, at: node) else { break }
        return .model(model.chained(to: right))
      case .step(let left):
        guard let right = self.step(of: step, at: node) else { break }
        return .step(Block([left, right]))
      case .instance, .function:
        guard let left = self.step(of: source, at: node), let right = self.step(of: step, at: node)
        else { break }
        return .step(Block([left, right]))
      case .unknown: return source
      default: break
      }
      if let unknown = source.unknown ?? step.unknown { return .unknown(unknown) }
      return .unknown(Unknown(node, "--> is not evaluated for these values"))
    }

    private func apply(
      _ step: Value, to tensors: [Tensor], _ source: Value, at node: Syntax
    ) -> Value {
      if case .function(let function) = step {
        let result = call(function, [source], at: node)
        if case .unknown(let unknown) = result {
          report(unknown)
          return .tensor(.unknown(from: tensors))
        }
        return result
      }
      guard let right = self.step(of: step, at: node) else {
        return .unknown(Unknown(node, "--> is not evaluated for these values"))
      }
      return .tensor(Tensor.applying(right, to: tensors))
    }

    /// The tensors of an array literal; `nil` if it holds anything else.
    func tensors(_ elements: [Value]) -> [Tensor]? {
      var tensors: [Tensor] = []
      for element in elements {
        switch element {
        case .tensor(let tensor): tensors.append(tensor)
        case .optional(.tensor(let tensor)?, _): tensors.append(tensor)
        case .unknown(let unknown):
          report(unknown)
          tensors.append(.unknown(from: []))
        default: return nil
        }
      }
      return tensors
    }

    /// A value as a step; `nil` if it is none.
    func step(of value: Value, at node: Syntax) -> (any Step)? {
      switch value {
      case .step(let step): return step
      case .model(let model): return model
      case .unknown(let unknown):
        report(unknown)
        return UnknownStep()
      case .function(let function):
        return EvaluatedStep(moduleName: nil) { [self] tensors in
          let operand: Value =
            tensors.count == 1 && !takesArray(function)
            ? .tensor(tensors[0]) : .tensors(tensors)
          return known(call(function, [operand], at: node), for: tensors)
        }
      case .instance(let instance):
        guard let method = instance.type.methods.first(where: { $0.name == "callAsFunction" })
        else {
          let unknown = Unknown(
            node, "\"\(instance.type.name)\" is not a Module, and lower(into:) is not evaluated")
          report(unknown)
          return UnknownStep()
        }
        let isMultiple = instance.type.inherits(["MultiModule"])
        return EvaluatedStep(moduleName: instance.type.name) { [self] tensors in
          guard isMultiple || tensors.count == 1 else {
            let error = ShapeError.moduleOfOne(tensors.count)
            return [Tensor(.foreign(instance.type.name, error), inputs: tensors)]
          }
          let operand: Value =
            isMultiple ? .tensors(tensors) : .tensor(tensors[0])
          let result = invoke(
            method, on: SelfValue(instance.type, value),
            [Argument(label: nil, value: operand, node: node)], at: node)
          return known(result, for: tensors)
        }
      default: return nil
      }
    }

    /// The tensors that a function returned; an unknown one if it is not known.
    private func known(_ result: Value, for inputs: [Tensor]) -> [Tensor] {
      outputs(of: result, for: inputs) ?? [.unknown(from: inputs)]
    }

    private func outputs(of result: Value, for inputs: [Tensor]) -> [Tensor]? {
      switch result {
      case .tensor(let tensor): return [tensor]
      case .array(let array): return tensors(array.elements)
      case .unknown(let unknown):
        report(unknown)
        return [.unknown(from: inputs)]
      default: return nil
      }
    }

    /// Whether the only parameter of a function is an array of tensors.
    private func takesArray(_ function: Function) -> Bool {
      function.parameters.first?.type?.trimmedDescription == "[Tensor]"
    }
  }
#endif
