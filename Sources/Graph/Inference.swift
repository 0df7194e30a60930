import ForgeLayers
import ForgeOperations
import ForgeShapes

/// Stage 1 of a compile: every shape, every name and every mistake, in one pass over the nodes.
///
/// Each shape is inferred when its tensor is created (``outcome(of:inputs:)``). This stage orders
/// the nodes, names them, matches shared parameters, and collects the problems.
package struct Inference: Sendable {
  /// A tensor of the model with everything known about it.
  package struct Node: Sendable {
    /// The tensor.
    package let tensor: Tensor
    /// The position in order of creation, from 1; 0 for an input.
    package let position: Int
    /// The name, given or generated.
    package let name: String
    /// The nodes it is made from, as indices.
    package let inputs: [Int]
    /// The shape, unless a mistake prevents it from being known.
    package let shape: Shape?
    /// The parameters, named for the layer.
    package let parameters: [ParameterSpec]
    /// Whether an earlier layer of the same name has the same parameters.
    package let sharesParameters: Bool
    /// The multiply-adds of one prediction.
    package let multiplyAdds: Int
    /// The number of values of parameters that are one tensor of the file with those of earlier
    /// layers.
    package fileprivate(set) var tiedParameterCount = 0

    /// The layer; `nil` for an input.
    package var layer: (any Layer)? {
      if case .layer(let layer) = tensor.source { layer } else { nil }
    }
    /// Whether it is an input.
    package var isInput: Bool { tensor.isInput }
    /// Whether it is an input of integers of 32 or 64 bits.
    package var isOfIntegers: Bool {
      if case .input(let description) = tensor.source { description.isInteger } else { false }
    }
    /// Whether the name was given by the user.
    package var isNamed: Bool { layer != nil && tensor.givenName != nil }
    /// The number of values of its own parameters, excluding shared ones.
    package var parameterCount: Int {
      sharesParameters ? 0 : statedParameterCount - tiedParameterCount
    }
    /// The number of values of its parameters.
    fileprivate var statedParameterCount: Int {
      parameters.reduce(0) { $0.addingSaturated($1.count) }
    }
    /// The axes of an input that follow the length of a sequence.
    package var lengthAxes: [LengthAxis] {
      if case .input(let input) = tensor.source { input.lengthAxes } else { [] }
    }
    /// The source location.
    package var place: SourcePlace? {
      switch tensor.source {
      case .input(let input): input.place
      case .layer(let layer):
        tensor.label?.place ?? (layer.place == .unknown ? nil : layer.place)
      // A step that is not a layer has no place; the innermost module that made it may have one.
      case .foreign(_, let error): error.place ?? tensor.scopes.compactMap(\.place).last
      }
    }
    /// The layer's Swift type.
    package var typeName: String {
      switch tensor.source {
      case .input: "Input"
      case .layer(let layer): "\(type(of: layer))"
      case .foreign(let name, _): name
      }
    }
    /// The node as messages name it.
    package var reference: Problem.LayerReference {
      Problem.LayerReference(position: position, name: name, typeName: typeName)
    }
  }

  /// The inputs and layers in order of creation.
  package let nodes: [Node]
  /// The model's inputs, as indices of nodes.
  package let inputs: [Int]
  /// The model's outputs, as indices of nodes.
  package let outputs: [Int]
  /// All problems of the model.
  package let problems: [Problem]
  /// The sizes that each prediction chooses independently; `nil` if there are none.
  package let openSizes: OpenSizes?

  /// The layer at a position.
  package func layer(at position: Int) -> Node? {
    nodes.first { $0.position == position && !$0.isInput }
  }

  /// The first layer of a name, or the layer that a tensor describes.
  package func layer(_ reference: some TensorReference) -> Node? {
    nodes.first { node in
      switch reference.tensorIdentity {
      case .name(let name): node.name == name && !node.isInput
      case .object(let object): ObjectIdentifier(node.tensor) == object && !node.isInput
      }
    }
  }

  /// The shape of a tensor, or its error.
  package static func outcome(of source: Tensor.Source, inputs: [Tensor]) -> Tensor.Outcome {
    var shapes: [Shape] = []
    for input in inputs {
      guard let shape = input.shape else { return .blocked }
      shapes.append(shape)
    }
    do throws(ShapeError) {
      switch source {
      case .input(let input): return .known(LayerOutline(input: try input.checkedShape()))
      case .layer(let layer):
        let length = inputs.lazy.compactMap(\.lengths.maximum).first
        return .known(try LayerOutline(layer, inputs: shapes, length: length))
      case .foreign(_, let error): throw error
      }
    } catch {
      return .failed(error)
    }
  }

  /// The largest length of the sequences that the model takes; `nil` if all sizes are fixed.
  package var maximumLength: Int? { inputs.flatMap { nodes[$0].lengthAxes }.first?.sizes.count }
  /// The shapes of the inputs for sequences of a length.
  package func inputShapes(length: Int) -> [Shape] {
    inputs.compactMap { nodes[$0].shape?.replacing(nodes[$0].lengthAxes, length: length) }
  }

  /// The multiply-adds of one prediction.
  package var multiplyAdds: Int { total(\.multiplyAdds) }
  /// The number of values of all parameters, shared ones counted once.
  package var parameterCount: Int { total(\.parameterCount) }
  /// The sum over all nodes, which saturates.
  private func total(_ count: (Node) -> Int) -> Int {
    nodes.reduce(0) { $0.addingSaturated(count($1)) }
  }

  /// Orders, names and checks the tensors of a model.
  package init(_ model: Model) {
    // The outputs may not depend on every input.
    let tensors = Self.reached(from: model.outputs + model.inputs).sorted { $0.order < $1.order }
    var index: [ObjectIdentifier: Int] = [:]
    for (position, tensor) in tensors.enumerated() { index[ObjectIdentifier(tensor)] = position }
    var problems: [Problem] = []
    var names = NodeNames(tensors)
    var nodes: [Node] = []
    var position = 0
    for tensor in tensors {
      let inputs = tensor.inputs.compactMap { index[ObjectIdentifier($0)] }
      let outline = tensor.outline
      let parameters = outline?.parameters ?? []
      if !tensor.isInput { position += 1 }
      let name = names.name(for: tensor, position: position)
      let draft = Node(
        tensor: tensor, position: tensor.isInput ? 0 : position, name: name.text, inputs: inputs,
        shape: tensor.shape, parameters: parameters.map { $0.named(name.text) },
        sharesParameters: name.earlier != nil && !parameters.isEmpty,
        multiplyAdds: outline?.multiplyAdds ?? 0)
      if let given = tensor.givenName, !NodeNames.isUsable(given) {
        problems.append(.unusableName(draft))
      }
      if let earlier = name.earlier {
        problems += ModelChecks.sharing(draft, with: nodes[earlier])
      }
      names.record(draft, at: nodes.count)
      if case .failed(let error) = tensor.outcome {
        problems.append(Self.problem(error, at: draft, inputs: inputs.map { nodes[$0] }))
      }
      if case .fails(let error, _) = tensor.lengths {
        problems.append(Self.problem(error, at: draft, inputs: inputs.map { nodes[$0] }))
      }
      nodes.append(draft)
    }
    if let source = model.parameters as? any IdentifyingParameterSource {
      Self.countTied(&nodes, source)
    }
    self.nodes = nodes
    self.inputs = model.inputs.compactMap { index[ObjectIdentifier($0)] }
    self.outputs = model.outputs.compactMap { index[ObjectIdentifier($0)] }
    let openSizes = model.openSizes
    self.openSizes = openSizes
    self.problems =
      ModelChecks.problems(model: model, nodes: nodes, openSizes: openSizes) + problems
  }

  /// The problem for a violated shape rule, with its layer and the shapes that it received.
  package static func problem(_ error: ShapeError, at node: Node, inputs: [Node]) -> Problem {
    var details = error.details
    if error.received == nil, !inputs.isEmpty {
      let received = inputs.map { input in
        "\(input.shape.map(\.description) ?? "an unknown shape") from \"\(input.name.printable)\""
      }
      details.insert(("received", received.joined(separator: "\n")), at: 0)
    }
    if let symbol = node.tensor.operatorText,
      let newest = inputs.max(by: { $0.tensor.order < $1.tensor.order })
    {
      details.append(
        ("place", "that of \"\(newest.name)\", as the operator \(symbol) does not know its own"))
    }
    return Problem(
      place: node.place, layer: node.reference, headline: error.headline, details: details)
  }

  /// Counts the parameters that are one tensor of the file with those of earlier layers.
  private static func countTied(_ nodes: inout [Node], _ source: any IdentifyingParameterSource) {
    var seen: Set<ValueIdentity> = []
    for index in nodes.indices where !nodes[index].sharesParameters {
      for spec in nodes[index].parameters {
        guard let tensor = source.identity(of: spec), !seen.insert(tensor).inserted else {
          continue
        }
        nodes[index].tiedParameterCount += spec.count
      }
    }
  }

  /// The tensors `ends` and every tensor they are made from.
  static func reached(from ends: [Tensor]) -> [Tensor] {
    var seen: Set<ObjectIdentifier> = []
    var found: [Tensor] = []
    var pending = ends
    while let tensor = pending.popLast() {
      guard seen.insert(ObjectIdentifier(tensor)).inserted else { continue }
      found.append(tensor)
      pending.append(contentsOf: tensor.inputs)
    }
    return found
  }
}
