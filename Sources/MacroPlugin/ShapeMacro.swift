#if Macros
  import ForgeEvaluator
  import ForgeShapes
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// `#shape(of:)`: the shape of a tensor, as a note and as a value.
  public struct ShapeMacro: ExpressionMacro {
    /// Shows the shape and returns it as an expression.
    public static func expansion(
      of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
      guard let expression = node.arguments.first?.expression else { return "nil" }
      let (shape, findings) = context.evaluation(of: node).shape(of: expression)
      context.show(findings)
      guard let shape else { return "(\(expression.trimmed)).shape" }
      context.show([
        Finding(severity: .note, node: Syntax(expression), message: "\(shape)")
      ])
      let sizes = shape.dimensions.map { $0.map(String.init) ?? "nil" }.joined(separator: ", ")
      return "ForgeShapes.Shape([\(raw: sizes)])"
    }
  }

  /// `#summary`: the table of a network, as a note and as a value.
  public struct SummaryMacro: ExpressionMacro {
    /// Shows the table and returns an expression that makes it.
    public static func expansion(
      of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
      guard let expression = node.arguments.first?.expression else { return "\"\"" }
      let network = context.evaluation(of: node).check(expression)
      context.show(network.findings)
      if let summary = network.summary {
        context.show([
          Finding(severity: .note, node: Syntax(expression), message: "the network\n\(summary)")
        ])
      }
      return """
        (\(expression.trimmed)).model(fileID: #fileID, line: #line, column: #column).summary()
        """
    }
  }
#endif
