import Forge

/// What operators do to an open size, such as the number of examples of a batch.
///
/// A rule states for each result on which axis the examples are, given where they are in the inputs
/// and that the node keeps them apart. It throws where examples would be mixed. The sizes of the
/// results are compared with what a rule states, so that a rule need not check them.
enum ONNXOpenRules {
  /// The places in the results; `nil` for one that the rule does not know.
  typealias Rule = @Sendable (_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?]

  /// One element at a time, with broadcasting.
  static func broadcast(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    node.all(try node.broadcast())
  }

  /// Other sizes for the same elements in the same order.
  static func reshaped(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] { [try node.reshaped()] }

  /// The first input has the examples on its first axis, whatever is done to one.
  static func firstAxis(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let place = try node.only()
    guard place.axis == 0 else { throw ONNXOpenNode.Mixes() }
    return node.all(place)
  }

  /// All inputs have the examples first.
  ///
  /// - Parameters:
  ///   - shared: the inputs that may have none, such as masks and tables. Keys, values and the past
  ///     belong to examples.
  ///   - mask: the input whose examples are on the first of four axes.
  /// - Returns: the rule.
  static func firstAxes(shared: Set<Int> = [], mask: Int? = nil) -> Rule {
    { node in
      guard let place = node.place(0) else { throw ONNXOpenNode.Mixes() }
      for (index, other) in node.places.enumerated() {
        guard let other else {
          guard node.call.inputs[index] == nil || shared.contains(index) else {
            throw ONNXOpenNode.Mixes()
          }
          continue
        }
        let rank = try node.rank(index)
        guard other == ONNXOpenAxis(axis: 0), index != mask || rank == 4 else {
          throw ONNXOpenNode.Mixes()
        }
      }
      return node.all(place)
    }
  }

  /// A reduction along axes, all of them unless some are stated.
  static func reduced(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let (place, rank) = (try node.only(), try node.rank(0))
    let stated = try (try node.call.ints("axes", input: 1) ?? []).map { try node.axis($0) }
    if stated.isEmpty {
      guard node.call.node.int("noop_with_empty_axes") != 0 else { throw ONNXOpenNode.Mixes() }
      return [place]
    }
    return [try without(stated, place, rank: rank, keeps: node.call.node.int("keepdims", 1) != 0)]
  }

  /// The place when axes are reduced.
  static func without(
    _ axes: [Int], _ place: ONNXOpenAxis, rank: Int, keeps: Bool
  ) throws -> ONNXOpenAxis {
    guard !axes.contains(place.axis) else { throw ONNXOpenNode.Mixes() }
    return keeps ? place : place.on(place.axis - axes.count { $0 < place.axis })
  }

  /// Rows from a stated axis on.
  static func layerNormalization(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let axis = try node.axis(node.call.node.int("axis", -1))
    return node.all(try node.apart(from: Array(axis..<(try node.rank(0)))))
  }

  /// Rows along an axis.
  static func softmax(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    // Before operator set 13 all axes from the stated one on are one.
    let (isOld, rank) = (node.call.opset < 13, try node.rank(0))
    let stated = node.call.node.int("axis", isOld ? 1 : -1)
    let axis = stated == rank ? rank : try node.axis(stated)
    let axes = isOld ? Array(axis..<rank) : [axis]
    return [try node.apart(from: axes)]
  }

  /// The second axis has the channels, whose scales belong to no example.
  static func batchNormalization(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    node.all(try node.apart(from: [1]))
  }

  /// Pools whose places are not asked for.
  static func maximumPool(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    // Places count through all examples.
    guard !node.call.node.has(output: 1) else { throw ONNXOpenNode.Mixes() }
    return try firstAxis(node)
  }

  /// Rows along an axis, the last unless one is stated.
  static func lpNormalization(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    [try node.apart(from: [try node.axis(node.call.node.int("axis", -1))])]
  }

  /// Means along axes, those of images unless some are stated.
  static func meanVarianceNormalization(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let axes = try (node.call.node.ints("axes") ?? [0, 2, 3]).map { try node.axis($0) }
    return [try node.apart(from: axes)]
  }

  /// Axes in another order.
  static func transpose(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let place = try node.only()
    let order = try ONNXReshape.order(node.call, rank: try node.rank(0))
    return [order.firstIndex(of: place.axis).map(place.on)]
  }

