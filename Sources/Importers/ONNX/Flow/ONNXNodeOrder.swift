import Forge

/// The order of nodes: each behind those whose results it reads.
enum ONNXNodeOrder {
  /// The nodes in order; that of the file, if it is one.
  ///
  /// - Parameters:
  ///   - nodes: the nodes in the order of the file.
  ///   - given: the names of values that are there before them, for which no node waits.
  ///   - path: the file.
  /// - Returns: the nodes in order.
  /// - Throws: ``ImportError`` of kind `malformed` for a node that needs its own result.
  static func sorted(
    _ nodes: [FileNode], given: Set<String>, path: String
  ) throws(ImportError) -> [FileNode] {
    var makers: [String: Int] = [:]
    for (index, node) in nodes.enumerated() {
      for name in node.outputs
      where !name.isEmpty && makers[name] == nil && !given.contains(name) { makers[name] = index }
    }
    let needed = nodes.map { node in (node.inputs + node.captures).compactMap { makers[$0] } }
    if needed.enumerated().allSatisfy({ index, makers in makers.allSatisfy { $0 < index } }) {
      return nodes
    }
    var order: [FileNode] = []
    var states = Array(repeating: State.waiting, count: nodes.count)
    for first in nodes.indices where states[first] == .waiting {
      // The nodes that wait for others, each with the number of those it has looked at.
      var stack = [(node: first, next: 0)]
      states[first] = .begun
      while let (node, next) = stack.last {
        guard next < needed[node].count else {
          states[node] = .done
          order.append(nodes[node])
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let other = needed[node][next]
        switch states[other] {
        case .done: continue
        case .waiting:
          states[other] = .begun
          stack.append((other, 0))
        case .begun:
          throw ImportError(
            .malformed, "node \"\(nodes[other].name)\" needs its own result", path: path,
            received: nodes[other].type, needs: "nodes without a cycle")
        }
      }
    }
    return order
  }

  private enum State {
    case waiting, begun, done
  }
}
