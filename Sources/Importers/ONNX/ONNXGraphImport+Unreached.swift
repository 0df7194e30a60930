import Forge

/// The outputs of a graph that no input reaches, which are computed while importing.
extension ONNXGraphImport {
  /// Computes the outputs that no input reaches.
  mutating func computeUnreachedOutputs() throws(ImportError) {
    let dependent = tensorsThatDependOnInputs()
    let names = graph.outputs.map(\.name).filter { !dependsOnInput($0, dependent) }
    let tensors = names.compactMap { name -> FileTensor? in
      if case .network(let tensor)? = values[name] { tensor } else { nil }
    }
    let rest = names.filter { if case .network? = values[$0] { true } else { false } }
    // The values could follow an open length through the shape of an input.
    let isOpen = options.sizes.values.contains { $0.contains(where: \.isLength) }
    let detail = isOpen ? "no way from an input of open length" : "a selection among constants"
    for name in rest where isOpen || (try? selections.rows(of: name)) != nil {
      unsupported.append(UnsupportedNode(type: "output", detail: detail, name: name))
    }
    guard !tensors.isEmpty, unsupported.isEmpty else { return }
    let limit = options.limits.foldedElements
    let source = ImportedParameters(parameters, origin: path)
    guard let results = Self.values(of: tensors, source, limit: limit) else {
      unsupported += rest.map {
        UnsupportedNode(type: "output", detail: "a constant that is not computed", name: $0)
      }
      return
    }
    for ((name, tensor), result) in zip(zip(rest, tensors), results) {
      let kept = tensor.layout.compactMap { $0 }
      let missing = tensor.sizes.indices.filter { !kept.contains($0) }
      let order = missing + kept
      var reordered = HostTensor(floats: result.values, sizes: order.map { tensor.sizes[$0] })
      reordered.held = try ImportBudget.hold(reordered.count, width: MemoryLayout<Float>.size)
      do {
        let moved = try reordered.transposed(
          tensor.sizes.indices.map { order.firstIndex(of: $0) ?? 0 })
        values[name] = .host(try moved.cast(to: tensor.type))
      } catch { try report(error, type: "output", name: name) }
    }
  }

  /// The tensors of outputs, and those they are computed from, that depend on an input.
  private func tensorsThatDependOnInputs() -> Set<ObjectIdentifier> {
    let ends = graph.outputs.compactMap { info -> Tensor? in
      if case .network(let tensor)? = values[info.name] { tensor.tensor } else { nil }
    }
    var dependent = Set(inputs.map { ObjectIdentifier($0) })
    // Operands are older than what is made of them.
    for tensor in Tensor.reached(from: ends).sorted(by: { $0.order < $1.order })
    where tensor.inputs.contains(where: { dependent.contains(ObjectIdentifier($0)) }) {
      dependent.insert(ObjectIdentifier(tensor))
    }
    return dependent
  }

  /// Whether an output is computed from an input, or missing for another reason.
  private func dependsOnInput(_ name: String, _ dependent: Set<ObjectIdentifier>) -> Bool {
    switch values[name] {
    case .host?: false
    case .network(let tensor)?: dependent.contains(ObjectIdentifier(tensor.tensor))
    case .length?, nil: true
    }
  }

  /// The values of tensors that no input reaches, computed once.
  ///
  /// - Parameters:
  ///   - tensors: the tensors of the network.
  ///   - parameters: the weights of their layers.
  ///   - limit: the most elements of all tensors on the way to them.
  /// - Returns: the values in the order of the network's axes; `nil` if there are too many, or the
  ///   network does not compile.
  private static func values(
    of tensors: [FileTensor], _ parameters: ImportedParameters, limit: Int
  ) -> [TensorValues]? {
    // A network has an input; this one changes nothing.
    let input = Input(shape: [1], name: "no input")
    let nothing = input.chained(to: Compare(.greater, than: [.greatestFiniteMagnitude]))
    let outputs = tensors.enumerated().map { index, tensor in
      let rank = tensor.tensor.shape?.rank ?? 1
      let zero = nothing.chained(to: Reshape(to: Array(repeating: 1, count: rank)))
      return [tensor.tensor, zero].chained(to: Subtract(name: "output \(index)"))
    }
    var model = Model(inputs: [input], outputs: outputs)
    model.parameters = parameters
    guard Tensor.elementCount(of: outputs) <= limit, model.multiplyAdds <= limit,
      let network = try? model.compile(options: CompileOptions(threads: .exactly(1))),
      let results = try? network.predict(["no input": [0] as [Float]])
    else { return nil }
    return outputs.indices.map { results.tensors[$0] }
  }
}
