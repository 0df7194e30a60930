import Forge

/// An operator whose nodes stand for other nodes: those of a graph in an attribute, or a few that
/// follow from what is known while importing.
///
/// What becomes of integers, lengths and examples is stated by the operators of these nodes.
struct ONNXExpansion: Sendable {
  /// Imports the nodes that a node stands for.
  ///
  /// - Throws: ``NodeFailure``, ``ImportError``.
  typealias Expand =
    @Sendable (
      _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
    ) throws -> Void

  /// The operator, one of ONNX's own domain.
  let type: String
  let expand: Expand

  init(_ type: String, _ expand: @escaping Expand) {
    self.type = type
    self.expand = expand
  }

  /// All such operators.
  static let all = branches + loops + sequences

  private static let byType = Dictionary(all.map { ($0.type, $0) }) { first, _ in first }

  /// That of a node; `nil` for other nodes.
  static func find(_ node: FileNode) -> ONNXExpansion? {
    node.domain.isEmpty ? byType[node.type] : nil
  }
}

extension ONNXGraphImport {
  /// Imports the nodes that a node stands for; returns whether it stands for some.
  mutating func expand(
    _ node: FileNode, isBlocked: Bool, in scope: ONNXScope
  ) throws(ImportError) -> Bool {
    let body: ONNXExpansion.Expand
    if let function = functions[node.key], !isGiven(node) {
      body = { graph, node, scope in try graph.call(function, from: node, in: scope) }
    } else if let expansion = ONNXExpansion.find(node) {
      body = expansion.expand
    } else if node.domain.isEmpty, node.type == "Identity", let input = node.inputs.first,
      lists[input] != nil
    {
      body = { graph, node, _ in
        graph.define(node, 0, list: graph.lists[input] ?? [], from: [input])
      }
    } else {
      return false
    }
    guard !isBlocked else {
      survey(node)
      missing.formUnion(node.outputs)
      return true
    }
    do { try body(&self, node, scope) } catch {
      try report(error, type: node.type, name: node.name)
      missing.formUnion(node.outputs)
    }
    return true
  }

  /// Whether the caller builds the nodes of an operator.
  func isGiven(_ node: FileNode) -> Bool {
    ONNXOperators.find(node) == nil && options.onnxOperators[node.operatorName] != nil
  }

  // MARK: Graphs

  /// What stands before the names of a graph of a node, and of no other.
  mutating func prefix(_ node: FileNode, _ part: String, in scope: ONNXScope) -> String {
    expansions += 1
    return "\(scope.ownName(node))/\(part)#\(expansions)/"
  }