  /// Inputs in a row, all with the examples on one other axis.
  static func concatenate(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let inputs = node.call.inputs.indices.filter { !node.isEmpty($0) }
    let places = Set(inputs.map { node.place($0) })
    let axis = try node.axis(node.call.node.int("axis"))
    guard places.count == 1, case let place?? = places.first, place.axis != axis else {
      throw ONNXOpenNode.Mixes()
    }
    return [place]
  }

  /// Parts of an axis.
  static func split(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    node.all(try node.apart(from: [try node.axis(node.call.node.int("axis"))]))
  }

  /// Places that are all of the axis of the examples.
  static func slice(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let place = try node.only()
    var others: [[ONNXSlice.Part]] = []
    for (call, sizes) in [
      (node.call, try node.sizes(0)), (node.larger, try node.larger.value(0).sizes),
    ] {
      let parts = try ONNXSlice.parts(call, sizes: sizes)
      for part in parts where part.axis == place.axis {
        guard part.start == 0, part.count == sizes[part.axis], part.step == 1 else {
          throw ONNXOpenNode.Mixes()
        }
      }
      others.append(parts.filter { $0.axis != place.axis })
    }
    guard others[0] == others[1] else { throw ONNXOpenNode.Mixes() }
    // A single element looks the same forwards and backwards.
    let axes = try node.call.ints("axes", input: 3)
    let steps = try node.call.knownInts(4, "steps") ?? []
    for (index, step) in steps.enumerated() where step < 0 {
      let axis = axes.map { $0.indices.contains(index) ? $0[index] : 0 } ?? index
      guard try node.axis(axis) != place.axis else { throw ONNXOpenNode.Mixes() }
    }
    return [place]
  }

  /// Borders along other axes.
  static func pad(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let place = try node.only()
    guard let amounts = try node.larger.ints("pads", input: 1),
      try node.call.ints("pads", input: 1) == amounts
    else { throw ONNXOpenNode.Mixes() }
    let axes = try (try node.call.knownInts(3, "axes") ?? Array(0..<(try node.rank(0)))).map {
      try node.axis($0)
    }
    for (index, axis) in axes.enumerated() where axis == place.axis {
      guard amounts[index] == 0, amounts[index + axes.count] == 0 else {
        throw ONNXOpenNode.Mixes()
      }
    }
    return [place]
  }

  /// Axes of size 1 that are repeated, or equal examples.
  static func expand(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let rank = node.call.outputs[0]?.sizes.count ?? 0
    if let place = node.place(0) { return [place.on(place.axis + rank - (try node.rank(0)))] }
    return [try node.repeated()]
  }

  /// Repetitions, of all examples as a whole too.
  static func tile(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    guard let place = node.place(0) else { return [try node.repeated()] }
    guard let count = try node.call.knownInts(1, "the repeats")?[place.axis],
      try node.larger.knownInts(1, "the repeats")?[place.axis] == count
    else { throw ONNXOpenNode.Mixes() }
    return [ONNXOpenAxis(axis: place.axis, outer: place.outer * count, inner: place.inner)]
  }

  /// Places along an axis.
  static func gather(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let axis = try node.axis(node.call.node.int("axis"))
    let indices = try node.rank(1)
    switch (node.place(0), node.place(1)) {
    case (let data?, nil):
      guard data.axis != axis else { throw ONNXOpenNode.Mixes() }
      return [data.axis < axis ? data : data.on(data.axis + indices - 1)]
    case (nil, let places?): return [places.on(axis + places.axis)]
    default: throw ONNXOpenNode.Mixes()
    }
  }

  /// A place for each element.
  static func gatherElements(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let axis = try node.axis(node.call.node.int("axis"))
    guard let places = node.place(1) else { throw ONNXOpenNode.Mixes() }
    if let data = node.place(0) {
      guard data == places, data.axis != axis else { throw ONNXOpenNode.Mixes() }
    } else {
      guard places.axis == axis else { throw ONNXOpenNode.Mixes() }
    }
    return [places]
  }

  /// Places along several axes.
  static func gatherND(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let batch = node.call.node.int("batch_dims")
    let depth = try node.sizes(1).last ?? 0
    let outer = try node.rank(1) - 1
    switch (node.place(0), node.place(1)) {
    case (let data?, nil):
      guard data.axis >= batch + depth else { throw ONNXOpenNode.Mixes() }
      return [data.on(outer + data.axis - batch - depth)]
    case (nil, let places?):
      guard places.axis >= batch, places.axis < outer else { throw ONNXOpenNode.Mixes() }
      return [places]
    case (let data?, let places?):
      guard data == places, data.axis < batch else { throw ONNXOpenNode.Mixes() }
      return [data]
    default: throw ONNXOpenNode.Mixes()
    }
  }

