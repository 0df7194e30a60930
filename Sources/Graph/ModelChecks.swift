import ForgeLayers
import ForgeShapes

/// The checks of a model that involve more than one layer.
enum ModelChecks {
  /// The problems with the model's inputs and outputs.
  ///
  /// `nodes` are all that its outputs depend on and its inputs, in order of creation.
  static func problems(
    model: Model, nodes: [Inference.Node], openSizes: OpenSizes?
  ) -> [Problem] {
    var problems: [Problem] = []
    if model.outputs.isEmpty { problems.append(.noOutputs(at: model.place)) }
    if model.inputs.isEmpty { problems.append(.noInputs(at: model.place)) }

    let declared = Set(model.inputs.map { ObjectIdentifier($0) })
    if declared.count < model.inputs.count { problems.append(.inputTwice(at: model.place)) }
    for input in model.inputs where !input.isInput {
      problems.append(.notAnInput(at: model.place, what: input.sourceText))
    }
    // An input that a layer should have taken reaches no output, and its output no input. The layer
    // reports the cause.
    let hasCause = nodes.contains { !$0.isInput && $0.inputs.isEmpty && $0.shape == nil }
    let used = Set(Inference.reached(from: model.outputs).map { ObjectIdentifier($0) })
    for node in nodes where node.isInput {
      let identity = ObjectIdentifier(node.tensor)
      if !declared.contains(identity) {
        problems.append(.undeclaredInput(node))
      } else if !used.contains(identity), !model.outputs.isEmpty, !hasCause {
        problems.append(.unusedInput(node))
      }
    }
    problems += differentLengths(nodes)
    if let openSizes { problems += unclearSizes(openSizes, nodes) }
    problems += unusableScopes(nodes)
    if !hasCause { problems += outputsWithoutInput(model, tensors: nodes.map(\.tensor)) }
    return problems
  }

  /// The problems with two layers of the same name.
  static func sharing(_ node: Inference.Node, with earlier: Inference.Node) -> [Problem] {
    guard let layer = node.layer, let first = earlier.layer, layer.isSame(as: first),
      isSameSource(node.place, earlier.place)
    else {
      return [.nameTwice(node, earlier)]
    }
    if node.shape != nil, earlier.shape != nil, node.parameters != earlier.parameters {
      return [.sharedSizesDiffer(node, earlier)]
    }
    return []
  }

  private static func isSameSource(_ place: SourcePlace?, _ other: SourcePlace?) -> Bool {
    guard let place, let other else { return place == other }
    return place.isSameSource(as: other)
  }

  /// The problems with inputs that do not have equally many lengths.
  private static func differentLengths(_ nodes: [Inference.Node]) -> [Problem] {
    let inputs = nodes.filter { !$0.lengthAxes.isEmpty }
    let sizes = inputs.flatMap(\.lengthAxes).map(\.sizes)
    guard Set(sizes.map(\.count)).count > 1, let last = inputs.last else { return [] }
    return [.differentLengths(at: last.place, sizes)]
  }

  /// The problems with open sizes: one name with several ranges, and lengths beside them.
  private static func unclearSizes(_ open: OpenSizes, _ nodes: [Inference.Node]) -> [Problem] {
    if let length = nodes.first(where: { !$0.lengthAxes.isEmpty }) {
      return [.lengthBesideOpenSizes(at: length.place)]
    }
    var sizes: [String: SizeProgression] = [:]
    for axis in open.axes.joined() {
      guard let other = sizes.updateValue(axis.sizes, forKey: axis.name), other != axis.sizes
      else { continue }
      return [.openSizeTwice(at: nodes.last(where: \.isInput)?.place, axis.name, other, axis.sizes)]
    }
    return []
  }

  /// The problems with the names of modules, one for each use of a module.
  private static func unusableScopes(_ nodes: [Inference.Node]) -> [Problem] {
    var seen: Set<Int> = []
    return nodes.flatMap(\.tensor.scopes).compactMap { scope in
      guard let name = scope.name, !NodeNames.isUsable(name), seen.insert(scope.id).inserted
      else { return nil }
      return .unusableScope(scope)
    }
  }

  /// The problems with outputs that depend on no input; `tensors` have operands first.
  private static func outputsWithoutInput(_ model: Model, tensors: [Tensor]) -> [Problem] {
    var dependent: Set<ObjectIdentifier> = []
    for tensor in tensors {
      if tensor.isInput
        || tensor.inputs.contains(where: { dependent.contains(ObjectIdentifier($0)) })
      {
        dependent.insert(ObjectIdentifier(tensor))
      }
    }
    return model.outputs.filter { !dependent.contains(ObjectIdentifier($0)) }
      .map { .outputWithoutInput(at: model.place, what: $0.sourceText) }
  }
}

extension Tensor {
  /// The tensor as messages name it before a name has been generated for it.
  var sourceText: String {
    switch source {
    case .input(let input): "Input \"\(input.name ?? "input")\""
    case .layer(let layer):
      givenName.map { "\(type(of: layer)) \"\(scopePrefix)\($0)\"" } ?? "\(type(of: layer))"
    case .foreign(let name, _): name
    }
  }
}

extension Layer {
  /// Whether another layer has the same type, fields and place.
  func isSame(as other: any Layer) -> Bool {
    (other as? Self) == self
  }
}
