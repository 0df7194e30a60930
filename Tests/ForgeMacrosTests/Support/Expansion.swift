#if Macros
  import ForgeMacroPlugin
  import SwiftDiagnostics
  import SwiftOperators
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros

  /// The expansion of every macro of Forge in a source, with the messages of the compiler.
  struct Expansion {
    /// The messages, one in a line: `7:9 error: …`.
    var messages: [String] = []
    /// The source with every macro expanded.
    let text: String

    static let macros: [String: any Macro.Type] = [
      "Network": NetworkMacro.self, "network": ModelMacro.self, "shape": ShapeMacro.self,
      "summary": SummaryMacro.self,
    ]

    /// Expands the macros of a source as the compiler does: folded by the standard operators, each
    /// macro detached from its file.
    ///
    /// - Parameters:
    ///   - source: the text of a file.
    ///   - path: the path of the file, which macros may read.
    init(_ source: String, path: String = "Net.swift") {
      let parsed = Parser.parse(source: source)
      let file =
        OperatorTable.standardOperators.foldAll(parsed) { _ in }
        .as(SourceFileSyntax.self) ?? parsed
      let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "App", fullFilePath: path)])
      text =
        file.expand(macros: Self.macros) { node in
          BasicMacroExpansionContext(
            sharingWith: context, lexicalContext: [])
        }.description
      func place(_ node: Syntax, _ position: AbsolutePosition? = nil) -> String {
        let location = context.location(
          for: position ?? node.positionAfterSkippingLeadingTrivia, anchoredAt: node,
          fileName: path)
        return "\(location.line):\(location.column)"
      }
      for diagnostic in context.diagnostics {
        messages.append(
          "\(place(diagnostic.node, diagnostic.position)) \(diagnostic.diagMessage.severity): "
            + diagnostic.message)
        for note in diagnostic.notes {
          messages.append("  \(place(note.node)) note: \(note.message)")
        }
        for fixIt in diagnostic.fixIts {
          for case .replaceText(let range, let text, let tree) in fixIt.changes {
            let start = place(tree, range.lowerBound)
            let length = range.upperBound.utf8Offset - range.lowerBound.utf8Offset
            messages.append("  \(start)+\(length) fix-it: \(fixIt.message.message): \"\(text)\"")
          }
        }
      }
    }
  }
#endif
