#if Macros
  import SwiftSyntax

  /// Operators and operands by precedence.
  ///
  /// A macro's arguments come folded by Swift's own precedence groups, which do not know `-->`, and
  /// a file comes unfolded. Both are flattened first and folded here.
  indirect enum OperatorTree {
    case operand(ExprSyntax)
    case binary(String, node: Syntax, OperatorTree, OperatorTree)
    /// `a --> b --> c`, a list of any length.
    case chain(OperatorTree, [(node: Syntax, step: OperatorTree)])
    case ternary(OperatorTree, then: ExprSyntax, otherwise: OperatorTree)
    case cast(OperatorTree, to: TypeSyntax, isOptional: Bool)
    case assignment(String, node: Syntax, OperatorTree, OperatorTree)

    /// One part of a flat list: operands and operators in turn.
    private enum Part {
      case operand(ExprSyntax)
      case symbol(String, Syntax)
      case ternary(ExprSyntax)
      case cast(TypeSyntax, isOptional: Bool)
      case assignment(String, Syntax)
    }

    /// Folds an expression.
    init(_ expression: ExprSyntax) {
      var parts = Self.flattened(expression)[...]
      self = Self.fold(&parts, minimum: 0)
    }

    private static let comparisons: Set<String> = ["==", "!=", "<", "<=", ">", ">=", "===", "!=="]

    /// The operators of Swift's standard library and of Forge.
    static let standardSymbols: Set<String> = comparisons.union([
      "-->", "||", "&&", "~=", "??", "...", "..<", "+", "-", "|", "^", "&+", "&-", "*", "/", "%",
      "&", "&*", "<<", ">>", "&<<", "&>>",
    ])

    private static func precedence(_ part: Part) -> (level: Int, isRight: Bool)? {
      switch part {
      case .operand: nil
      case .assignment: (90, true)
      case .ternary: (100, true)
      case .cast: (132, false)
      case .symbol(let symbol, _):
        switch symbol {
        case "-->": (105, false)
        case "||": (110, false)
        case "&&": (120, false)
        case "==", "!=", "<", "<=", ">", ">=", "===", "!==", "~=": (130, false)
        case "??": (131, true)
        case "...", "..<": (135, false)
        case "+", "-", "|", "^", "&+", "&-": (140, false)
        case "*", "/", "%", "&", "&*": (150, false)
        case "<<", ">>", "&<<", "&>>": (160, false)
        // Nothing is known of an operator of the user's; the evaluation says so.
        default: (133, false)
        }
      }
    }

    private static func fold(_ parts: inout ArraySlice<Part>, minimum: Int) -> OperatorTree {
      guard case .operand(let first)? = parts.popFirst() else {
        return .operand(ExprSyntax(MissingExprSyntax()))
      }
      var left = OperatorTree.operand(first)
      while let part = parts.first, let (level, isRight) = precedence(part), level >= minimum {
        parts.removeFirst()
        let next = isRight ? level : level + 1
        switch part {
        case .operand: return left
        case .symbol("-->", let node):
          let step = fold(&parts, minimum: next)
          if case .chain(let source, let steps) = left {
            left = .chain(source, steps + [(node, step)])
          } else {
            left = .chain(left, [(node, step)])
          }
        case .symbol(let symbol, let node):
          left = .binary(symbol, node: node, left, fold(&parts, minimum: next))
        case .ternary(let then):
          left = .ternary(left, then: then, otherwise: fold(&parts, minimum: next))
        case .cast(let type, let isOptional):
          left = .cast(left, to: type, isOptional: isOptional)
        case .assignment(let symbol, let node):
          left = .assignment(symbol, node: node, left, fold(&parts, minimum: next))
        }
      }
      return left
    }

    /// The operands and operators of an expression from left to right, without recursion over the
    /// length of a chain.
    private static func flattened(_ expression: ExprSyntax) -> [Part] {
      enum Pending {
        case expression(ExprSyntax)
        case part(Part)
      }
      var parts: [Part] = []
      var pending: [Pending] = [.expression(expression)]
      while let next = pending.popLast() {
        guard case .expression(let expression) = next else {
          if case .part(let part) = next { parts.append(part) }
          continue
        }
        if let sequence = expression.as(SequenceExprSyntax.self) {
          pending += sequence.elements.reversed().map { Pending.expression($0) }
        } else if let infix = expression.as(InfixOperatorExprSyntax.self) {
          pending += [
            .expression(infix.rightOperand), .expression(infix.operator),
            .expression(infix.leftOperand),
          ]
        } else if let ternary = expression.as(TernaryExprSyntax.self) {
          pending += [
            .expression(ternary.elseExpression), .part(.ternary(ternary.thenExpression)),
            .expression(ternary.condition),
          ]
        } else if let cast = expression.as(AsExprSyntax.self) {
          pending += [
            .part(.cast(cast.type, isOptional: cast.questionOrExclamationMark != nil)),
            .expression(cast.expression),
          ]
        } else {
          parts += Self.parts(of: expression)
        }
      }
      return parts
    }

    /// The part that is not a sequence.
    private static func parts(of expression: ExprSyntax) -> [Part] {
      if let binary = expression.as(BinaryOperatorExprSyntax.self) {
        let symbol = binary.operator.text
        let isAssignment =
          symbol.hasSuffix("=") && !comparisons.contains(symbol)
          && standardSymbols.contains(String(symbol.dropLast()))
        return [
          isAssignment ? .assignment(symbol, Syntax(binary)) : .symbol(symbol, Syntax(binary))
        ]
      }
      if let assignment = expression.as(AssignmentExprSyntax.self) {
        return [.assignment("=", Syntax(assignment))]
      }
      if let ternary = expression.as(UnresolvedTernaryExprSyntax.self) {
        return [.ternary(ternary.thenExpression)]
      }
      // The type follows as an expression of its own.
      if expression.is(UnresolvedAsExprSyntax.self) { return [] }
      if let type = expression.as(TypeExprSyntax.self) {
        return [.cast(type.type, isOptional: false)]
      }
      return [.operand(expression)]
    }
  }
#endif
