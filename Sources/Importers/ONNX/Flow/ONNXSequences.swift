import Forge

/// Sequences of tensors: lists of values whose number and places are known while importing.
///
/// A list holds the names of values. Taking one out of it is another name for the value, so
/// all that is known of it stays known.
extension ONNXExpansion {
  static let sequences = [
    ONNXExpansion("SequenceEmpty") { graph, node, _ in
      graph.define(node, 0, list: [], from: [])
    },
    ONNXExpansion("SequenceConstruct") { graph, node, _ in
      for name in node.inputs where graph.sizes(name) == nil { throw graph.notMade(name) }
      graph.define(node, 0, list: node.inputs, from: [])
    },
    ONNXExpansion("SequenceInsert", insert), ONNXExpansion("SequenceErase", erase),
    ONNXExpansion("SequenceAt", at), ONNXExpansion("SequenceLength", length),
    ONNXExpansion("ConcatFromSequence", concatenate), ONNXExpansion("SplitToSequence", split),
  ]

  /// The values of a list.
  private static func list(_ graph: ONNXGraphImport, _ node: FileNode) throws -> [String] {
    guard let name = node.inputs.first else { throw NodeFailure.invalid("no sequence") }
    guard let list = graph.lists[name] else {
      throw graph.sizes(name) == nil ? graph.notMade(name) : .invalid("a tensor as a sequence")
    }
    return list
  }

  private static func insert(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _: ONNXScope
  ) throws {
    var values = try list(graph, node)
    guard node.inputs.count > 1 else { throw NodeFailure.invalid("no tensor") }
    guard graph.sizes(node.inputs[1]) != nil else { throw graph.notMade(node.inputs[1]) }
    let stated = try graph.knownInt(node, 2, "an index in a sequence") ?? values.count
    guard (-values.count...values.count).contains(stated) else {
      throw NodeFailure.invalid("index \(stated) in a sequence of \(values.count)")
    }
    try graph.take(values.count / 4)
    values.insert(node.inputs[1], at: stated < 0 ? stated + values.count : stated)
    graph.define(node, 0, list: values, from: [node.inputs[0]] + node.inputs.dropFirst(2))
  }

  private static func erase(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _: ONNXScope
  ) throws {
    var values = try list(graph, node)
    let stated = try graph.knownInt(node, 1, "an index in a sequence") ?? -1
    try graph.take(values.count / 4)
    values.remove(at: try ONNXCall.place(stated, of: values.count))
    graph.define(node, 0, list: values, from: node.inputs)
  }

  private static func at(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    let values = try list(graph, node)
    guard let stated = try graph.knownInt(node, 1, "an index in a sequence") else {
      throw NodeFailure.invalid("no place")
    }
    let place = try ONNXCall.place(stated, of: values.count)
    try graph.set(node, to: [values[place]], in: scope)
    graph.mix(node.outputs, by: node, on: node.inputs)
  }

  private static func length(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _: ONNXScope
  ) throws {
    let count = try list(graph, node).count
    guard node.has(output: 0) else { return }
    graph.values[node.outputs[0]] = .host(HostTensor(integers: [Int64(count)], sizes: []))
    graph.mix(node.outputs, by: node, on: node.inputs)
  }

  private static func concatenate(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    let values = try list(graph, node)
    guard !values.isEmpty else { throw NodeFailure.unsupported("an empty sequence") }
    guard node.has(output: 0), node.has("axis") else { throw NodeFailure.invalid("no axis") }
    let axis = node.int("axis")
    if node.int("new_axis") != 0 {
      try graph.stack(node, values, along: axis, to: node.outputs[0], in: scope)
    } else {
      try graph.take(values.count / 4)
      try graph.add(
        [
          FileNode(
            "Concat", inputs: values, outputs: [node.outputs[0]], attributes: ["axis": .int(axis)])
        ], in: scope)
    }
    graph.mix(node.outputs, by: node, on: [node.inputs[0]])
  }

  private static func split(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    guard let input = node.inputs.first else { throw NodeFailure.invalid("no tensor") }
    guard let value = graph.values[input] else {
      throw graph.families[input] == nil ? graph.notMade(input) : FileValue.followsLength
    }
    let axis = try ONNXCall.axis(node.int("axis"), rank: value.sizes.count)
    guard try value.lengthSizes()[axis].constant != nil else { throw FileValue.followsLength }
    let size = value.sizes[axis]
    let hasParts = node.inputs.count > 1 && !node.inputs[1].isEmpty
    let parts = try parts(&graph, node, of: size, isStated: hasParts)
    guard !parts.isEmpty else { throw NodeFailure.unsupported("an empty tensor") }
    let isSqueezed = !hasParts && node.int("keepdims", 1) == 0
    var names = parts.map { _ in graph.temporary(node, "part") }
    var nodes = [
      FileNode(
        "Split", inputs: [input], outputs: names,
        attributes: ["axis": .int(axis), "split": .ints(parts)])
    ]
    if isSqueezed {
      let squeezed = names.map { _ in graph.temporary(node, "part") }
      nodes += zip(names, squeezed).map {
        FileNode("Squeeze", inputs: [$0], outputs: [$1], attributes: ["axes": .ints([axis])])
      }
      names = squeezed
    }
    try graph.add(nodes, in: scope)
    // As many parts as examples would be another list for each number of them.
    var choices = hasParts ? [node.inputs[1]] : []
    if case .along(let place)? = graph.batch.states[input], place.axis != axis {
    } else {
      choices.append(input)
    }
    graph.define(node, 0, list: names, from: choices)
  }

  /// The sizes of the parts of an axis.
  private static func parts(
    _ graph: inout ONNXGraphImport, _ node: FileNode, of size: Int, isStated: Bool
  ) throws -> [Int] {
    guard isStated else {
      try graph.take(size)
      return Array(repeating: 1, count: size)
    }
    guard let stated = try graph.host(node.inputs[1]) else {
      throw NodeFailure.unsupported("parts computed at run time")
    }
    let numbers = try stated.integers().map { Int(clamping: $0) }
    guard stated.sizes.isEmpty, let each = numbers.first else {
      guard numbers.allSatisfy({ (0...size).contains($0) }),
        numbers.reduce(0, { $0.addingSaturated($1) }) == size
      else { throw NodeFailure.invalid("parts \(numbers) of a size of \(size)") }
      try graph.take(numbers.count)
      return numbers
    }
    guard each > 0 else { throw NodeFailure.invalid("parts of \(each)") }
    try graph.take(size / each)
    return stride(from: 0, to: size, by: each).map { min(each, size - $0) }
  }
}

extension ONNXGraphImport {
  /// Joins values along a new axis.
  ///
  /// - Throws: ``ImportError``, ``NodeFailure``.
  mutating func stack(
    _ node: FileNode, _ names: [String], along axis: Int, to output: String, in scope: ONNXScope
  ) throws {
    try take(names.count)
    let wide = names.map { _ in temporary(node, "row") }
    let nodes = zip(names, wide).map {
      FileNode("Unsqueeze", inputs: [$0], outputs: [$1], attributes: ["axes": .ints([axis])])
    }
    try add(
      nodes + [
        FileNode("Concat", inputs: wide, outputs: [output], attributes: ["axis": .int(axis)])
      ], in: scope)
  }
}
