import Forge

/// The nodes of a graph.
extension ONNXGraphImport {
  /// Imports the nodes of a graph, each behind those whose results it reads.
  ///
  /// - Parameters:
  ///   - nodes: the nodes as the file has them.
  ///   - outputs: the names of the results that are kept when no node reads them anymore.
  ///   - scope: the names of the graph, to which those of the results are added.
  /// - Throws: ``ImportError`` for what is wrong; what is not supported is collected.
  mutating func importNodes(
    _ nodes: [FileNode], keeping outputs: [String], in scope: inout ONNXScope
  ) throws(ImportError) {
    guard scope.depth <= options.limits.depth else {
      throw ImportError(
        .tooLarge, "graphs and functions are nested too deeply", path: path,
        received: "\(scope.depth)", needs: "at most \(options.limits.depth)",
        remedy: "raise ImportLimits.depth if you trust the file")
    }
    // What makes another value of a name of the model's graph is refused below.
    let given = scope.prefix.isEmpty ? made : []
    let nodes = try ONNXNodeOrder.sorted(nodes, given: given, path: path).map {
      scope.renamed($0)
    }
    uses.add(nodes, in: scope)
    uses.add(outputs: outputs.map { scope.unique($0) })
    for node in nodes {
      let place = SourcePlace(file: path, entry: "\(node.type) \"\(node.name)\"")
      try SourcePlace.describing(for: place) { () throws(ImportError) in
        try importNode(node, in: scope)
      }
    }
  }

  /// Imports a graph inside a node.
  ///
  /// - Parameters:
  ///   - graph: the graph, such as a branch of `If`.
  ///   - inputs: the unique names of the values that its inputs stand for.
  ///   - outer: the names of the graph with the node.
  ///   - prefix: what stands before the names that it makes; another for each import.
  /// - Returns: the unique names of its outputs, which are kept until ``release(_:)``.
  /// - Throws: ``ImportError`` for what is wrong; what is not supported is collected.
  mutating func importGraph(
    _ graph: ONNXGraph, inputs: [String], in outer: ONNXScope, prefix: String
  ) throws(ImportError) -> [String] {
    try take(graph.nodes, and: graph.initializers.count + 1)
    var scope = outer.inner(prefix: prefix)
    for (info, name) in zip(graph.inputs, inputs) { scope.bind(info.name, to: name) }
    try readInitializers(graph, in: &scope)
    let outputs = graph.outputs.map(\.name)
    try importNodes(graph.nodes, keeping: outputs, in: &scope)
    return outputs.map { scope.unique($0) }
  }

  private mutating func importNode(
    _ node: FileNode, in scope: ONNXScope
  ) throws(ImportError) {
    for name in node.outputs where !name.isEmpty { try declare(name, of: "node", node.name) }
    try importDeclared(node, in: scope)
  }

  /// States that a value is made.
  ///
  /// - Throws: ``ImportError`` of kind `malformed` for the name of another value.
  mutating func declare(
    _ name: String, of kind: String, _ maker: String
  ) throws(ImportError) {
    guard made.insert(name).inserted else {
      throw ImportError(
        .malformed, "\(kind) \"\(maker)\" defines a value that is already defined", path: path,
        received: "\"\(name)\"", needs: "a name for each value")
    }
  }

