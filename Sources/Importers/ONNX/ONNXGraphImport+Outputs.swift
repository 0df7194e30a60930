import Forge

/// The outputs of a graph.
extension ONNXGraphImport {
  /// The tensors of the outputs, those of numbers of rows behind them, and the ports.
  struct Outputs {
    var tensors: [Tensor] = []
    var ports: [ImportedModel.Port] = []
    /// The node that combines the examples of an open batch; `nil` if none does.
    var mixture: ONNXMixture?
  }

  /// Collects the outputs that no network can have.
  mutating func checkOutputs() {
    for info in graph.outputs where lists[info.name] != nil {
      unsupported.append(
        UnsupportedNode(type: "output", detail: "a sequence of tensors", name: info.name))
    }
    for info in graph.outputs {
      let isLength = if case .length? = values[info.name] { true } else { false }
      guard isLength || families[info.name] != nil else { continue }
      unsupported.append(
        UnsupportedNode(
          type: "output", detail: "a number that depends on the length of a sequence",
          name: info.name))
    }
    for info in graph.outputs {
      do throws(ONNXRowMixture) { _ = try selections.rows(of: info.name) } catch {
        if !unsupported.contains(error.node) { unsupported.append(error.node) }
      }
    }
  }

  /// Forgets a batch of 1 that the caller states if an output combines its examples.
  ///
  /// The 1 may be any other size then, and the model still predicts examples one by one.
  mutating func dropStatedBatch() {
    guard isBatchStated else { return }
    let isMixed = graph.outputs.contains { info in
      switch batch.states[info.name] {
      case nil: false
      case .along(let place)?: place.outer != 1
      case .numbers?, .mixed?: true
      }
    }
    if isMixed { batch = ONNXOpenAxes(base: 1) }
  }

  /// The outputs of the network.
  ///
  /// - Parameter known: the names of those whose values are known.
  /// - Returns: the outputs in order.
  /// - Throws: ``ImportError`` of kind `malformed` for one that no node makes.
  func outputs(except known: Set<String>) throws(ImportError) -> Outputs {
    var result = Outputs()
    var used: Set<String> = []
    var counts: [Tensor] = []
    for info in graph.outputs {
      guard !known.contains(info.name) else {
        // It has one value for any number of examples, unless it follows that number.
        if let state = batch.states[info.name] {
          result.mixture = result.mixture ?? state.mixture(of: info.name)
        }
        continue
      }
      let (tensor, made) = try output(info, isFirst: used.insert(info.name).inserted)
      var port = made
      if let (rows, count) = try? selections.rows(of: info.name) {
        port.rows = rows
        if !counts.contains(where: { $0 === count }) { counts.append(count) }
      }
      if !batch.isEmpty {
        switch batch.states[info.name] {
        case .along(let place)? where place.outer == 1: port.examples = .along(place.axis)
        case let state?: result.mixture = result.mixture ?? state.mixture(of: info.name)
        case nil: port.examples = .shared
        }
      }
      result.tensors.append(tensor)
      result.ports.append(port)
    }
    result.tensors += counts
    return result
  }

  /// The outputs that no input changes.
  func constantOutputs() throws(ImportError) -> [ImportedModel.Constant] {
    var constants: [ImportedModel.Constant] = []
    for info in graph.outputs {
      guard case .host(let tensor)? = values[info.name] else { continue }
      do { constants.append(.init(name: info.name, values: try tensor.stored())) } catch {
        throw ImportError(
          .unreadable, "the values of the output \"\(info.name)\" cannot be read", path: path,
          cause: error)
      }
    }
    return constants
  }

  /// The tensor and the port of an output.
  private func output(
    _ info: ONNXValueInfo, isFirst: Bool
  ) throws(ImportError) -> (Tensor, ImportedModel.Port) {
    guard case .network(let result)? = values[info.name] else {
      throw ImportError(
        .malformed, "no node makes the output \"\(info.name)\"", path: path)
    }
    // A layer that already has the name of the output needs no other.
    let isNamed = isFirst && result.tensor.givenName == info.name && !result.tensor.inputs.isEmpty
    // An input may be an output too, but a network has each name once.
    let isInput = inputs.contains { $0.givenName == info.name }
    let name = isInput ? "\(info.name)/output" : info.name
    let tensor = isNamed ? result.tensor : result.tensor.chained(to: Identity(name: name))
    return (
      tensor,
      .init(
        name: info.name, elementType: result.type, sizes: result.sizes, axes: result.layout,
        lengthAxes: ImportedModel.Port.lengthAxes(of: tensor, result.layout),
        about: info.docString.isEmpty ? nil : info.docString)
    )
  }
}
