import Forge
import ForgeMessages

/// Layers that move, repeat or leave out elements.
enum CoreMLMovements {
  // MARK: Reshape

  /// Checks that sizes hold as many values as a tensor.
  static func checked(_ sizes: [Int], for input: FileTensor) throws -> [Int] {
    guard sizes.allSatisfy({ $0 >= 1 }), sizes.count <= Shape.maximumRank,
      Shape.product(of: sizes) == input.count
    else { throw NodeFailure.invalid("the sizes \(sizes) for \(input.sizes)") }
    return sizes
  }

  /// The tensor with height, width and channels in this order: [1, H, W, C] for [1, C, H, W].
  private static func channelsLast(_ input: FileTensor) -> FileTensor {
    let rank = input.rank
    return input.permuted(Array(0..<(rank - 3)) + [rank - 2, rank - 1, rank - 3])
  }

  static func flatten(_ call: inout CoreMLCall, _ mode: Int32) throws {
    let input = try call.network()
    guard input.rank >= 3 else { throw NodeFailure.unsupported("an input of rank \(input.rank)") }
    guard (0...1).contains(mode) else { throw NodeFailure.unsupported("mode \(mode)") }
    let front = Array(input.sizes.dropLast(3))
    let count = input.sizes.suffix(3).reduce(1, *)
    let source = mode == 1 ? channelsLast(input) : input
    call.set(source.reshaped(to: try checked(front + [count, 1, 1], for: input)))
  }

  /// The layer `reshape`, to [C, H, W] or [sequence, C, H, W].
  static func reshape(_ call: inout CoreMLCall, _ layer: CoreMLNumbers) throws {
    let input = try call.network()
    var sizes = layer.values.map { Int($0) }
    guard (3...4).contains(sizes.count), input.rank >= 3 else {
      throw NodeFailure.unsupported("a reshape of \(input.sizes) to \(sizes)")
    }
    // Three sizes are those of each time of a sequence.
    if !call.isExact, sizes.count == 3 { sizes = [input.sizes[0]] + sizes }
    sizes = try checked(sizes, for: input)
    switch layer.mode {
    case 0: call.set(input.reshaped(to: sizes))
    case 1:
      let rank = sizes.count
      let last = channelsLast(input)
        .reshaped(
          to: Array(sizes.dropLast(3)) + [sizes[rank - 2], sizes[rank - 1], sizes[rank - 3]])
      call.set(last.permuted(Array(0..<(rank - 3)) + [rank - 1, rank - 3, rank - 2]))
    default: throw NodeFailure.unsupported("mode \(layer.mode)")
    }
  }

  /// The layers `reshapeStatic` and `rankPreservingReshape`: −1 is inferred, and 0 is the input's.
  static func reshapeExact(_ call: inout CoreMLCall, _ values: [Int64]) throws {
    let input = try call.network()
    var sizes = values.map { Int($0) }
    for index in sizes.indices where sizes[index] == 0 && index < input.rank {
      sizes[index] = input.sizes[index]
    }
    if let open = sizes.firstIndex(of: -1) {
      sizes[open] = 1
      guard let known = Shape.product(of: sizes), known > 0 else {
        throw NodeFailure.invalid("the sizes \(values)")
      }
      sizes[open] = input.count / known
    }
    call.set(input.reshaped(to: try checked(sizes, for: input)))
  }

  static func squeeze(_ call: inout CoreMLCall, _ layer: CoreMLNumbers) throws {
    let input = try call.network()
    let axes =
      layer.mode != 0
      ? input.sizes.indices.filter { input.sizes[$0] == 1 }
      : try CoreMLCall.axes(layer.values, rank: input.rank)
    guard axes.allSatisfy({ input.sizes[$0] == 1 }) else {
      throw NodeFailure.invalid("axes \(axes) of \(input.sizes), not all of size 1")
    }
    let sizes = input.sizes.indices.filter { !axes.contains($0) }.map { input.sizes[$0] }
    // Core ML has no tensor without axes.
    call.set(input.reshaped(to: sizes.isEmpty ? [1] : sizes))
  }

  static func expandDimensions(_ call: inout CoreMLCall, _ values: [Int64]) throws {
    let input = try call.network()
    let rank = input.rank + values.count
    guard rank <= Shape.maximumRank else { throw NodeFailure.invalid("a tensor of rank \(rank)") }
    let axes = try CoreMLCall.axes(values, rank: rank)
    var rest = input.sizes[...]
    let sizes = (0..<rank).map { axes.contains($0) ? 1 : rest.removeFirst() }
    call.set(input.reshaped(to: sizes))
  }

