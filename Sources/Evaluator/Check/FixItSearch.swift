#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// Finds changes of the source that fix a mistake, by trying them.
  ///
  /// Each candidate is an edit of one call. Candidates that cannot help are left out by asking the
  /// edited layers for their shapes. Of the others, the whole network is evaluated again with the
  /// edited source; only an edit that leaves fewer mistakes is offered.
  struct FixItSearch {
    let check: NetworkCheck
    let inference: Inference

    /// A candidate: an argument of a layer and its new value.
    private struct Edit {
      let label: String
      let text: String
      let value: Value
    }

    /// The changes that fix a layer which violates a rule.
    func fixIts(for failed: Inference.Node) -> [Finding.FixIt] {
      guard case .failed(let error) = failed.tensor.outcome else { return [] }
      switch error.kind {
      case .emptyOutput, .kernelLargerThanInput: return windowFixIts(failed)
      case .unknownSize: return resizeFixIts(failed)
      case .shapeMismatch: return branchFixIts(failed)
      default: return []
      }
    }

    // MARK: Windows that do not fit

    private func windowFixIts(_ failed: Inference.Node) -> [Finding.FixIt] {
      let shapes = failed.inputs.compactMap { inference.nodes[$0].shape }
      let edit = Edit(label: "padding", text: ".same", value: .member("same", []))
      guard let (call, layer) = edited(failed, edit),
        (try? layer.outputShape(for: shapes)) != nil
      else { return [] }
      return [fixIt(call, edit)].compactMap { $0 }.filter(mends)
    }

    /// Whether the network has fewer mistakes with a change.
    private func mends(_ fixIt: Finding.FixIt) -> Bool {
      guard let count = check.mistakesAfter(fixIt) else { return false }
      return count < inference.problems.count
    }

    // MARK: Sizes that are not known

    private func resizeFixIts(_ failed: Inference.Node) -> [Finding.FixIt] {
      guard let input = failed.inputs.first.map({ inference.nodes[$0] }), let shape = input.shape,
        shape.isImage, !shape.isKnown,
        let node = check.node(at: failed.place),
        let call = check.evaluator.nodes[failed.place ?? .unknown]?.node
          .as(FunctionCallExprSyntax.self)
      else { return [] }
      // Only where the layer stands right of --> can a layer be put before it.
      guard isRightOfArrow(Syntax(call)) else { return [] }
      let start = node.positionAfterSkippingLeadingTrivia
      return [
        Finding.FixIt(
          message: "insert a Resize, which makes the size known",
          range: start..<start, text: "Resize(width: <#width#>, height: <#height#>) --> ")
      ]
    }

    /// Whether an expression is the right operand of `-->`.
    private func isRightOfArrow(_ call: Syntax) -> Bool {
      if let infix = call.parent?.as(InfixOperatorExprSyntax.self) {
        return infix.operator.trimmedDescription == "-->" && infix.rightOperand.id == call.id
      }
      guard let list = call.parent?.as(ExprListSyntax.self),
        let index = list.firstIndex(where: { $0.id == call.id }), index != list.startIndex
      else { return false }
      return list[list.index(before: index)].trimmedDescription == "-->"
    }

    // MARK: Branches that do not fit together

    /// The changes of one branch after which the branches have the same width and height.
    private func branchFixIts(_ failed: Inference.Node) -> [Finding.FixIt] {
      guard failed.inputs.count > 1, let layer = failed.layer else { return [] }
      let branches = failed.inputs.map { inference.nodes[$0] }
      let shapes = branches.compactMap(\.shape)
      guard shapes.count == branches.count else { return [] }
      var found: [Finding.FixIt] = []
      for (index, branch) in branches.enumerated() {
        for (target, other) in shapes.enumerated() where target != index {
          guard shapes[index] != other else { continue }
          for (node, edit) in candidates(branch, other: branches[target]) {
            guard let shape = shape(of: branch, editing: node, edit) else { continue }
            var changed = shapes
            changed[index] = shape
            guard (try? layer.outputShape(for: changed)) != nil,
              let call = call(of: node), let fixIt = fixIt(call, edit),
              !found.contains(where: { $0.range == fixIt.range && $0.text == fixIt.text })
            else { continue }
            found.append(fixIt)
          }
        }
      }
      found += enlargements(failed, branches)
      // Several ways to fix it are a choice of the user's; more than a few help nobody.
      return Array(found.filter(mends).prefix(4))
    }

    /// A `Resize` after each branch that is smaller than another.
    private func enlargements(
      _ failed: Inference.Node, _ branches: [Inference.Node]
    ) -> [Finding.FixIt] {
      guard let place = failed.place, let located = check.evaluator.nodes[place],
        let array = operands(of: located.node), array.count == branches.count
      else { return [] }
      let sizes = branches.map { ($0.shape?.width ?? 0, $0.shape?.height ?? 0) }
      guard let width = sizes.map(\.0).max(), let height = sizes.map(\.1).max(), width > 0,
        height > 0
      else { return [] }
      return zip(array, sizes).compactMap { element, size in
        guard size != (width, height), check.visible(Syntax(element)) != nil else { return nil }
        let end = element.endPositionBeforeTrailingTrivia
        return Finding.FixIt(
          message: "resize this branch to \(width)×\(height)", range: end..<end,
          text: " --> Resize(width: \(width), height: \(height))")
      }
    }

    /// The elements of the array literal that a layer is applied to, as in `[a, b] --> Add()` and
    /// `Concatenate([a, b])`.
    private func operands(of node: Syntax) -> [ExprSyntax]? {
      var array = node.as(FunctionCallExprSyntax.self)?.arguments.first?.expression
        .as(ArrayExprSyntax.self)
      if let infix = node.parent?.as(InfixOperatorExprSyntax.self), infix.rightOperand.id == node.id
      {
        array = infix.leftOperand.as(ArrayExprSyntax.self)
      } else if let list = node.parent?.as(ExprListSyntax.self),
        let index = list.firstIndex(where: { $0.id == node.id }),
        list.distance(from: list.startIndex, to: index) == 2
      {
        array = list.first?.as(ArrayExprSyntax.self)
      }
      return array?.elements.map(\.expression)
    }

    /// The edits worth trying in a branch: padding, stride and channels of its last layers.
    private func candidates(
      _ branch: Inference.Node, other: Inference.Node
    ) -> [(Inference.Node, Edit)] {
      var edits: [(Inference.Node, Edit)] = []
      for node in line(from: branch).prefix(4) {
        edits.append((node, Edit(label: "padding", text: ".same", value: .member("same", []))))
        edits.append((node, Edit(label: "padding", text: ".valid", value: .member("valid", []))))
        for stride in [1, 2] {
          edits.append(
            (
              node,
              Edit(
                label: "stride", text: "\(stride)",
                value: .number(Number(literal: stride)))
            ))
        }
        if let channels = other.shape?.channels {
          edits.append(
            (
              node,
              Edit(
                label: "channels", text: "\(channels)",
                value: .number(Number(literal: channels)))
            ))
        }
      }
      return edits
    }

    /// A node and those before it, as long as each has one input.
    private func line(from node: Inference.Node) -> [Inference.Node] {
      var line = [node]
      while let last = line.last, last.inputs.count == 1 {
        line.append(inference.nodes[last.inputs[0]])
      }
      return line
    }

    /// The shape of a branch's end after an edit of one of its layers.
    private func shape(
      of branch: Inference.Node, editing node: Inference.Node, _ edit: Edit
    ) -> Shape? {
      guard let (_, edited) = edited(node, edit), let input = node.inputs.first else { return nil }
      let path = line(from: branch).prefix { $0.position != node.position }
      guard let start = inference.nodes[input].shape,
        var shape = try? edited.outputShape(for: [start])
      else { return nil }
      for next in path.reversed() {
        guard let layer = next.layer, let result = try? layer.outputShape(for: [shape]) else {
          return nil
        }
        shape = result
      }
      return shape
    }

    // MARK: Edits

    private func call(of node: Inference.Node) -> FunctionCallExprSyntax? {
      guard let place = node.place, let located = check.evaluator.nodes[place],
        check.visible(located.node) != nil
      else { return nil }
      return located.node.as(FunctionCallExprSyntax.self)
    }

    /// The layer with one argument replaced or added.
    private func edited(
      _ node: Inference.Node, _ edit: Edit
    ) -> (FunctionCallExprSyntax, any Layer)? {
      guard let place = node.place, let located = check.evaluator.nodes[place],
        let call = call(of: node),
        let name = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
        let initializers = LayerTable.shared.initializers[name]
      else { return nil }
      var arguments = check.evaluator.arguments(of: call, in: located.scope)
      let argument = Argument(label: edit.label, value: edit.value, node: Syntax(call))
      if let index = arguments.firstIndex(where: { $0.label == edit.label }) {
        arguments[index] = argument
      } else {
        guard let index = insertion(of: edit.label, in: arguments.map(\.label), initializers) else {
          return nil
        }
        arguments.insert(argument, at: index)
      }
      let layer = check.evaluator.layer(name, arguments, place, Syntax(call)) as? any Layer
      return layer.map { (call, $0) }
    }

    /// Where a new argument belongs among those of a call; `nil` if the layer does not take it.
    private func insertion(
      of label: String, in labels: [String?], _ initializers: [LayerTable.Initializer]
    ) -> Int? {
      for initializer in initializers {
        let order = initializer.parameters.list.map(\.label)
        guard let place = order.firstIndex(of: label),
          labels.allSatisfy({ order.contains($0) })
        else { continue }
        let before = Set(order[..<place])
        return labels.prefix { before.contains($0) }.count
      }
      return nil
    }

    /// The change of the source that makes an edit.
    private func fixIt(_ call: FunctionCallExprSyntax, _ edit: Edit) -> Finding.FixIt? {
      let layer = call.calledExpression.trimmedDescription
      if let argument = call.arguments.first(where: { $0.label?.text == edit.label }) {
        // A name or an expression means something that a number in its place would not.
        guard argument.expression.isLiteral else { return nil }
        return Finding.FixIt(
          message: "set \(edit.label) of \(layer) to \(edit.text)",
          range: argument.expression
            .positionAfterSkippingLeadingTrivia..<argument.expression
            .endPositionBeforeTrailingTrivia,
          text: edit.text)
      }
      guard let initializers = LayerTable.shared.initializers[layer],
        let index = insertion(
          of: edit.label, in: call.arguments.map { $0.label?.text }, initializers)
      else { return nil }
      let message = "add \(edit.label): \(edit.text) to \(layer)"
      let arguments = Array(call.arguments)
      if index < arguments.count {
        let start = arguments[index].positionAfterSkippingLeadingTrivia
        return Finding.FixIt(
          message: message, range: start..<start, text: "\(edit.label): \(edit.text), ")
      }
      guard let end = arguments.last?.endPositionBeforeTrailingTrivia else { return nil }
      return Finding.FixIt(
        message: message, range: end..<end, text: ", \(edit.label): \(edit.text)")
    }
  }

  extension ExprSyntax {
    /// Whether it is a number, a pair of numbers or a member such as `.valid`.
    fileprivate var isLiteral: Bool {
      if let tuple = self.as(TupleExprSyntax.self) {
        return tuple.elements.allSatisfy { $0.expression.isLiteral }
      }
      if let access = self.as(MemberAccessExprSyntax.self) { return access.base == nil }
      return self.is(IntegerLiteralExprSyntax.self)
    }
  }
#endif
