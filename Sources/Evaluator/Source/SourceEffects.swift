#if Macros
  import SwiftSyntax

  /// What a piece of source may change when it runs, as far as its syntax tells.
  struct SourceEffects {
    /// The variables that it assigns, passes as `inout`, or calls methods of.
    private(set) var written: Set<String> = []
    /// All names that it uses, which may be those of functions.
    private(set) var names: Set<String> = []
    /// Whether it may change `self`.
    private(set) var writesSelf = false

    init(of node: Syntax) { visit(node) }

    private mutating func visit(_ node: Syntax) {
      if let reference = node.as(DeclReferenceExprSyntax.self) {
        names.insert(reference.baseName.text)
      } else if let infix = node.as(InfixOperatorExprSyntax.self) {
        if Self.isAssignment(infix.operator) { write(infix.leftOperand) }
      } else if let sequence = node.as(SequenceExprSyntax.self) {
        var previous: ExprSyntax?
        for element in sequence.elements {
          if Self.isAssignment(element), let previous { write(previous) }
          previous = element
        }
      } else if let changed = node.as(InOutExprSyntax.self) {
        write(changed.expression)
      } else if let call = node.as(FunctionCallExprSyntax.self),
        let base = call.calledExpression.as(MemberAccessExprSyntax.self)?.base
      {
        write(base)
      }
      for child in node.children(viewMode: .sourceAccurate) { visit(child) }
    }

    /// Whether an operator assigns to its left operand.
    private static func isAssignment(_ expression: ExprSyntax) -> Bool {
      if expression.is(AssignmentExprSyntax.self) { return true }
      guard let symbol = expression.as(BinaryOperatorExprSyntax.self)?.operator.text else {
        return false
      }
      return symbol.hasSuffix("=") && !["==", "!=", "<=", ">=", "===", "!=="].contains(symbol)
    }

    /// Notes the variable of which an expression is a part.
    private mutating func write(_ expression: ExprSyntax) {
      if let reference = expression.as(DeclReferenceExprSyntax.self) {
        if reference.baseName.tokenKind == .keyword(.self) { writesSelf = true }
        written.insert(reference.baseName.text)
      } else if let access = expression.as(MemberAccessExprSyntax.self) {
        if let base = access.base { write(base) }
      } else if let access = expression.as(SubscriptCallExprSyntax.self) {
        write(access.calledExpression)
      } else if let forced = expression.as(ForceUnwrapExprSyntax.self) {
        write(forced.expression)
      } else if let chaining = expression.as(OptionalChainingExprSyntax.self) {
        write(chaining.expression)
      } else if let tuple = expression.as(TupleExprSyntax.self) {
        for element in tuple.elements { write(element.expression) }
      }
    }

    /// The number of `return` statements, without those of functions and closures inside.
    static func returns(in node: Syntax) -> Int {
      if node.is(ReturnStmtSyntax.self) { return 1 }
      return node.children(viewMode: .sourceAccurate).reduce(0) { count, child in
        let isInner =
          child.is(ClosureExprSyntax.self) || child.is(FunctionDeclSyntax.self)
          || child.is(MemberBlockSyntax.self) || child.is(AccessorBlockSyntax.self)
        return isInner ? count : count + returns(in: child)
      }
    }
  }
#endif