  static func flattenTo2D(_ call: inout CoreMLCall, axis: Int64) throws {
    let input = try call.network()
    // The axis may stand behind the last one.
    let axis = axis == Int64(input.rank) ? input.rank : try CoreMLCall.axis(axis, rank: input.rank)
    call.set(
      input.reshaped(to: [
        input.sizes[..<axis].reduce(1, *), input.sizes[axis...].reduce(1, *),
      ]))
  }

  static func permute(_ call: inout CoreMLCall, _ values: [Int64]) throws {
    let input = try call.network()
    // The first versions count [sequence, C, H, W].
    let order =
      values.isEmpty
      ? Array(0..<input.rank) : try CoreMLCall.axes(values, rank: input.rank)
    guard order.count == input.rank else {
      throw NodeFailure.invalid("\(values.count) axes for a tensor of rank \(input.rank)")
    }
    call.set(input.permuted(order))
  }

  // MARK: Join and cut

  static func concatenate(_ call: inout CoreMLCall, axis: Int64) throws {
    let values = try call.networks()
    guard let first = values.first, values.allSatisfy({ $0.rank == first.rank }) else {
      throw NodeFailure.invalid("tensors of several ranks")
    }
    let axis = try CoreMLCall.axis(axis, rank: first.rank)
    let largest = values.max { $0.count < $1.count } ?? first
    let layout = largest.layout(with: [axis])
    // Other axes must agree, so that the layout of one tensor holds those of all.
    for value in values {
      for other in 0..<first.rank where other != axis {
        guard value.sizes[other] == first.sizes[other] else {
          throw NodeFailure.invalid("\(value.sizes) next to \(first.sizes) along axis \(axis)")
        }
      }
    }
    let position = layout.firstIndex(of: axis) ?? 0
    let result = try call.apply(
      Concatenate(axis: position, name: call.name), to: values.map { $0.tensor(as: layout) })
    call.set(FileTensor(result, layout: layout, rank: first.rank))
  }

  static func stack(_ call: inout CoreMLCall, axis: Int64) throws {
    let values = try call.networks()
    guard let first = values.first, values.allSatisfy({ $0.sizes == first.sizes }) else {
      throw NodeFailure.invalid("tensors of several sizes")
    }
    let rank = first.rank + 1
    let axis = try CoreMLCall.axis(axis, rank: rank)
    guard rank <= Shape.maximumRank else { throw NodeFailure.invalid("a tensor of rank \(rank)") }
    var sizes = first.sizes
    sizes.insert(1, at: axis)
    let layout = FileTensor.fileLayout(sizes)
    let parts = values.map { $0.reshaped(to: sizes).tensor(as: layout) }
    let result = try call.apply(Concatenate(axis: axis, name: call.name), to: parts)
    call.set(FileTensor(result, layout: layout, rank: rank))
  }

  /// Consecutive parts of an axis, one per output.
  static func split(_ call: inout CoreMLCall, axis: Int64, sizes: [Int]?) throws {
    let input = try call.network()
    let axis = try CoreMLCall.axis(axis, rank: input.rank)
    let size = input.sizes[axis]
    let count = call.outputs.count
    let parts = sizes ?? Array(repeating: size / max(count, 1), count: count)
    guard parts.count == count, parts.allSatisfy({ (1...size).contains($0) }),
      parts.reduce(0, { $0.addingSaturated($1) }) == size
    else { throw NodeFailure.invalid("\(count) parts \(parts) of a size of \(size)") }
    var start = 0
    for (index, part) in parts.enumerated() {
      let range = try slice(
        call, input, starts: [start], ends: [start + part], axes: [axis], steps: [1])
      call.set(range, output: index)
      start += part
    }
  }

  /// Ranges of some axes of the file.
  static func slice(
    _ call: CoreMLCall, _ input: FileTensor, starts: [Int], ends: [Int], axes: [Int], steps: [Int]
  ) throws -> FileTensor {
    let layout = input.layout(with: axes)
    let positions = axes.map { axis in layout.firstIndex(of: axis) ?? 0 }
    let layer = Slice(starts: starts, ends: ends, axes: positions, steps: steps)
    return FileTensor(
      try call.apply(layer, to: input.tensor(as: layout)), layout: layout, rank: input.rank)
  }

  /// The layer `slice` of channels, rows or columns.
  static func sliceImage(_ call: inout CoreMLCall, _ layer: CoreMLSlice) throws {
    let input = try call.network()
    guard (0...2).contains(layer.axis), input.rank >= 3 else {
      throw NodeFailure.unsupported("axis \(layer.axis)")
    }
    let step = max(try CoreMLCall.size(layer.stride), 1)
    call.set(
      try slice(
        call, input, starts: [Int(layer.start)], ends: [Int(layer.end)],
        axes: [input.rank - 3 + Int(layer.axis)], steps: [step]))
  }

