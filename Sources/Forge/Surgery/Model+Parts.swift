import ForgeGraph
import ForgeLayers
import ForgeShapes

extension Model {
  /// Returns the part of the model that computes some of its tensors.
  ///
  /// ```swift
  /// let features = try mobileNet.cut(after: "conv_pw_13_relu")
  /// let network = try (features --> Dense(neurons: 5, name: "own")).compile(…)
  /// ```
  /// The tensors become the outputs. Layers and inputs that they do not need are left out. The
  /// layers that stay keep their names and so their parameters.
  ///
  /// - Parameter names: the names of layers, given or generated.
  /// - Returns: the part.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`.
  public func cut(after names: String...) throws(SurgeryError) -> Model {
    try cut(after: names)
  }

  /// Returns the part of the model that computes some of its tensors; see
  /// ``cut(after:)-(String...)``.
  ///
  /// - Parameter names: the names of layers, given or generated.
  /// - Returns: the part.
  /// - Throws: ``SurgeryError``, as ``cut(after:)-(String...)``.
  public func cut(after names: [String]) throws(SurgeryError) -> Model {
    let edit = try ModelEdit(self)
    var outputs: [Tensor] = []
    for name in names { outputs.append(try edit.inference.node(named: name).tensor) }
    return try edit.finished(outputs: outputs)
  }

  /// Returns the part of the model that computes what a layer reads.
  ///
  /// - Parameter name: the name of the layer, which is left out; its inputs become the outputs.
  /// - Returns: the part.
  /// - Throws: ``SurgeryError``, as ``cut(after:)-(String...)``.
  public func cut(before name: String) throws(SurgeryError) -> Model {
    let edit = try ModelEdit(self)
    let node = try edit.inference.layerNode(named: name)
    var seen: Set<Tensor> = []
    return try edit.finished(outputs: node.tensor.inputs.filter { seen.insert($0).inserted })
  }

  /// Returns the model with more outputs: the features at some layers.
  ///
  /// ```swift
  /// let both = try detector.adding(outputs: "stage4", "stage5")
  /// let features = try both.compile().predict(["image": picture])["stage4"]
  /// ```
  ///
  /// - Parameter names: the names of layers, given or generated; their outputs follow those of the
  ///   model.
  /// - Returns: the model with more outputs.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`.
  public func adding(outputs names: String...) throws(SurgeryError) -> Model {
    let edit = try ModelEdit(self)
    var outputs = self.outputs
    for name in names { outputs.append(try edit.inference.layerNode(named: name).tensor) }
    return try edit.finished(outputs: outputs)
  }

  /// Returns the part of the model between some of its tensors, which become inputs, and others.
  ///
  /// ```swift
  /// let tail = try model.part(from: ["pool1"])  // the input "pool1", then all that follows
  /// let middle = try model.part(from: ["pool1"], to: ["pool2"])
  /// ```
  /// A new input has the name and the shape of the tensor that it stands for, even if its size is
  /// the length of a sequence.
  ///
  /// - Parameters:
  ///   - starts: the names of the tensors that become inputs, in order; an input of the model
  ///     stays as it is.
  ///   - ends: the names of the tensors that become outputs; those of the model if `nil`.
  /// - Returns: the part.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `ambiguousName`, `unnamedLayers`;
  ///   `notSeparated` when a new input leads to no output, or an output still depends on another
  ///   input; `doesNotFit` for a size that no input can have.
  public func part(
    from starts: [String], to ends: [String]? = nil
  ) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    var inputs: [Tensor] = []
    for name in starts {
      let node = try edit.inference.node(named: name)
      let input = node.isInput ? node.tensor : try Self.input(for: node)
      inputs.append(input)
      edit.replace(node.tensor, with: input)
    }
    try edit.rebuild { _, _ in nil }
    var outputs = self.outputs.map(edit.current)
    if let ends {
      outputs = []
      for name in ends { outputs.append(edit.current(try edit.inference.node(named: name).tensor)) }
    }
    try edit.checkSeparation(inputs, outputs)
    return try edit.finished(inputs: inputs, outputs: outputs)
  }

  /// An input with the name and the shape of a layer's output.
  private static func input(for node: Inference.Node) throws(SurgeryError) -> Tensor {
    let place = node.place ?? .unknown
    guard let shape = node.shape else { throw .unusableSizes(node) }
    return try SourcePlace.describing(for: place) { () throws(SurgeryError) in
      guard let maximum = node.tensor.lengths.maximum else {
        guard shape.isImage else {
          guard let sizes = shape.sizes else { throw .unusableSizes(node) }
          return Input(shape: sizes, name: node.name)
        }
        guard let channels = shape.channels else { throw .unusableSizes(node) }
        return Input(
          width: shape.width, height: shape.height, channels: channels, name: node.name)
      }
      guard case .follows(let lengths, _) = node.tensor.lengths else { throw .unusableSizes(node) }
      var sizes: [InputSize] = []
      for length in lengths {
        let numbers = length.coefficients
        if let constant = length.constant {
          sizes.append(.exactly(constant))
        } else if numbers == [0, 1] {
          sizes.append(.upTo(maximum))
        } else if numbers.count == 2, numbers[1] > 0, let last = length[maximum],
          let first = length[1], first > 0
        {
          sizes.append(.stepping(from: first, through: last, by: numbers[1]))
        } else {
          throw .unusableSizes(node)
        }
      }
      return Input(shape: sizes, name: node.name)
    }
  }
}

extension ModelEdit {
  /// Checks that inputs lead to outputs, and that these need no other input.
  ///
  /// - Throws: ``SurgeryError`` of kind `notSeparated`.
  fileprivate func checkSeparation(
    _ inputs: [Tensor], _ outputs: [Tensor]
  ) throws(SurgeryError) {
    let needed = Set(outputs.flatMap(\.ancestors))
    let names = { (tensors: [Tensor]) in
      tensors.map { "\"\(($0.givenName ?? "input").printable)\"" }.joined(separator: ", ")
    }
    let idle = inputs.filter { !needed.contains($0) }
    guard idle.isEmpty else {
      throw SurgeryError(
        .notSeparated, "the outputs do not depend on every new input", received: names(idle),
        needs: "tensors that lead to an output")
    }
    let others = model.inputs.filter { needed.contains($0) && !inputs.contains($0) }
    guard others.isEmpty else {
      let open = inference.nodes.first { node in
        node.tensor.inputs.contains { others.contains($0) }
      }
      var error = SurgeryError(
        .notSeparated, "the outputs also depend on another input", received: names(others),
        needs: "tensors that separate the outputs from all inputs",
        remedy: "add this input, or a tensor after it, to the new inputs")
      error.problem.layer = open?.reference
      throw error
    }
  }
}

extension SurgeryError {
  fileprivate static func unusableSizes(_ node: Inference.Node) -> SurgeryError {
    var error = SurgeryError(
      .doesNotFit, "no input can have the sizes of this tensor",
      received: node.shape.map(\.description) ?? "an unknown shape",
      needs: "known sizes, or sizes that grow evenly with the length of a sequence")
    error.problem.layer = node.reference
    return error
  }
}