  /// A new axis with the places that indices name.
  static func oneHot(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let place = try node.only()
    let axis = try node.axis(node.call.node.int("axis", -1), rank: try node.rank(0) + 1)
    return [place.axis < axis ? place : place.on(place.axis + 1)]
  }

  /// Stated places along an axis.
  static func compress(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    guard node.call.node.has("axis") else { throw ONNXOpenNode.Mixes() }
    return [try node.apart(from: [try node.axis(node.call.node.int("axis"))])]
  }

  /// The middle of stated axes.
  static func centerCropPad(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let axes = try (node.call.node.ints("axes") ?? Array(0..<(try node.rank(0)))).map {
      try node.axis($0)
    }
    return [try node.apart(from: axes)]
  }

  /// Triangles of the last two axes.
  static func triangle(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let rank = try node.rank(0)
    return [try node.apart(from: [rank - 2, rank - 1])]
  }

  /// Sums along a known axis.
  static func cumulativeSum(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    guard let axis = try node.call.knownInts(1, "the axis")?.first else {
      throw ONNXOpenNode.Mixes()
    }
    return [try node.apart(from: [try node.axis(axis)])]
  }

  /// The largest elements along an axis, the last unless one is stated.
  static func largest(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    node.all(try node.apart(from: [try node.axis(node.call.node.int("axis", -1))]))
  }
  /// Sequences, whose examples are on the second axis unless `layout` puts them first.
  static func sequences(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let isFirst = node.call.node.int("layout") == 1
    let axis = isFirst ? 0 : 1
    guard node.place(0) == ONNXOpenAxis(axis: axis) else { throw ONNXOpenNode.Mixes() }
    for index in node.call.inputs.indices.dropFirst() where node.call.has(index) {
      let expected: ONNXOpenAxis? =
        switch index {
        case 4: ONNXOpenAxis(axis: 0)
        case 5, 6: ONNXOpenAxis(axis: axis)
        default: nil
        }
      guard node.place(index) == expected else { throw ONNXOpenNode.Mixes() }
    }
    return node.call.node.outputs.indices.map {
      ONNXOpenAxis(axis: isFirst ? 0 : $0 == 0 ? 2 : 1)
    }
  }

  /// The places of elements along an axis.
  static func place(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let axis = try node.axis(node.call.node.int("axis"))
    return [
      try without(
        [axis], try node.only(), rank: try node.rank(0),
        keeps: node.call.node.int("keepdims", 1) != 0)
    ]
  }

  /// Scales of the whole tensor or of the entries of an axis.
  static func quantized(_ node: ONNXOpenNode) throws -> [ONNXOpenAxis?] {
    let isPerAxis = try node.sizes(1).reduce(1, *) > 1
    return [try node.apart(from: isPerAxis ? [try node.axis(node.call.node.int("axis", 1))] : [])]
  }

  /// Other sizes of other axes; one input has the scales.
  static func resized(scales: @escaping @Sendable (_ opset: Int) -> Int) -> Rule {
    { node in
      let place = try node.only()
      let call = node.call.node
      let axes = try (call.ints("axes") ?? Array(0..<(try node.rank(0)))).map { try node.axis($0) }
      guard let index = axes.firstIndex(of: place.axis) else { return [place] }
      let stated =
        try call.floats("scales")
        ?? node.call.knownFloats(scales(node.call.opset), "the scales") ?? []
      let scale = stated.indices.contains(index) ? stated[index] : 1
      guard scale == 1, call.string("keep_aspect_ratio_policy", "stretch") == "stretch",
        call.string("coordinate_transformation_mode") != "tf_crop_and_resize"
      else { throw ONNXOpenNode.Mixes() }
      return [place]
    }
  }
}

extension ONNXOpenNode {
  /// Whether an input has no elements.
  func isEmpty(_ index: Int) -> Bool { call.inputs[index]?.sizes.contains(0) == true }

  /// The place in a result that repeats the same elements for every example.
  func repeated() throws -> ONNXOpenAxis {
    let (to, more) = (call.outputs[0]?.sizes ?? [], larger.outputs[0]?.sizes ?? [])
    guard to.count == more.count else { throw Mixes() }
    let changed = to.indices.filter { to[$0] != more[$0] }
    guard changed.count == 1, let axis = changed.first, to[axis].isMultiple(of: base) else {
      throw Mixes()
    }
    return ONNXOpenAxis(axis: axis, inner: to[axis] / base)
  }
}
