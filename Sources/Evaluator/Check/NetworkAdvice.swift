#if Macros
  import ForgeGraph
  import ForgeLayers
  import SwiftSyntax

  /// What is allowed in a network but hardly meant.
  struct NetworkAdvice {
    let check: NetworkCheck
    let inference: Inference
    let body: Syntax

    var findings: [Finding] { unusedTensors + layersAfterSoftmax }

    /// Tensors that were given a name and lead to no output.
    private var unusedTensors: [Finding] {
      let used = Set(inference.nodes.map(\.tensor))
      var found: [SyntaxIdentifier: Finding] = [:]
      var order: [SyntaxIdentifier] = []
      var usedNames: Set<SyntaxIdentifier> = []
      for named in check.evaluator.namedTensors {
        if used.contains(named.tensor) { usedNames.insert(named.node.id) }
        guard let node = check.visible(named.node), found[node.id] == nil,
          !named.isLocal || check.evaluator.isUsed(named.name)
        else { continue }
        order.append(node.id)
        found[node.id] = Finding(
          severity: .warning, node: node,
          message: "the network does not use the tensor \"\(named.name)\"")
      }
      // A name in a loop or a function may stand for several tensors.
      return order.filter { !usedNames.contains($0) }.compactMap { found[$0] }
    }

    /// Layers with parameters, activations and further Softmax layers after a Softmax.
    private var layersAfterSoftmax: [Finding] {
      var probabilities: Set<Int> = []
      var findings: [Finding] = []
      for (index, node) in inference.nodes.enumerated() {
        let sources = node.inputs.filter(probabilities.contains)
        switch node.layer {
        case is Softmax, is LogSoftmax:
          probabilities.insert(index)
        case is Flatten, is Reshape, is Dropout, is Identity:
          if !sources.isEmpty { probabilities.insert(index) }
          continue
        default: break
        }
        let goesOn = !node.parameters.isEmpty || node.layer is Activation || node.layer is Softmax
        guard goesOn, let source = sources.first else { continue }
        let earlier = inference.nodes[source]
        guard let place = check.node(at: node.place) else { continue }
        findings.append(
          Finding(
            severity: .warning, node: place,
            message:
              "\(node.reference) takes probabilities from \(earlier.reference), "
              + "which is mostly the last layer of a network",
            notes: check.node(at: earlier.place).map {
              [Finding.Note(node: $0, message: "the Softmax is here")]
            } ?? []))
      }
      return findings
    }
  }
#endif
