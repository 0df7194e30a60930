#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeOperations
  import ForgeShapes
  import SwiftSyntax

  /// `Custom(…)`, whose arithmetic is not run while Swift compiles and whose rules are.
  enum CustomCall {
    static func value(of call: GraphCalls.Call) -> Value? {
      let place = call.place
      let name = call["name"].flatMap { String.converted(from: $0) }
      let rule: CustomOperation.ShapeRule
      switch call["shape"] {
      case nil: rule = CustomOperation.sameShape
      case .function(let function)?: rule = evaluated(function, call)
      default:
        call.evaluator.report(Unknown(call.node, "the shape rule is not evaluated"))
        return .step(UnknownStep())
      }
      // The parameters do not change the shape. Their sizes are left to `compile()`.
      if let stated = call.arguments.first(where: { $0.label == "parameters" }) {
        call.evaluator.report(
          Unknown(stated.node, "the parameters of a custom layer are not evaluated"))
      }
      return .step(
        CheckedCustom(
          Custom(
            shape: rule, name: name, body: { _, _ in }, fileID: place.fileID, line: place.line,
            column: place.column)))
    }

    /// A rule of the source, which the evaluator runs.
    private static func evaluated(
      _ function: Function, _ call: GraphCalls.Call
    ) -> CustomOperation.ShapeRule {
      struct Rule: @unchecked Sendable {
        let function: Function
        let call: GraphCalls.Call
      }
      let rule = Rule(function: function, call: call)
      return { shapes in
        let result = rule.call.evaluator.call(
          rule.function, [.array(ArrayValue(shapes.map { .shape($0) }, of: .forge("Shape")))],
          at: rule.call.node)
        if case .shape(let shape) = result { return shape }
        rule.call.evaluator.report(
          result.unknown ?? Unknown(rule.call.node, "the shape rule is not evaluated"))
        throw UnevaluatedRule()
      }
    }
  }

  /// The evaluator could not run a rule of the source.
  struct UnevaluatedRule: Error {}

  /// A custom layer whose shape rule may turn out to be beyond the evaluator.
  struct CheckedCustom: GraphStep {
    let layer: Custom

    init(_ layer: Custom) { self.layer = layer }

    func outputs(for inputs: [Tensor]) -> [Tensor] {
      do {
        if inputs.allSatisfy({ $0.shape != nil }) {
          _ = try layer.shapeRule(inputs.compactMap(\.shape))
        }
      } catch is UnevaluatedRule {
        return [.unknown(from: inputs)]
      } catch {
        // A rule that throws for these shapes is a mistake, which the layer reports.
      }
      return [Tensor(.layer(layer), inputs: inputs)]
    }
  }
#endif
