#if Macros
  import ForgeEvaluator
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxMacros

  extension MacroExpansionContext {
    /// Shows findings as messages of the Swift compiler.
    func show(_ findings: [Finding]) {
      for finding in findings { diagnose(Diagnostic(finding)) }
    }

    /// An evaluation of the syntax that a macro was given.
    ///
    /// - Parameter node: any node of the syntax.
    /// - Returns: the evaluation.
    func evaluation(of node: some SyntaxProtocol) -> NetworkEvaluation {
      let root = node.root
      let place = location(of: root, at: .beforeLeadingTrivia, filePathMode: .fileID)
      let file = location(of: root, at: .beforeLeadingTrivia, filePathMode: .filePath)
      return NetworkEvaluation(
        of: root, fileID: place?.file.text ?? "", filePath: file?.file.text,
        line: place?.line.number ?? 1, column: place?.column.number ?? 1)
    }
  }

  extension ExprSyntax {
    /// The text of a string literal.
    var text: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }

    /// The value of an integer literal.
    var number: Int? {
      self.as(IntegerLiteralExprSyntax.self).flatMap { Int($0.literal.text.filter { $0 != "_" }) }
    }
  }

  extension Diagnostic {
    /// A message of the compiler.
    init(_ finding: Finding) {
      self.init(
        node: finding.node, message: FindingMessage(finding.message, finding.severity),
        notes: finding.notes.map {
          Note(node: $0.node, message: FindingMessage($0.message, .note))
        },
        fixIts: finding.fixIts.map { fixIt in
          FixIt(
            message: FindingMessage(fixIt.message, .note),
            changes: [.replaceText(range: fixIt.range, with: fixIt.text, in: finding.node.root)])
        })
    }
  }

  /// The text of a message.
  struct FindingMessage: DiagnosticMessage, NoteMessage, FixItMessage {
    let message: String
    let severity: DiagnosticSeverity

    init(_ message: String, _ severity: Finding.Severity) {
      self.message = message
      self.severity =
        switch severity {
        case .error: .error
        case .warning: .warning
        case .remark: .remark
        case .note: .note
        }
    }

    private static let id = MessageID(domain: "Forge", id: "network")
    var diagnosticID: MessageID { Self.id }
    var noteID: MessageID { Self.id }
    var fixItID: MessageID { Self.id }
  }
#endif
