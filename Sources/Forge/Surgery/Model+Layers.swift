import ForgeGraph
import ForgeLayers
import ForgeShapes

extension Model {
  /// Returns the model with another step in place of a layer.
  ///
  /// ```swift
  /// let smooth = try model.replacing("relu3", with: Activation(.swish))
  /// let wider = try model.replacing("fc", with: Dense(neurons: 20, name: "fc20"))
  /// ```
  /// The step receives all inputs of the layer. Parameters that it has are asked of the source by
  /// its name; ``adding(parameters:)`` adds a source for them.
  ///
  /// - Parameters:
  ///   - name: the name of the layer, given or generated.
  ///   - step: a layer, a block, a model or another step of one output.
  /// - Returns: the changed model.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`, and
  ///   `leavesMistakes` when a layer does not fit what it then reads.
  public func replacing(
    _ name: String, with step: some Step
  ) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    let layer = try edit.inference.layerNode(named: name)
    try edit.rebuild { node, operands in
      node.tensor === layer.tensor ? Tensor.applying(step, to: operands) : nil
    }
    return try edit.finished()
  }

  /// Returns the model without some layers; what read a layer then reads its input.
  ///
  /// - Parameter names: the names of layers of one input whose output has the same shape.
  /// - Returns: the changed model.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`;
  ///   `doesNotFit` for a layer of several inputs or of another shape.
  public func removing(_ names: String...) throws(SurgeryError) -> Model {
    try removing(names)
  }

  /// Returns the model without some layers; see ``removing(_:)-(String...)``.
  ///
  /// - Parameter names: the names of layers of one input whose output has the same shape.
  /// - Returns: the changed model.
  /// - Throws: ``SurgeryError``, as ``removing(_:)-(String...)``.
  public func removing(_ names: [String]) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    var removed: Set<Tensor> = []
    for name in names {
      let node = try edit.inference.layerNode(named: name)
      guard node.inputs.count == 1, edit.inference.nodes[node.inputs[0]].shape == node.shape else {
        throw .doesNotFit(
          node, "the layer cannot be removed", of: edit.inference.nodes,
          needs: "one input, of the shape of the output",
          remedy: "replace it, or cut the model before it")
      }
      removed.insert(node.tensor)
    }
    try edit.rebuild { node, operands in removed.contains(node.tensor) ? operands[0] : nil }
    return try edit.finished()
  }

  /// Returns the model with a step after a tensor: everything that read the tensor, and an output
  /// that was the tensor, then has the result of the step.
  ///
  /// ```swift
  /// // Pixels from 0 to 255, of which the network wants numbers from −1 to 1.
  /// let ready = try model.inserting(Scale(by: [1 / 127.5], bias: [-1]), after: "image")
  /// ```
  ///
  /// - Parameters:
  ///   - step: a layer, a block, a model or another step of one output.
  ///   - name: the name of an input or of a layer, given or generated.
  /// - Returns: the changed model.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`, and
  ///   `leavesMistakes` when a layer does not fit what it then reads.
  public func inserting(
    _ step: some Step, after name: String
  ) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    let start = try edit.inference.node(named: name)
    try edit.rebuild { node, operands in
      guard node.tensor === start.tensor else { return nil }
      return Tensor.applying(step, to: [node.tensor])
    }
    // An input stays an input.
    return try edit.finished(inputs: inputs)
  }

  /// Returns the model with a step between a layer and its only input, which others still read.
  ///
  /// - Parameters:
  ///   - step: a layer, a block, a model or another step of one output.
  ///   - name: the name of the layer, given or generated.
  /// - Returns: the changed model.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`;
  ///   `doesNotFit` for a layer of several inputs, and `leavesMistakes` when a layer does not fit
  ///   what it then reads.
  public func inserting(
    _ step: some Step, before name: String
  ) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    let layer = try edit.inference.layerNode(named: name)
    guard layer.inputs.count == 1 else {
      throw .doesNotFit(
        layer, "the layer has \(layer.inputs.count) inputs", of: edit.inference.nodes,
        needs: "one input", remedy: "insert the step after the right tensor, by its name")
    }
    try edit.rebuild { node, operands in
      guard node.tensor === layer.tensor else { return nil }
      return node.tensor.moved(to: [Tensor.applying(step, to: operands)])
    }
    return try edit.finished()
  }

  /// Returns the model with another input in place of one: of other sizes, or with steps after it.
  ///
  /// ```swift
  /// let photo = Input(width: 320, height: 240, channels: 3, name: "photo")
  /// let larger = try model.replacing(input: "image", with: photo)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name of the input.
  ///   - tensor: an input, or a tensor made from inputs, which become those of the model.
  /// - Returns: the changed model.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `unnamedLayers`, and
  ///   `leavesMistakes` when a layer does not fit what it then reads.
  public func replacing(
    input name: String, with tensor: Tensor
  ) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    let known = edit.inference.nodes.filter(\.isInput)
    guard let input = known.first(where: { $0.name == name }) else {
      throw .noSuchName(name, known: known.map(\.name), what: "input")
    }
    edit.replace(input.tensor, with: tensor)
    try edit.rebuild { _, _ in nil }
    let starts = inputs.flatMap { modelInput in
      modelInput === input.tensor ? tensor.ancestors.sorted { $0.order < $1.order } : [modelInput]
    }
    return try edit.finished(inputs: starts)
  }
}
