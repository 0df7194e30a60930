#if Macros
  import ForgeShapes
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// Writes the place in the user's source into the calls of layers.
  ///
  /// Inside an expansion `#line` is the line of the macro. All layers would have that one place, by
  /// which Forge tells a shared layer from two of the same name.
  final class PlacedLayers: SyntaxRewriter {
    private var places: [SyntaxIdentifier: SourcePlace] = [:]

    init(_ calls: [(call: FunctionCallExprSyntax, place: SourcePlace)]) {
      super.init(viewMode: .sourceAccurate)
      for (call, place) in calls { places[call.id] = place }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
      let visited = super.visit(node)
      guard let place = places[node.id], node.leftParen != nil,
        // Arguments of `Custom` come in an order that leaves no room before its closures.
        node.trailingClosure == nil,
        var call = visited.as(FunctionCallExprSyntax.self)
      else { return visited }
      var arguments = Array(call.arguments)
      if let last = arguments.indices.last {
        arguments[last].trailingComma = .commaToken(trailingTrivia: .space)
      }
      let added: [(String, ExprSyntax)] = [
        ("fileID", "\(literal: place.fileID)"), ("line", "\(literal: place.line)"),
        ("column", "\(literal: place.column)"),
      ]
      for (label, value) in added {
        arguments.append(
          LabeledExprSyntax(
            label: .identifier(label), colon: .colonToken(trailingTrivia: .space),
            expression: value,
            trailingComma: label == "column" ? nil : .commaToken(trailingTrivia: .space)))
      }
      call.arguments = LabeledExprListSyntax(arguments)
      return ExprSyntax(call)
    }
  }
#endif
