#if Macros
  import ForgeEvaluator
  import ForgeShapes
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// `#network`: checks the network of a closure.
  public struct ModelMacro: ExpressionMacro {
    /// Checks the closure and returns a call that makes the model of it.
    public static func expansion(
      of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
      let options = MacroOptions(node.arguments, of: node, in: context)
      context.show(options.findings)
      guard
        let closure =
          node.trailingClosure ?? node.arguments.last?.expression.as(ClosureExprSyntax.self)
      else {
        context.show([
          Finding(
            severity: .error, node: Syntax(node),
            message: "#network needs a closure, as the network is read from its source")
        ])
        return "ForgeGraph.Model(inputs: [], outputs: [])"
      }
      let evaluation = context.evaluation(of: node)
      let network = evaluation.check(closure, at: node.macroName, options: options.check)
      context.show(network.findings)
      let described = PlacedLayers(evaluation.placedCalls).rewrite(closure)
      return """
        ForgeMacros.describedModel(fileID: #fileID, line: #line, column: #column) \(described)
        """
    }
  }
#endif
