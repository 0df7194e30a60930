import Forge

/// One call of a layer of a description.
struct KerasNode: Hashable, Sendable {
  /// The index of the layer.
  let layer: Int
  /// The index of the call; 0 for an `InputLayer`.
  let call: Int
}

/// The calls of a model in an order in which each follows those that it takes tensors from.
struct KerasOrder: Sendable {
  /// The calls, in the order of the file as far as possible.
  private(set) var nodes: [KerasNode] = []
  /// The index of each layer by its own name.
  private var indices: [String: Int] = [:]
  /// The number of the first call of each layer.
  ///
  /// A model that is used as a layer has been called once when it was made: its calls count from 1.
  private var firstCalls: [Int] = []

  private let description: KerasModelDescription
  private let path: String?

  /// Sorts the calls of a model.
  init(_ description: KerasModelDescription, path: String?) throws(ImportError) {
    self.description = description
    self.path = path
    for (index, layer) in description.layers.enumerated() { indices[layer.name] = index }
    findFirstCalls()
    var isDone: [KerasNode: Bool] = [:]
    for (index, layer) in description.layers.enumerated() {
      for call in 0..<max(layer.calls.count, layer.isInput ? 1 : 0) {
        try visit(KerasNode(layer: index, call: call), &isDone)
      }
    }
  }

  private mutating func findFirstCalls() {
    firstCalls = Array(repeating: 0, count: description.layers.count)
    let references =
      description.outputs + description.layers.flatMap(\.calls).flatMap(\.references)
    for reference in references {
      guard let index = indices[reference.layer] else { continue }
      let layer = description.layers[index]
      if layer.isModel, reference.call == layer.calls.count { firstCalls[index] = 1 }
    }
  }

  /// Adds a call after all that it depends on.
  private mutating func visit(
    _ first: KerasNode, _ isDone: inout [KerasNode: Bool]
  ) throws(ImportError) {
    var pending = [first]
    while let node = pending.last {
      switch isDone[node] {
      case true?: pending.removeLast()
      case false?:
        isDone[node] = true
        nodes.append(node)
        pending.removeLast()
      case nil:
        isDone[node] = false
        for needed in try dependencies(of: node).reversed() {
          guard isDone[needed] != false else {
            throw .kerasDescription(
              "the layers depend on each other in a cycle", path: path, entry: description.name,
              received: "\"\(description.layers[needed.layer].name)\"")
          }
          if isDone[needed] == nil { pending.append(needed) }
        }
      }
    }
  }

  private func dependencies(of node: KerasNode) throws(ImportError) -> [KerasNode] {
    let calls = description.layers[node.layer].calls
    guard node.call < calls.count else { return [] }
    var found: [KerasNode] = []
    for reference in calls[node.call].references {
      if let node = try self.node(of: reference) { found.append(node) }
    }
    return found
  }

  /// The call that a reference means; `nil` for the input of a chain.
  func node(of reference: KerasReference) throws(ImportError) -> KerasNode? {
    if reference.layer.isEmpty, description.isSequential { return nil }
    guard let index = indices[reference.layer] else {
      throw .kerasDescription(
        "a layer takes the output of a missing layer", path: path, entry: description.name,
        received: "\"\(reference.layer.prefix(200))\"")
    }
    let layer = description.layers[index]
    let call = reference.call - firstCalls[index]
    guard call >= 0, call < max(layer.calls.count, layer.isInput ? 1 : 0) else {
      throw .kerasDescription(
        "a layer takes the output of a missing call", path: path,
        entry: description.name,
        received: "call \(reference.call) of \"\(reference.layer)\"",
        needs: "one of \(ImportError.counted(layer.calls.count, "call"))")
    }
    return KerasNode(layer: index, call: call)
  }
}
