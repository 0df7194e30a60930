import Forge

/// What tests and documents ask of the operators, by names such as `Conv` or `ai.onnx.ml::Scaler`.
package enum ONNXOperatorList {
  /// The names of each family.
  package static var families: [[String]] { ONNXOperators.families.map { $0.map(\.name) } }

  /// The operators that refuse sequences whose length predictions choose.
  package static var ofFixedLength: [String] {
    ONNXOperators.all.filter { if case .refused = $0.length { true } else { false } }.map(\.name)
  }

  /// The operators whose nodes stand for others.
  package static var expansions: [String] { ONNXExpansion.all.map(\.type) }

  /// The operators of the nodes in a file, those in graphs of attributes and in functions included.
  ///
  /// - Parameter path: the file.
  /// - Returns: their names.
  /// - Throws: ``ImportError`` for a file that cannot be read.
  package static func names(in path: String) throws(ImportError) -> Set<String> {
    let file = try WireFile(
      path: path, options: ImportOptions(), headline: "the file is not an ONNX model")
    var (graphs, nodes): ([WireMessage], [WireMessage]) = ([], [])
    try file.message.forEachField { field throws(ImportError) in
      if field.number == 7 { graphs.append(try field.message()) }
      guard field.number == 25 else { return }
      try field.message().forEachField { part throws(ImportError) in
        if part.number == 7 { nodes.append(try part.message()) }
      }
    }
    var names: Set<String> = []
    while !graphs.isEmpty || !nodes.isEmpty {
      if let graph = graphs.popLast() {
        try graph.forEachField { field throws(ImportError) in
          if field.number == 1 { nodes.append(try field.message()) }
        }
      }
      guard let node = nodes.popLast() else { continue }
      var (type, domain) = ("", "")
      try node.forEachField { field throws(ImportError) in
        switch field.number {
        case 4: type = try field.string()
        case 7: domain = try field.string()
        case 5:
          try field.message().forEachField { part throws(ImportError) in
            if part.number == 6 || part.number == 11 { graphs.append(try part.message()) }
          }
        default: break
        }
      }
      names.insert(ONNXOperator.name(type, domain == "ai.onnx" ? "" : domain))
    }
    return names
  }
}

extension ONNXOperator {
  /// The name, behind that of its domain unless it is ONNX's own.
  fileprivate var name: String { Self.name(type, domain) }

  fileprivate static func name(_ type: String, _ domain: String) -> String {
    domain.isEmpty ? type : "\(domain)::\(type)"
  }
}
