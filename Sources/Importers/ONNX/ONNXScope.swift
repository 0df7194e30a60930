import Forge

/// What names stand for in a graph: its own values, and those of the graphs around it.
///
/// An import keeps the values of all graphs by names that are unique. For the model's graph these
/// are the names of the file. A graph inside a node and a function put something before the names
/// that they make, so that they can be imported several times.
struct ONNXScope: Sendable {
  /// What stands before the names that the graph makes; empty for the model's graph.
  let prefix: String
  /// What stands before names that nothing has made, so that a function sees nothing around it.
  private let unknownPrefix: String
  /// The unique names by those of the file.
  private var names: [String: String] = [:]

  private init(prefix: String, unknownPrefix: String) {
    self.prefix = prefix
    self.unknownPrefix = unknownPrefix
  }

  /// The names of the model's graph.
  static var model: ONNXScope { ONNXScope(prefix: "", unknownPrefix: "") }

  /// The names of a function, which sees nothing of the graph that calls it.
  ///
  /// - Parameter prefix: what stands before its names; another for each call.
  /// - Returns: the names.
  static func function(prefix: String) -> ONNXScope {
    ONNXScope(prefix: prefix, unknownPrefix: prefix)
  }

  /// The names of a graph inside a node, which sees what this one has so far.
  ///
  /// - Parameter prefix: what stands before its names; another for each time it is imported.
  /// - Returns: the names.
  func inner(prefix: String) -> ONNXScope {
    var inner = ONNXScope(prefix: self.prefix + prefix, unknownPrefix: unknownPrefix)
    inner.names = names
    return inner
  }

  /// The unique name of a value; that of a value which is left out stays empty.
  func unique(_ name: String) -> String {
    name.isEmpty ? name : names[name] ?? unknownPrefix + name
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

  /// A node with unique names; those of its outputs are declared.
  ///
  /// Graphs in its attributes keep their names.
  mutating func renamed(_ node: FileNode) -> FileNode {
    guard !prefix.isEmpty else { return node }
    let inputs = node.inputs.map { unique($0) }
    return FileNode(
      node.type, domain: node.domain, overload: node.overload, name: prefix + node.name,
      inputs: inputs, outputs: node.outputs.map { declare($0) }, attributes: node.attributes)
  }
}
