#if Macros
  import ForgeEvaluator
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// `@Network`: checks the body of a type and makes its typed form.
  public struct NetworkMacro: MemberMacro {
    /// Checks the body and returns the structure `Network`.
    public static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let options = MacroOptions(
        node.arguments?.as(LabeledExprListSyntax.self), of: declaration, in: context)
      context.show(options.findings)
      let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? ""
      let network = context.evaluation(of: declaration)
        .check(declaration, named: name, options: options.check)
      context.show(network.findings)
      if options.showsSummary, let summary = network.summary {
        context.show([
          Finding(severity: .note, node: Syntax(node), message: "the network\n\(summary)")
        ])
      }
      guard !network.inputs.isEmpty, !network.outputs.isEmpty else {
        if !network.hasErrors {
          context.show([
            Finding(
              severity: .warning, node: Syntax(node),
              message: "\(name).Network is not made, as the inputs and outputs are not known while "
                + "Swift compiles")
          ])
        }
        return []
      }
      let isPublic = declaration.modifiers.contains {
        [.keyword(.public), .keyword(.package)].contains($0.name.tokenKind)
      }
      let access =
        declaration.modifiers.first { $0.name.tokenKind == .keyword(.package) } != nil
        ? "package " : isPublic ? "public " : ""
      return [TypedForm(network, owner: name, access: access).declaration]
    }
  }
#endif
