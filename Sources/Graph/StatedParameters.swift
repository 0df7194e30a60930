import ForgeShapes

extension Model {
  /// The number of values of the parameters of all layers of different names, even if they are one
  /// tensor of the file.
  ///
  /// It costs less than an ``Inference``, so that limits can be checked before one.
  package var statedParameterCount: Int {
    var names: Set<String> = []
    var count = 0
    for tensor in Inference.reached(from: outputs + inputs) {
      guard let parameters = tensor.outline?.parameters, !parameters.isEmpty else { continue }
      // Layers of the same name share their parameters.
      if let name = tensor.givenName, !names.insert(tensor.scopePrefix + name).inserted { continue }
      for parameter in parameters { count = count.addingSaturated(parameter.count) }
    }
    return count
  }
}