  static func sliceStatic(_ call: inout CoreMLCall, _ layer: CoreMLStaticSlice) throws {
    let input = try call.network()
    let rank = input.rank
    func list<Element>(_ values: [Element], _ absent: Element) throws -> [Element] {
      guard values.isEmpty || values.count == rank else {
        throw NodeFailure.invalid("\(values.count) numbers of a slice of rank \(rank)")
      }
      return values.isEmpty ? Array(repeating: absent, count: rank) : values
    }
    let (starts, ends) = (try list(layer.starts, 0), try list(layer.ends, .max))
    let (startMasks, endMasks) = (
      try list(layer.startMasks, false), try list(layer.endMasks, false)
    )
    let (steps, squeezed) = (try list(layer.strides, 1), try list(layer.squeezeMasks, false))
    var axes: [Int] = []
    var from: [Int] = []
    var to: [Int] = []
    for axis in 0..<rank {
      let isReversed = steps[axis] < 0
      var start = startMasks[axis] ? (isReversed ? Int.max : 0) : Int(starts[axis])
      var end = endMasks[axis] ? (isReversed ? Int.min : .max) : Int(ends[axis])
      if squeezed[axis] {
        start = startMasks[axis] ? 0 : Int(starts[axis])
        end = start == -1 ? .max : start.addingSaturated(1)
      }
      axes.append(axis)
      from.append(start)
      to.append(end)
    }
    let result = try slice(
      call, input, starts: from, ends: to, axes: axes,
      steps: zip(steps, squeezed).map { $1 ? 1 : Int($0) })
    guard squeezed.contains(true) else { return call.set(result) }
    let sizes = (0..<rank).filter { !squeezed[$0] }.map { result.sizes[$0] }
    call.set(result.reshaped(to: try checked(sizes.isEmpty ? [1] : sizes, for: result)))
  }

  // MARK: Repeat

  static func tile(_ call: inout CoreMLCall, _ values: [Int64]) throws {
    let input = try call.network()
    guard values.count == input.rank, values.allSatisfy({ $0 >= 1 }) else {
      throw NodeFailure.invalid("repeats \(values) of a tensor of rank \(input.rank)")
    }
    let layout = input.layout(with: values.indices.filter { values[$0] > 1 })
    let repeats = layout.map { axis in axis.map { Int(values[$0]) } ?? 1 }
    call.set(
      FileTensor(
        try call.apply(Tile(repeats, name: call.name), to: input.tensor(as: layout)),
        layout: layout, rank: input.rank))
  }

  /// The sequence several times, one after the other.
  static func repeatSequence(_ call: inout CoreMLCall, _ count: UInt64) throws {
    let rank = try call.network().rank
    let axis = try CoreMLCall.axis(call.sequenceAxis, rank: rank)
    var repeats: [Int64] = Array(repeating: 1, count: rank)
    // 0 stands for once.
    repeats[axis] = Int64(max(try CoreMLCall.size(count), 1))
    try tile(&call, repeats)
  }

  /// The entries of some axes from the last to the first.
  static func reverse(_ call: inout CoreMLCall, _ axes: [Bool]) throws {
    let input = try call.network()
    guard axes.count == input.rank else {
      throw NodeFailure.invalid("\(axes.count) axes to reverse of a tensor of rank \(input.rank)")
    }
    let places = input.layout.indices.filter { place in
      input.layout[place].map { axes[$0] && input.sizes[$0] > 1 } ?? false
    }
    guard !places.isEmpty else { return call.set(input) }
    let sizes = places.map { place in input.layout[place].map { input.sizes[$0] } ?? 1 }
    let result = try call.apply(
      Slice(
        starts: places.map { _ in -1 }, ends: sizes.map { -$0 - 1 }, axes: places,
        steps: places.map { _ in -1 }, name: call.name),
      to: input.tensor)
    call.set(result, like: input)
  }

  static func broadcast(_ call: inout CoreMLCall, _ values: [Int64]) throws {
    let sizes = values.map { Int($0) }
    let original = try call.network()
    guard sizes.count >= original.rank, sizes.count <= Shape.maximumRank else {
      throw NodeFailure.invalid("\(original.sizes) to \(sizes)")
    }
    let input = original.raised(to: sizes.count)
    let layout = FileTensor.fileLayout(input.sizes)
    call.set(
      FileTensor(
        try call.apply(Expand(to: sizes, name: call.name), to: input.tensor(as: layout)),
        layout: layout, rank: sizes.count))
  }
}
