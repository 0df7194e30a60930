#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeOperations
  import ForgeShapes

  extension Tensor {
    /// A tensor of unknown shape that depends on others; `compile()` checks what follows it.
    static func unknown(from inputs: [Tensor]) -> Tensor {
      let error = ShapeError(.unknownSize, "it is not known while Swift compiles")
      return Tensor(.foreign("Unknown", error), inputs: inputs, outcome: .blocked)
    }

    /// Whether nothing is known of it while Swift compiles.
    var isUnknown: Bool {
      if case .foreign("Unknown", _) = source { true } else { false }
    }
  }

  /// A step of which nothing is known.
  struct UnknownStep: GraphStep {
    func outputs(for inputs: [Tensor]) -> [Tensor] { [.unknown(from: inputs)] }
  }

  /// A layer whose number of channels or neurons is not known: the last size of its output.
  struct LayerOfUnknownChannels: GraphStep {
    /// The layer with one channel in place of the unknown number.
    let layer: any Layer

    func outputs(for inputs: [Tensor]) -> [Tensor] {
      let known = Tensor(.layer(layer), inputs: inputs)
      guard case .known(let outline) = known.outcome else {
        // Whether a window fits does not depend on the number of channels or neurons.
        if case .failed(let error) = known.outcome, error.kind == .emptyOutput { return [known] }
        return [.unknown(from: inputs)]
      }
      let shape = Shape(outline.shape.dimensions.dropLast() + [nil])
      return [
        Tensor(
          .layer(layer), inputs: inputs,
          outcome: .known(LayerOutline(shape: shape, parameters: [], multiplyAdds: 0)))
      ]
    }
  }

  /// A function, a closure or a module of the source as a step.
  ///
  /// The evaluator runs on one thread and applies steps on it only.
  struct EvaluatedStep: GraphStep, @unchecked Sendable {
    /// The type of a module; `nil` for a function.
    let moduleName: String?
    let body: ([Tensor]) -> [Tensor]

    func outputs(for inputs: [Tensor]) -> [Tensor] {
      guard let moduleName else { return body(inputs) }
      return ScopeUse.applying(nil, typeName: moduleName, place: nil, to: inputs, body)
    }
  }
#endif
