#if Macros
  import ForgeEvaluator
  import SwiftSyntax
  import SwiftSyntaxMacros

  /// The arguments of `@Network` and `#network`.
  struct MacroOptions {
    var check = CheckOptions()
    /// Whether the table of layers is shown.
    var showsSummary = false
    /// Arguments that are not literals.
    var findings: [Finding] = []

    init(
      _ arguments: LabeledExprListSyntax?, of node: some SyntaxProtocol,
      in context: some MacroExpansionContext
    ) {
      for argument in arguments ?? [] {
        let value = argument.expression
        if value.is(NilLiteralExprSyntax.self) { continue }
        switch argument.label?.text {
        case "maxParameters":
          check.maximumParameters = value.number
          if value.number == nil { refuse(argument, "a number") }
        case "weights":
          check.weightsPath = value.text.map { path(of: $0, beside: node, in: context) }
          if value.text == nil { refuse(argument, "a string") }
        case "summary":
          showsSummary = value.trimmedDescription == "true"
        default: break
        }
      }
    }

    private mutating func refuse(_ argument: LabeledExprSyntax, _ kind: String) {
      findings.append(
        Finding(
          severity: .error, node: Syntax(argument.expression),
          message: "\(argument.label?.text ?? "the argument") must be \(kind) written as a literal")
      )
    }

    /// A path relative to the source file.
    private func path(
      of text: String, beside node: some SyntaxProtocol, in context: some MacroExpansionContext
    ) -> String {
      let file = context.location(
        of: node.root, at: .beforeLeadingTrivia, filePathMode: .filePath)?.file.text
      guard !text.hasPrefix("/"), let file else { return text }
      let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      return (folder + [Substring(text)]).joined(separator: "/")
    }
  }
#endif