  /// Takes the nodes of a graph that is imported inside another.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  mutating func take(_ nodes: [FileNode], and others: Int = 1) throws(ImportError) {
    try take(FileNode.count(nodes).addingSaturated(others))
  }

  /// Takes a number of nodes that the import adds to those of the file.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  mutating func take(_ count: Int) throws(ImportError) {
    expandedNodes = expandedNodes.addingSaturated(count)
    guard expandedNodes <= options.limits.nodes else {
      throw ImportError(
        .tooLarge, "the graphs inside nodes, loops and functions of the model have too many nodes",
        path: path, received: "more than \(options.limits.nodes)",
        needs: "at most \(options.limits.nodes)",
        remedy: "for a file that you trust, raise nodes in ImportLimits, or forge --trusted")
    }
  }

  // MARK: Results

  /// Imports nodes with unique names that a node stands for.
  ///
  /// Their results are those of the node, or values with a name of ``temporary(_:_:)``.
  mutating func add(_ nodes: [FileNode], in scope: ONNXScope) throws(ImportError) {
    uses.add(nodes, in: scope)
    for node in nodes { try importDeclared(node, in: scope) }
  }

  /// A unique name for a value between a node and its results.
  mutating func temporary(_ node: FileNode, _ part: String) -> String {
    while true {
      expansions += 1
      let name = "\(node.name)/\(part)#\(expansions)"
      if made.insert(name).inserted { return name }
    }
  }

  /// A value that is known; its name is unique.
  mutating func known(_ value: HostTensor, _ node: FileNode, _ part: String) -> String {
    let name = temporary(node, part)
    values[name] = .host(value)
    return name
  }

  /// Makes the results of a node those of others.
  ///
  /// - Throws: ``ImportError``; ``NodeFailure`` for a different number of results.
  mutating func set(
    _ node: FileNode, to names: [String], in scope: ONNXScope
  ) throws {
    guard names.count >= node.outputs.count else {
      throw NodeFailure.invalid("\(names.count) results for \(node.outputs.count) outputs")
    }
    for (output, name) in zip(node.outputs, names) where !output.isEmpty {
      try add([FileNode("Identity", inputs: [name], outputs: [output])], in: scope)
    }
  }

  /// Makes a result of a node a list of values.
  ///
  /// - Parameters:
  ///   - node: the node.
  ///   - index: the number of the result.
  ///   - list: the unique names of the values.
  ///   - inputs: what the number and the places of the values depend on.
  mutating func define(_ node: FileNode, _ index: Int, list: [String], from inputs: [String]) {
    guard node.has(output: index) else { return }
    lists[node.outputs[index]] = list
    uses.add(outputs: list)
    mix([node.outputs[index]], by: node, on: inputs)
  }

  /// States that results follow the number of examples if what chose them does.
  mutating func mix(_ names: [String], by node: FileNode, on inputs: [String]) {
    let mixture = ONNXMixture(node: node.name, type: node.type)
    batch.mix(names, mixture, on: inputs)
    selections.mix(names, mixture, on: inputs)
  }

  /// The integer that an input holds; `nil` if it is left out.
  ///
  /// - Throws: ``NodeFailure`` for one that is computed at run time.
  func knownInt(_ node: FileNode, _ index: Int, _ what: String) throws -> Int? {
    guard index < node.inputs.count, !node.inputs[index].isEmpty else { return nil }
    guard let host = try host(node.inputs[index]) else {
      throw NodeFailure.unsupported("\(what) computed at run time")
    }
    guard host.count == 1, let number = try host.integers().first else {
      throw NodeFailure.invalid("\(what) of sizes \(host.sizes)")
    }
    return Int(clamping: number)
  }

  /// A value that is known; `nil` for one that is computed.
  ///
  /// - Throws: ``NodeFailure`` for a name that nothing makes.
  func host(_ name: String) throws -> HostTensor? {
    switch values[name] {
    case .host(let host)?: return host
    case .network?, .length?: return nil
    case nil:
      guard families[name] != nil else { throw notMade(name) }
      return nil
    }
  }

  /// The sizes of a value; `nil` for a list.
  func sizes(_ name: String) -> [Int]? { values[name]?.sizes ?? families[name]?.tensors[0].sizes }

  /// The error of a name that nothing makes.
  func notMade(_ name: String) -> NodeFailure {
    lists[name] == nil
      ? .invalid("a value that no earlier node makes: \"\(name)\"")
      : .unsupported("a sequence of tensors")
  }

  // MARK: Refusals

  /// Collects what Forge does not have in the graphs and functions of a node that is not imported.
  mutating func survey(_ node: FileNode) {
    var seen: Set<ONNXFunction.Key> = []
    var waiting = [(node: node, name: node.name)]
    var next = 0
    while next < waiting.count {
      let (node, name) = waiting[next]
      next += 1
      if let function = functions[node.key], !isGiven(node) {
        guard seen.insert(node.key).inserted else { continue }
        waiting += function.nodes.map { ($0, "\(node.type)/\($0.name)") }
      } else if ONNXExpansion.find(node) == nil, ONNXOperators.find(node) == nil, !isGiven(node) {
        unsupported.append(UnsupportedNode(type: node.shownType, detail: nil, name: name))
      }
      for case .graph(let graph) in node.attributes.sorted(by: { $0.key < $1.key }).map(\.value) {
        waiting += graph.nodes.map { ($0, "\(node.name)/\($0.name)") }
      }
    }
  }
}

extension FileNode {
  /// The operator as refusals name it: `Conv`, `com.microsoft.Gelu`.
  var shownType: String { domain.isEmpty ? type : "\(domain).\(type)" }

  /// The operator as ``ImportOptions/onnxOperators`` names it: `Conv`, `com.microsoft::Gelu`.
  var operatorName: String { domain.isEmpty ? type : "\(domain)::\(type)" }
}
