import ForgeGraph
import ForgeLayers
import ForgeShapes

/// A change of a model: its tensors are walked once, and those that depend on a change are made
/// again, with the same layers, names and scopes.
struct ModelEdit {
  let model: Model
  let inference: Inference
  /// The tensors that stand for others.
  private(set) var replaced: [ObjectIdentifier: Tensor] = [:]
  /// The old names of renamed layers, by the new ones.
  var oldNames: [String: String] = [:]

  /// Begins to change a model.
  ///
  /// - Throws: ``SurgeryError``: `flawedModel`, or `unnamedLayers` when the model's own parameters
  ///   would be matched with other layers.
  init(_ model: Model) throws(SurgeryError) {
    let inference = Inference(model)
    guard inference.problems.isEmpty else { throw .flawed(ModelError(inference.problems)) }
    if let source = model.parameters, !source.goesByName,
      let node = inference.nodes.first(where: { !$0.parameters.isEmpty && !$0.isNamed })
    {
      var error = SurgeryError(
        .unnamedLayers, "the model's parameters are found by the order of its layers",
        needs: "a name for each layer with parameters, so that they stay with it")
      error.problem.layer = node.reference
      throw error
    }
    self.model = model
    self.inference = inference
  }

  /// The tensor that stands for another.
  func current(_ tensor: Tensor) -> Tensor { replaced[ObjectIdentifier(tensor)] ?? tensor }

  /// Lets a tensor stand for another before ``rebuild(_:)``.
  mutating func replace(_ tensor: Tensor, with other: Tensor) {
    replaced[ObjectIdentifier(tensor)] = other
  }

  /// Walks all tensors, operands first.
  ///
  /// - Parameter make: returns what stands for the output of a node, given its changed operands;
  ///   `nil` to keep the layer.
  /// - Throws: what `make` throws.
  mutating func rebuild(
    _ make: (_ node: Inference.Node, _ operands: [Tensor]) throws(SurgeryError) -> Tensor?
  ) throws(SurgeryError) {
    for node in inference.nodes where replaced[ObjectIdentifier(node.tensor)] == nil {
      let inputs = node.tensor.inputs
      let operands = inputs.map(current)
      if let made = try make(node, operands) {
        replace(node.tensor, with: made)
      } else if !zip(inputs, operands).allSatisfy({ $0 === $1 }) {
        replace(node.tensor, with: node.tensor.moved(to: operands))
      }
    }
  }

  /// The changed model, with the inputs that its outputs need.
  ///
  /// - Parameters:
  ///   - inputs: the inputs; those of the model if `nil`.
  ///   - outputs: the outputs; those of the model if `nil`.
  /// - Returns: the model.
  /// - Throws: ``SurgeryError`` of kind `leavesMistakes`.
  func finished(
    inputs: [Tensor]? = nil, outputs: [Tensor]? = nil
  ) throws(SurgeryError) -> Model {
    let ends = outputs ?? model.outputs.map(current)
    let needed = Set(ends.flatMap(\.ancestors))
    var seen: Set<Tensor> = []
    let starts = (inputs ?? model.inputs.map(current)).filter {
      needed.contains($0) && seen.insert($0).inserted
    }
    var result = model.with(inputs: starts, outputs: ends)
    result.parameters = model.parameters.map { source in
      EditedParameters.of(source, model: inference, oldNames: oldNames)
    }
    // Labels name the elements of an output of this shape.
    if ends.map(\.shape) != model.outputs.map(\.shape) { result.metadata.labels = [] }
    let problems = Inference(result).problems
    guard problems.isEmpty else { throw .leavesMistakes(problems) }
    return result
  }
}

extension Tensor {
  /// The inputs of the model that the tensor is made from; the tensor itself if it is one.
  var ancestors: [Tensor] {
    var seen: Set<Tensor> = []
    var pending = [self]
    var inputs: [Tensor] = []
    while let tensor = pending.popLast() {
      guard seen.insert(tensor).inserted else { continue }
      if tensor.isInput { inputs.append(tensor) }
      pending.append(contentsOf: tensor.inputs)
    }
    return inputs
  }
}