  /// Imports a node whose results have names of their own.
  mutating func importDeclared(
    _ node: FileNode, in scope: ONNXScope
  ) throws(ImportError) {
    let blocked = node.inputs.contains { missing.contains($0) }
    unsupported += node.inputs.compactMap { unreadable.removeValue(forKey: $0) }
    if try expand(node, isBlocked: blocked, in: scope) {
      return release(node.inputs + node.captures.map { scope.unique($0) })
    }
    guard let found = ONNXOperators.find(node) ?? given(node) else {
      unsupported.append(UnsupportedNode(type: node.shownType, detail: nil, name: node.name))
      missing.formUnion(node.outputs)
      return
    }
    guard !blocked else {
      missing.formUnion(node.outputs)
      return
    }
    var inputs: [FileValue?] = []
    for name in node.inputs {
      guard !name.isEmpty, families[name] == nil else {
        inputs.append(nil)
        continue
      }
      guard lists[name] == nil else {
        unsupported.append(
          UnsupportedNode(type: node.type, detail: "a sequence of tensors", name: node.name))
        return missing.formUnion(node.outputs)
      }
      guard let value = values[name] else {
        throw ImportError(
          .malformed, "node \"\(node.name)\" reads a value that no earlier node makes", path: path,
          received: "\"\(name)\"")
      }
      inputs.append(value)
    }
    var call = ONNXCall(
      node, opset: scope.opsets[""] ?? 1, inputs: inputs, graphOutputs: graphOutputs)
    call.families = node.inputs.map { families[$0] }
    call.channelBlock = channelBlock
    call.isUsedAsTruth = node.outputs.allSatisfy { uses.isTruth($0) }
    do {
      try classes.check(node)
      if try foldedForEveryLength(&call) { return }
      call.integerBound = try ONNXIntegerBounds.bound(call, integerBounds)
      if call.integerBound == nil { try ONNXPlaceArithmetic.limit(&call, uses, integerBounds) }
      var stated = call
      let isExample = fileBatch != nil && batch.reaches(node)
      call = try isExample ? importExample(stated, by: found) : imported(stated, by: found)
      try finish(call)
      (stated.outputs, stated.chosenRows) = (call.outputs, call.chosenRows)
      if !isExample { batch.follow(stated) }
      if call.chosenRows != nil {
        let mixture = ONNXMixture(node: node.name, type: node.type)
        batch.mix(node.outputs, mixture, on: node.inputs)
      }
      selections.follow(stated)
      classes.follow(call)
      if let name = node.outputs.first { integerBounds[name] = call.integerBound }
    } catch {
      try report(error, type: node.type, name: node.name)
      missing.formUnion(node.outputs)
    }
    release(node.inputs + node.captures.map { scope.unique($0) })
  }

  /// A node with its results.
  func imported(_ stated: ONNXCall, by found: ONNXOperator) throws -> ONNXCall {
    var call = stated
    if found.domain == "ai.onnx.ml" { try call.refuseDoubles() }
    if try !ONNXLengths.run(&call), try !ONNXFolding.fold(&call) { try found.import(&call) }
    try ONNXLengths.check(call)
    return call
  }

  /// Releases computed constants that no later node reads.
  mutating func release(_ names: [String]) {
    for name in names {
      guard uses.release(name), case .host(let tensor)? = values[name],
        tensor.held != nil || tensor.folded != nil
      else { continue }
      tensor.folded?.release()
      values[name] = nil
    }
  }

  /// Computes a node for every length if its inputs are known; returns whether the result is kept.
  ///
  /// If they are not, the families among them become tensors of the network.
  private mutating func foldedForEveryLength(_ call: inout ONNXCall) throws -> Bool {
    if call.families.allSatisfy({ $0 == nil }), try ONNXLengthFolding.fold(&call) {
      try finish(call)
      return true
    }
    guard let name = call.node.outputs.first else { return false }
    switch try ONNXLengthFamily.fold(call) {
    case .value(let value)?:
      call.set(value)
      try finish(call)
      return true
    case .family(let family)?:
      families[name] = family
      return true
    case nil: break
    }
    // Sizes are known even where values are not parts of the longest.
    if case .measured(let measure)? = ONNXOperators.find(call.node)?.sizes,
      let family = call.family(0)
    {
      call.set(try measure(family.sizes, call, family.maximum).value)
      try finish(call)
      return true
    }
    for (index, family) in call.families.enumerated() {
      guard let family else { continue }
      guard let tensor = try family.network() else {
        throw NodeFailure.unsupported(
          "values for a shorter sequence that are not a part of those for the longest")
      }
      call.inputs[index] = .network(tensor)
    }
    return false
  }

  /// Takes over the results of a node.
  private mutating func finish(_ call: ONNXCall) throws(ImportError) {
    for (key, entry) in call.parameters { parameters[key] = entry }
    for (name, value) in zip(call.node.outputs, call.outputs) where !name.isEmpty {
      guard let value else {
        // Second outputs such as the mask of a Dropout exist only for training.
        missing.insert(name)
        unsupported.append(
          UnsupportedNode(type: call.node.type, detail: "output \"\(name)\"", name: call.node.name))
        continue
      }
      values[name] = value
    }
  }
}
