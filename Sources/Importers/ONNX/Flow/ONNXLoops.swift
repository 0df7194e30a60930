import Forge

/// `Loop` and `Scan` of a known number of trips: their graph once for each.
extension ONNXExpansion {
  static let loops = [
    ONNXExpansion("Loop", loop), ONNXExpansion("Scan", scan),
    ONNXExpansion("SequenceMap", map),
  ]

  // MARK: Loop

  private static func loop(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    guard let body = node.graph("body") else { throw NodeFailure.invalid("no body") }
    let most = try graph.knownInt(node, 0, "a number of trips")
    let started = try graph.knownInt(node, 1, "a condition")
    var carried = Array(node.inputs.dropFirst(2))
    guard body.inputs.count == carried.count + 2, body.outputs.count > carried.count else {
      throw NodeFailure.invalid("\(body.inputs.count) inputs of a loop of \(carried.count) values")
    }
    let count = carried.count
    var rows = Array(repeating: [String](), count: body.outputs.count - count - 1)
    var conditions = Array(node.inputs.prefix(2))
    var (isTrue, trip) = (started ?? 1, 0)
    while isTrue != 0, trip < most ?? .max {
      try graph.take(rows.count)
      let state = [
        graph.known(HostTensor(integers: [Int64(trip)], sizes: []), node, "trip"),
        graph.known(HostTensor(integers: [1], sizes: [], type: .bool), node, "condition"),
      ]
      let refused = graph.unsupported.count
      let results = try graph.importGraph(
        body, inputs: state + carried, in: scope, prefix: graph.prefix(node, "body", in: scope))
      // Other trips would be refused for the same reasons.
      guard graph.unsupported.count == refused, let next = results.first,
        !results.contains(where: { graph.missing.contains($0) })
      else { return graph.missing.formUnion(node.outputs) }
      // Without a stated end the condition alone would say when to stop.
      guard let condition = try graph.host(next) else {
        throw NodeFailure.unsupported("a condition computed at run time")
      }
      guard condition.count == 1 else {
        throw NodeFailure.invalid("a condition of sizes \(condition.sizes)")
      }
      isTrue = Int(clamping: try condition.cast(to: .bool).integers().first ?? 0)
      conditions.append(next)
      // What the trip before has made is read.
      if trip > 0 { graph.release(carried) }
      graph.release([next])
      carried = Array(results[1..<count + 1])
      for (index, name) in results[(count + 1)...].enumerated() { rows[index].append(name) }
      trip += 1
    }
    var results = carried
    for (index, names) in rows.enumerated() {
      results.append(try stacked(&graph, node, names, at: count + index, axis: 0, scope))
      graph.release(names)
    }
    try graph.set(node, to: results, in: scope)
    if trip > 0 { graph.release(carried) }
    graph.mix(node.outputs, by: node, on: conditions)
  }

  /// Joins the results of all trips along a new axis; returns the name of what they become.
  private static func stacked(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ names: [String], at index: Int, axis: Int,
    _ scope: ONNXScope
  ) throws -> String {
    guard node.has(output: index) else { return "" }
    guard !names.isEmpty else { throw NodeFailure.unsupported("the rows of a loop without trips") }
    let result = graph.temporary(node, "rows")
    try graph.stack(node, names, along: axis, to: result, in: scope)
    return result
  }

  // MARK: Scan

