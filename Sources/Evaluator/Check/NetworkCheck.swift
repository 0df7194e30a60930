#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// What is asked of the check of a network.
  public struct CheckOptions {
    /// The most parameters the network may have; `nil` for any number.
    public var maximumParameters: Int?
    /// The file of weights whose names and shapes must fit; `nil` for none.
    public var weightsPath: String?

    /// Creates options that ask for nothing.
    public init() {}
  }

  /// The result of checking a network.
  public struct CheckedNetwork {
    /// An input or output of the network.
    public struct Port {
      /// The name.
      public let name: String
      /// The shape, as far as it is known.
      public let shape: Shape?
    }

    /// Everything there is to say.
    public var findings: [Finding] = []
    /// The inputs; empty if the network is not known.
    public var inputs: [Port] = []
    /// The outputs; empty if the network is not known.
    public var outputs: [Port] = []
    /// The table of layers; `nil` if the network is not known.
    public var summary: String?
    /// The shapes of all tensors in order of creation, for tests.
    package var shapes: [Shape?] = []
    /// The mistakes as `compile()` reports them.
    package var problems: [Problem] = []

    /// Whether a mistake was found.
    public var hasErrors: Bool { findings.contains { $0.severity == .error } }
  }

  /// Checks an evaluated network with the rules of `compile()`.
  struct NetworkCheck {
    let evaluator: Evaluator
    /// The piece of source at whose nodes the compiler shows messages.
    let source: SourceText
    let options: CheckOptions
    /// Counts the mistakes of the network after a change of its source; `nil` if it cannot be made.
    let mistakesAfter: (Finding.FixIt) -> Int?

    /// Checks the network that a value describes.
    ///
    /// - Parameters:
    ///   - value: the value of the body.
    ///   - node: the body, for what belongs to no layer.
    /// - Returns: everything there is to say.
    func check(_ value: Value, at node: Syntax) -> CheckedNetwork {
      var result = CheckedNetwork()
      let place = source.place(node.positionAfterSkippingLeadingTrivia)
      if let model = NetworkBody.model(of: value, place: place) {
        let inference = Inference(model)
        result.inputs = ports(inference, inference.inputs, inference.openInputShapes)
        result.outputs = ports(
          inference, inference.outputs, (try? inference.openOutputShapes()) ?? [])
        result.summary = model.summary()
        result.shapes = inference.nodes.map(\.shape)
        result.problems = inference.problems
        if inference.nodes.contains(where: { $0.tensor.isUnknown }) {
          // What is not known may have inputs that are not seen.
          result.problems.removeAll { $0.layer == nil }
        }
        result.problems.removeAll { isUncertain($0, in: inference) }
        result.findings += result.problems.map { finding($0, in: inference, at: node) }
        result.findings += NetworkAdvice(check: self, inference: inference, body: node).findings
        if let budget = options.maximumParameters, inference.problems.isEmpty {
          result.findings += ParameterBudget(check: self, inference: inference, body: node)
            .findings(budget)
        }
        if let path = options.weightsPath, inference.problems.isEmpty {
          result.findings += WeightsCheck(check: self, inference: inference, body: node)
            .findings(path)
        }
      } else if let unknown = value.unknown {
        evaluator.report(unknown)
      } else {
        result.findings.append(
          Finding(
            severity: .error, node: node,
            message: "the body of a network is a tensor, an array of tensors or a model"))
      }
      result.findings += evaluator.unknowns.map(remark)
      return result
    }

    /// Whether a problem is that of a size which only the macro does not know.
    private func isUncertain(_ problem: Problem, in inference: Inference) -> Bool {
      guard let tensor = problem.layer.flatMap({ inference.layer(at: $0.position) })?.tensor,
        tensor.isUncertain, case .failed(let error) = tensor.outcome
      else { return false }
      return error.kind == .unknownSize
    }

    /// Inputs or outputs with their shapes, in which open sizes are not known.
    private func ports(
      _ inference: Inference, _ indices: [Int], _ open: [Shape?]
    ) -> [CheckedNetwork.Port] {
      zip(indices, open).map { index, shape in
        let node = inference.nodes[index]
        return CheckedNetwork.Port(
          name: node.name, shape: inference.openSizes == nil ? fixedShape(of: node) : shape)
      }
    }

    /// The shape, in which a size that follows the length of a sequence is not known.
    private func fixedShape(of node: Inference.Node) -> Shape? {
      guard node.tensor.lengths.maximum != nil else { return node.shape }
      guard let sizes = node.tensor.lengthSizes else { return nil }
      return Shape(sizes.map(\.constant))
    }

    /// A remark about something that is not known while Swift compiles.
    private func remark(_ unknown: Unknown) -> Finding {
      let node = visible(unknown.node) ?? source.root
      return Finding(
        severity: .remark, node: node,
        message: "not known while Swift compiles, so compile() checks what depends on it: "
          + unknown.reason)
    }

    // MARK: Nodes

    /// A node if the compiler can show a message at it.
    func visible(_ node: Syntax) -> Syntax? { node.root.id == source.root.root.id ? node : nil }

    /// The call that made a layer, if the compiler can show a message at it.
    func node(at place: SourcePlace?) -> Syntax? {
      guard let place, let located = evaluator.nodes[place] else { return nil }
      return visible(located.node).map(Self.layerNode)
    }

    /// The node at which the name of a layer stands: `Convolution` in `Convolution(…)`, and `named`
    /// in `x.named(…)`.
    static func layerNode(_ call: Syntax) -> Syntax {
      guard let call = call.as(FunctionCallExprSyntax.self) else { return call }
      if let access = call.calledExpression.as(MemberAccessExprSyntax.self), access.base != nil {
        return Syntax(access.declName)
      }
      return Syntax(call.calledExpression)
    }

    // MARK: Problems

    /// A mistake of the network at its layer.
    private func finding(
      _ problem: Problem, in inference: Inference, at body: Syntax
    ) -> Finding {
      let failed = problem.layer.flatMap { inference.layer(at: $0.position) }
      let symbol = failed.flatMap { evaluator.operators[$0.tensor] }.flatMap(visible)
      let node = symbol ?? node(at: problem.place)
      var shown = problem
      // The compiler shows the place, unless it lies outside of what the macro was given.
      if node != nil { shown.place = nil }
      if let layer = shown.layer, inference.nodes.contains(where: { $0.tensor.isUnknown }) {
        // What is not known may be several layers, so the number is not known.
        shown.layer = Problem.LayerReference(
          position: 0, name: layer.name, typeName: layer.typeName)
      }
      if symbol != nil { shown.details.removeAll { $0.label == "place" } }
      var finding = Finding(severity: .error, node: node ?? body, message: shown.line)
      if let failed, let twin = inference.nodes.first(where: { $0.name == failed.name }),
        twin.position < failed.position, let place = self.node(at: twin.place), place != node
      {
        finding.notes.append(
          Finding.Note(node: place, message: "\(twin.reference) has this name"))
      }
      guard let failed, case .failed(let error) = failed.tensor.outcome else { return finding }
      // A wrong argument has nothing to do with the inputs.
      if error.received == nil {
        var noted: Set<SyntaxIdentifier> = []
        for input in failed.inputs.map({ inference.nodes[$0] }) {
          let place =
            evaluator.operators[input.tensor].flatMap(visible) ?? self.node(at: input.place)
          guard let place, let shape = input.shape, noted.insert(place.id).inserted else {
            continue
          }
          finding.notes.append(
            Finding.Note(node: place, message: "\(input.reference) makes \(shape)"))
        }
      }
      finding.fixIts = FixItSearch(check: self, inference: inference).fixIts(for: failed)
      return finding
    }
  }
#endif
