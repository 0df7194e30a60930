import ForgeGraph
import ForgeLayers
import ForgeLoaders
import ForgeShapes

extension Model {
  /// Returns the model with other names for some of its layers and inputs.
  ///
  /// ```swift
  /// let renamed = try model.renaming(["Input3": "image", "Plus214_Output_0": "logits"])
  /// ```
  /// The name of an output is that of its layer. The model's own source of parameters finds those
  /// of a renamed layer; a closure or a source that is given to `compile` is asked for the new
  /// name. A new name replaces the whole name, scopes included.
  ///
  /// - Parameter names: the new names by the old ones, given or generated; names may be swapped.
  /// - Returns: the renamed model.
  /// - Throws: ``SurgeryError``: `flawedModel`, `noSuchName`, `unnamedLayers`; `badName` for an
  ///   empty name, and `leavesMistakes` when two layers then have the same name.
  public func renaming(_ names: [String: String]) throws(SurgeryError) -> Model {
    var edit = try ModelEdit(self)
    for (old, new) in names.sorted(by: { $0.key < $1.key }) {
      let node = try edit.inference.nodes(named: old)[0]
      guard !new.isEmpty, !new.contains(where: \.isNewline) else { throw .badName(new, for: node) }
    }
    let inputs = edit.inference.nodes.filter(\.isInput)
    let renamesInputs = inputs.contains { names[$0.name] != nil }
    for node in edit.inference.nodes where !node.isInput && !node.parameters.isEmpty {
      if let new = names[node.name], new != node.name { edit.oldNames[new] = node.name }
    }
    try edit.rebuild { node, operands in
      // Generated names of inputs count those without a name, and so would change.
      let isCounted = node.isInput && renamesInputs && node.tensor.givenName == nil
      guard let new = names[node.name] ?? (isCounted ? node.name : nil),
        new != node.name || isCounted
      else { return nil }
      switch node.tensor.source {
      case .input(let description): return Tensor(.input(description.named(new)))
      case .layer(let layer):
        return SourcePlace.describing(for: node.place ?? .unknown) {
          layer.named(new).outputs(for: operands)[0]
        }
      case .foreign: return nil
      }
    }
    return try edit.finished()
  }

  /// Returns the model with a source of parameters that comes before its own.
  ///
  /// ```swift
  /// let head = ParameterDictionary(["own": [.weights: kernel, .biases: bias]])
  /// let network = try model.adding(parameters: head).compile()
  /// ```
  ///
  /// - Parameter source: the source; what it does not have, the model's own source is asked for.
  /// - Returns: the model with both sources.
  public func adding(parameters source: some ParameterSource) -> Model {
    var model = self
    model.parameters = parameters.map { CombinedParameters([source, $0]) } ?? source
    return model
  }
}