  private static func scan(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    guard (scope.opsets[""] ?? 1) >= 9 else { throw NodeFailure.unsupported("operator set 8") }
    guard let body = node.graph("body") else { throw NodeFailure.invalid("no body") }
    let scanned = node.int("num_scan_inputs")
    guard (1...max(node.inputs.count, 1)).contains(scanned), scanned <= node.inputs.count,
      body.inputs.count == node.inputs.count
    else { throw NodeFailure.invalid("\(scanned) inputs that are scanned") }
    let count = node.inputs.count - scanned
    let sources = Array(node.inputs[count...])
    guard body.outputs.count >= count else { throw NodeFailure.invalid("too few results") }
    var carried = Array(node.inputs[..<count])
    var (axes, trips) = ([Int](), [Int]())
    for (index, name) in sources.enumerated() {
      guard let value = graph.values[name] else {
        throw graph.families[name] == nil ? graph.notMade(name) : FileValue.followsLength
      }
      let stated = node.ints("scan_input_axes") ?? []
      let axis = try ONNXCall.axis(
        stated.indices.contains(index) ? stated[index] : 0, rank: value.sizes.count)
      guard try value.lengthSizes()[axis].constant != nil else { throw FileValue.followsLength }
      axes.append(axis)
      trips.append(value.sizes[axis])
    }
    guard Set(trips).count == 1, let most = trips.first else {
      throw NodeFailure.invalid("axes of \(trips) entries")
    }
    var rows = Array(repeating: [String](), count: body.outputs.count - count)
    let (forward, backward) = (
      node.ints("scan_input_directions") ?? [], node.ints("scan_output_directions") ?? []
    )
    for trip in 0..<most {
      try graph.take(scanned + rows.count)
      var entries: [String] = []
      for (index, name) in sources.enumerated() {
        let isBackward = forward.indices.contains(index) && forward[index] == 1
        let place = graph.known(
          HostTensor(integers: [Int64(isBackward ? most - 1 - trip : trip)], sizes: []), node,
          "place")
        let entry = graph.temporary(node, "entry")
        try graph.add(
          [
            FileNode(
              "Gather", inputs: [name, place], outputs: [entry],
              attributes: ["axis": .int(axes[index])])
          ], in: scope)
        entries.append(entry)
      }
      let refused = graph.unsupported.count
      let results = try graph.importGraph(
        body, inputs: carried + entries, in: scope,
        prefix: graph.prefix(node, "body", in: scope))
      guard graph.unsupported.count == refused,
        !results.contains(where: { graph.missing.contains($0) })
      else { return graph.missing.formUnion(node.outputs) }
      if trip > 0 { graph.release(carried) }
      carried = Array(results[..<count])
      for (index, name) in results[count...].enumerated() { rows[index].append(name) }
    }
    var results = carried
    let stated = node.ints("scan_output_axes") ?? []
    for (index, names) in rows.enumerated() {
      let isBackward = backward.indices.contains(index) && backward[index] == 1
      results.append(
        try stacked(
          &graph, node, isBackward ? names.reversed() : names, at: count + index,
          axis: stated.indices.contains(index) ? stated[index] : 0, scope))
      graph.release(names)
    }
    try graph.set(node, to: results, in: scope)
    if most > 0 { graph.release(carried) }
    // As many trips as examples would be another network for each number of them.
    for (name, axis) in zip(sources, axes) {
      if case .along(let place)? = graph.batch.states[name], place.axis != axis { continue }
      graph.mix(node.outputs, by: node, on: [name])
    }
  }

  // MARK: SequenceMap

  /// The graph once for each value of a sequence.
  private static func map(
    _ graph: inout ONNXGraphImport, _ node: FileNode, _ scope: ONNXScope
  ) throws {
    guard let body = node.graph("body"), let first = node.inputs.first else {
      throw NodeFailure.invalid("no body")
    }
    guard let list = graph.lists[first] else { throw graph.notMade(first) }
    guard body.inputs.count == node.inputs.count else {
      throw NodeFailure.invalid("\(body.inputs.count) inputs of a body")
    }
    var results = Array(repeating: [String](), count: body.outputs.count)
    for index in list.indices {
      try graph.take(node.inputs.count)
      let inputs = try node.inputs.map { name -> String in
        guard let other = graph.lists[name] else { return name }
        guard other.indices.contains(index) else {
          throw NodeFailure.invalid("sequences of \(list.count) and \(other.count) values")
        }
        return other[index]
      }
      let made = try graph.importGraph(
        body, inputs: inputs, in: scope, prefix: graph.prefix(node, "body", in: scope))
      guard !made.contains(where: { graph.missing.contains($0) }) else {
        return graph.missing.formUnion(node.outputs)
      }
      for (output, name) in made.enumerated() { results[output].append(name) }
    }
    for (output, names) in results.enumerated() {
      graph.define(node, output, list: names, from: node.inputs.filter { graph.lists[$0] != nil })
    }
  }
}
