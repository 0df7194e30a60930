import Forge

/// What names stand for in a graph: its own values, and those of the graphs around it.
///
/// An import keeps the values of all graphs by names that are unique. For the model's graph these
/// are the names of the file. A graph inside a node and a function put something before the names
/// that they make, so that they can be imported several times.
struct ONNXScope: Sendable {
  /// What stands before the names that the graph makes; empty for the model's graph.
  let prefix: String
  /// The versions of the operator sets by domain.
  let opsets: [String: Int]
  /// The number of graphs and functions around.
  let depth: Int
  /// The functions that are being imported, each inside the one before.
  let callers: [ONNXFunction.Key]
  /// The attributes of the node that calls the function.
  private let attributes: [String: NodeAttribute]
  /// The graph around; `nil` for the model's graph and for functions.
  private let outer: Outer?
  /// The unique names by those of the file.
  private var names: [String: String] = [:]

  /// The graph around, which many graphs may share.
  private final class Outer: Sendable {
    let scope: ONNXScope

    init(_ scope: ONNXScope) { self.scope = scope }
  }

  private init(
    prefix: String, opsets: [String: Int], depth: Int, callers: [ONNXFunction.Key],
    attributes: [String: NodeAttribute], outer: Outer?
  ) {
    self.prefix = prefix
    self.opsets = opsets
    self.depth = depth
    self.callers = callers
    self.attributes = attributes
    self.outer = outer
  }

  /// The names of the model's graph.
  static func model(_ opsets: [String: Int]) -> ONNXScope {
    ONNXScope(
      prefix: "", opsets: opsets, depth: 0, callers: [], attributes: [:], outer: nil)
  }

  /// The names of a function, which sees nothing of the graph that calls it.
  ///
  /// - Parameters:
  ///   - function: the function.
  ///   - attributes: those that its nodes may take, by name.
  ///   - prefix: what stands before its names; another for each call.
  /// - Returns: the names.
  func function(
    _ function: ONNXFunction, attributes: [String: NodeAttribute], prefix: String
  ) -> ONNXScope {
    ONNXScope(
      prefix: prefix, opsets: ONNXOperatorSet.versions(function.operatorSets), depth: depth + 1,
      callers: callers + [function.key], attributes: attributes, outer: nil)
  }

  /// The names of graphs inside a node, which see what this one has so far.
  ///
  /// - Parameter prefix: what stands before their names; another for each time one is imported.
  /// - Returns: the names.
  func inner(prefix: String) -> ONNXScope {
    ONNXScope(
      prefix: prefix, opsets: opsets, depth: depth + 1, callers: callers,
      attributes: attributes, outer: Outer(self))
  }

  /// The unique name of a value; that of a value which is left out stays empty.
  func unique(_ name: String) -> String {
    guard !name.isEmpty else { return name }
    return names[name] ?? outer?.scope.unique(name) ?? (callers.isEmpty ? name : prefix + name)
  }

  /// Makes a name of the graph, such as that of an input, stand for a value that is there already.
  mutating func bind(_ name: String, to unique: String) { names[name] = unique }

  /// Declares a value that the graph makes.
  ///
  /// - Returns: its unique name.
  mutating func declare(_ name: String) -> String {
    guard !name.isEmpty, !prefix.isEmpty else { return name }
    let unique = prefix + name
    names[name] = unique
    return unique
  }

  /// A node with unique names and the attributes of the call; its outputs are declared.
  ///
  /// Graphs in its attributes keep their names.
  mutating func renamed(_ node: FileNode) -> FileNode {
    guard !prefix.isEmpty else { return node }
    let inputs = node.inputs.map { unique($0) }
    return FileNode(
      node.type, domain: node.domain, overload: node.overload, name: prefix + node.name,
      inputs: inputs, outputs: node.outputs.map { declare($0) },
      attributes: node.attributes.compactMapValues { attribute in
        if case .reference(let name) = attribute { attributes[name] } else { attribute }
      })
  }

  /// The name of a node as the file has it.
  func ownName(_ node: FileNode) -> Substring {
    node.name.hasPrefix(prefix) ? node.name.dropFirst(prefix.count) : node.name[...]
  }
}
