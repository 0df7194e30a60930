import Forge

/// Nodes of a graph whose sequences have any length up to a maximum.
///
/// Arithmetic on sizes is done with polynomials of the length. A result that is not a polynomial,
/// and an operator that is not known to follow the length, is refused.
enum ONNXLengths {
  /// Imports a node that depends on the length; returns whether it did.
  ///
  /// - Throws: ``NodeFailure`` for what does not follow the length.
  static func run(_ call: inout ONNXCall) throws -> Bool {
    guard call.maximumLength != nil else { return false }
    switch ONNXOperators.find(call.node)?.length {
    case .followed?: return false
    case .importedBy(let operation)?:
      try operation(&call)
      return call.outputs.contains { $0 != nil }
    case nil, .refused?: throw NodeFailure.unsupported("a sequence whose length varies")
    }
  }

  /// Checks that what a node made follows the length.
  ///
  /// - Throws: ``NodeFailure`` where it does not.
  static func check(_ call: ONNXCall) throws {
    guard call.maximumLength != nil else { return }
    for case .network(let tensor)? in call.outputs { _ = try tensor.lengthSizes() }
  }

  /// Numbers made of the sizes of the input.
  typealias Measure =
    @Sendable (_ sizes: [LengthSize], _ call: ONNXCall, _ maximum: Int) throws -> LengthTensor

  /// Measures a tensor of the network; leaves the node to folding if no size follows the length.
  static func measured(_ measure: @escaping Measure) -> ONNXOperator.Import {
    { call in
      guard case .network(let tensor) = try call.value(0), let maximum = tensor.maximumLength else {
        return
      }
      call.set(try measure(try tensor.lengthSizes(), call, maximum).value)
    }
  }

  /// The number of elements.
  static func count(
    _ sizes: [LengthSize], _: ONNXCall, _ maximum: Int
  ) throws -> LengthTensor {
    guard let product = LengthSize.product(of: sizes) else { throw overflow }
    return LengthTensor(type: .int64, sizes: [], numbers: [product], maximum: maximum)
  }

  /// The sizes from `start` to `end`.
  static func shape(
    _ sizes: [LengthSize], _ call: ONNXCall, _ maximum: Int
  ) throws -> LengthTensor {
    func bound(_ index: Int) -> Int {
      min(max(index < 0 ? index.addingSaturated(sizes.count) : index, 0), sizes.count)
    }
    let (start, end) = (
      bound(call.node.int("start", 0)), bound(call.node.int("end", sizes.count))
    )
    let part = start < end ? Array(sizes[start..<end]) : []
    return LengthTensor(type: .int64, sizes: [part.count], numbers: part, maximum: maximum)
  }

  static var overflow: NodeFailure { .unsupported("numbers too large for a length") }

  // MARK: Sizes

  static func reshape(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let old = try input.lengthSizes()
    guard
      var target = try call.lengthNumbers(1, "the shape")
        ?? call.node.ints("shape")?.map({ LengthSize($0) })
    else { throw NodeFailure.invalid("no shape") }
    if call.node.int("allowzero") == 0 {
      for (axis, size) in target.enumerated() where size.constant == 0 {
        guard axis < old.count else { throw NodeFailure.invalid("size 0 at axis \(axis)") }
        target[axis] = old[axis]
      }
    }
    let open = target.indices.filter { target[$0].constant == -1 }
    guard target.count <= Shape.maximumRank, open.count <= 1,
      let count = LengthSize.product(of: old),
      let known = LengthSize.product(of: target.filter { $0.constant != -1 })
    else { throw NodeFailure.invalid("the shape \(target)") }
    if let open = open.first {
      guard let rest = count.dividedExactly(by: known) else {
        throw NodeFailure.unsupported(
          "\(count) values as \(LengthSize.text(target)), for every length")
      }
      target[open] = rest
    } else if known != count {
      throw NodeFailure.unsupported(
        "\(count) values as \(LengthSize.text(target)), for every length")
    }
    call.set(try input.reshaped(to: target))
  }

  static func expand(_ call: inout ONNXCall) throws {
    guard let maximum = call.maximumLength, let wanted = try call.lengthNumbers(1, "the shape")
    else { throw NodeFailure.invalid("no shape") }
    let input = try call.followed(0, maximum: maximum)
    let inputSizes = try input.lengthSizes()
    let rank = max(inputSizes.count, wanted.count)
    let from = Array(repeating: LengthSize(1), count: rank - inputSizes.count) + inputSizes
    let to = Array(repeating: LengthSize(1), count: rank - wanted.count) + wanted
    guard rank <= Shape.maximumRank else { throw NodeFailure.invalid("\(rank) axes") }
    let sizes = try (0..<rank).map { axis -> LengthSize in
      let (old, new) = (from[axis], to[axis])
      if new.constant == 1 || new == old { return old }
      guard old.constant == 1, new.sign(upTo: maximum) == 1 else {
        throw NodeFailure.unsupported(
          "\(LengthSize.text(inputSizes)) repeated to \(LengthSize.text(wanted)), for every length")
      }
      return new
    }
    call.set(try expanded(input, to: sizes, maximum: maximum))
  }

  /// Repeats axes of size 1.
  private static func expanded(
    _ input: FileTensor, to sizes: [LengthSize], maximum: Int
  ) throws -> FileTensor {
    let longest = try sizes.map { size -> Int in
      guard let number = size[maximum] else { throw overflow }
      return number
    }
    guard Shape.product(of: longest) != nil else { throw overflow }
    let layout = FileTensor.fileLayout(longest)
    let missing = longest.count - input.rank
    let padded = Array(repeating: 1, count: missing) + input.sizes
    let tensor = input.relabelled(sizes: padded, axes: input.sizes.indices.map { $0 + missing })
      .tensor(as: layout)
    let layer = LengthExpand(
      to: sizes.isEmpty ? [LengthSize(1)] : sizes, maximumLength: maximum)
    return FileTensor(
      tensor.chained(to: layer), sizes: longest, layout: layout, type: input.type)
  }

  static func constantOfShape(_ call: inout ONNXCall) throws {
    guard let maximum = call.maximumLength, let sizes = try call.lengthNumbers(0, "the shape")
    else { throw NodeFailure.invalid("no shape") }
    guard sizes.allSatisfy({ $0.sign(upTo: maximum) == 1 }), sizes.count <= Shape.maximumRank
    else { throw NodeFailure.unsupported("a constant of \(LengthSize.text(sizes))") }
    let value =
      try call.node.tensor("value").map { try $0.host() }
      ?? HostTensor(floats: [0], sizes: [1])
    guard value.count == 1 else {
      throw NodeFailure.invalid("a value of \(value.count) numbers")
    }
    let single = try ONNXCall.lengthConstant(value.reshaped([]), maximum: maximum)
    call.set(try expanded(single, to: sizes, maximum: maximum))
  }

  static func range(_ call: inout ONNXCall) throws {
    guard let maximum = call.maximumLength,
      let start = try call.lengthNumbers(0, "the start")?.first,
      let end = try call.lengthNumbers(1, "the end")?.first,
      let step = try call.lengthNumbers(2, "the step")?.first
    else { throw NodeFailure.invalid("a range without bounds") }
    guard let first = start.constant, let distance = step.constant, distance != 0,
      let difference = end.adding(LengthSize(-first)),
      let count = difference.dividedExactly(by: step), count.sign(upTo: maximum) == 1,
      let longest = count[maximum], longest <= 1 << 22, count.coefficients.count == 2,
      count.coefficients[1] > 0
    else {
      throw NodeFailure.unsupported("a range from \(start) to \(end) in steps of \(step)")
    }
    let values = (0..<longest).map {
      Int64(clamping: first.addingSaturated($0.multipliedSaturated(by: distance)))
    }
    guard values.allSatisfy({ abs($0) <= 1 << 24 }) else { throw overflow }
    let all = try ONNXCall.lengthConstant(
      HostTensor(integers: values, sizes: [longest], type: try call.value(0).type),
      maximum: maximum)
    call.set(try cut(all, [Cut(axis: 0, start: LengthSize(0), end: count)], maximum))
  }

  // MARK: Parts

  /// Places along an axis of the file.
  struct Cut {
    let axis: Int
    let start, end: LengthSize
    var step = 1

    /// Checks, for every length, that clamping to the axis leaves the first position and the number
    /// of positions polynomials.
    ///
    /// - Throws: ``NodeFailure`` where it does not.
    func check(_ size: LengthSize, _ maximum: Int) throws {
      guard size.constant == nil || start.constant == nil || end.constant == nil else { return }
      let first = LengthSize(through: Self.samples(maximum) { try? positions(size, $0).first })
      let count = LengthSize(through: Self.samples(maximum) { try? positions(size, $0).count })
      guard let first, let count else { throw notFollowed }
      for length in 1...maximum {
        guard try positions(size, length) == (first[length] ?? -1, count[length] ?? -1) else {
          throw notFollowed
        }
      }
    }

    private static func samples(
      _ maximum: Int, _ value: (Int) -> Int?
    ) -> [(length: Int, value: Int)] {
      [maximum, maximum - 1, maximum - 2, 1].map { ($0, value($0) ?? -1) }
    }

    private var notFollowed: NodeFailure {
      .unsupported("indices from \(start) to \(end), which do not follow the length evenly")
    }

    /// The first position and the number of positions for a length.
    private func positions(_ size: LengthSize, _ length: Int) throws -> (first: Int, count: Int) {
      guard let size = size[length], let start = start[length], let end = end[length] else {
        throw ONNXLengths.overflow
      }
      let range = step > 0 ? 0...size : -1...(size - 1)
      func clamped(_ position: Int) -> Int {
        min(
          max(position < 0 ? position.addingSaturated(size) : position, range.lowerBound),
          range.upperBound)
      }
      let (first, last) = (clamped(start), clamped(end))
      let distance = step > 0 ? last - first : first - last
      return (first, distance <= 0 ? 0 : (distance - 1) / abs(step) + 1)
    }
  }

  /// Cuts positions out of axes.
  static func cut(
    _ input: FileTensor, _ cuts: [Cut], _ maximum: Int
  ) throws -> FileTensor {
    let sizes = try input.lengthSizes()
    for cut in cuts { try cut.check(sizes[cut.axis], maximum) }
    let layout = ONNXOperators.fullLayout(input, axes: cuts.map(\.axis))
    let layer = LengthSlice(
      starts: cuts.map(\.start), ends: cuts.map(\.end),
      axes: cuts.map { cut in layout.firstIndex(of: cut.axis) ?? 0 }, steps: cuts.map(\.step),
      maximumLength: maximum)
    let result = input.tensor(as: layout).chained(to: layer)
    if case .failed(let error) = result.outcome { throw NodeFailure.invalid(error.headline) }
    return FileTensor(result, layout: layout, rank: input.rank, type: input.type)
  }

  static func slice(_ call: inout ONNXCall) throws {
    guard let maximum = call.maximumLength else { return }
    func numbers(_ attribute: String, _ index: Int) throws -> [LengthSize]? {
      try call.node.ints(attribute)?.map { LengthSize($0) }
        ?? call.lengthNumbers(index, attribute)
    }
    guard let starts = try numbers("starts", 1), let ends = try numbers("ends", 2),
      starts.count == ends.count
    else { throw NodeFailure.invalid("starts and ends do not fit") }
    let axes = try numbers("axes", 3)?.map { $0.constant ?? .max } ?? Array(starts.indices)
    let steps = try call.knownInts(4, "steps") ?? Array(repeating: 1, count: starts.count)
    guard axes.count == starts.count, steps.count == starts.count, !steps.contains(0),
      !steps.contains(.min)
    else { throw NodeFailure.invalid("axes or steps do not fit") }
    let input = try call.followed(0, maximum: maximum)
    let sizes = try input.lengthSizes()
    var cuts: [Cut] = []
    for index in starts.indices {
      let axis = try ONNXCall.axis(axes[index], rank: input.rank)
      let (start, end, step) = (starts[index], ends[index], steps[index])
      // All of an axis, for every length.
      if step == 1, start.constant == 0, try covers(end, sizes[axis], maximum) { continue }
      cuts.append(
        Cut(
          axis: axis, start: bounded(start), end: bounded(end), step: step))
    }
    guard !cuts.isEmpty else {
      call.set(input)
      return
    }
    call.set(try cut(input, cuts, maximum))
  }

  /// Whether a position is at or after the end of an axis, for every length.
  private static func covers(
    _ end: LengthSize, _ size: LengthSize, _ maximum: Int
  ) throws -> Bool {
    if let constant = end.constant, constant > 1 << 40 { return true }
    guard end.sign(upTo: maximum) == 1, let negative = size.multiplied(by: LengthSize(-1)),
      let difference = end.adding(negative)
    else { return false }
    return difference == LengthSize(0) || difference.sign(upTo: maximum) == 1
  }

  /// A position far beyond an axis, brought near enough for arithmetic.
  private static func bounded(_ position: LengthSize) -> LengthSize {
    position.constant.map { LengthSize(min(max($0, -(1 << 40)), 1 << 40)) } ?? position
  }

  static func gather(_ call: inout ONNXCall) throws {
    let indices = call.host(1)
    guard case .network(let input) = try call.value(0), let maximum = input.maximumLength,
      let indices, case let sizes = try input.lengthSizes(),
      case let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.rank),
      sizes[axis].constant == nil
    else {
      guard try call.value(0).maximumLength == nil || indices != nil else {
        return try gatherAll(&call)
      }
      if case .length = try call.value(1) {
        throw NodeFailure.unsupported("an index that depends on the length of a sequence")
      }
      return try ONNXOperators.gather(&call)
    }
    guard indices.count == 1, let position = try indices.integers().first else {
      throw NodeFailure.unsupported("several indices into a sequence whose length varies")
    }
    let index = Int(clamping: position)
    // Sizes grow with the length.
    let shortest = sizes[axis][1] ?? 0
    guard index < shortest, index >= -shortest else {
      throw NodeFailure.unsupported("index \(index) of a sequence that may be shorter")
    }
    let end = LengthSize(index == -1 ? 1 << 40 : index + 1)
    let part = try cut(
      input, [Cut(axis: axis, start: LengthSize(index), end: end)], maximum)
    let new =
      sizes[..<axis] + indices.sizes.map { LengthSize($0) } + sizes[(axis + 1)...]
    call.set(try part.reshaped(to: Array(new)))
  }

  /// Gathers every position of a sequence in order, which only gives its axis other sizes.
  private static func gatherAll(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.rank)
    let sizes = try input.lengthSizes()
    guard let positions = call.family(1), positions.countsUp,
      LengthSize.product(of: positions.sizes) == sizes[axis]
    else { return try ONNXOperators.gather(&call) }
    call.set(try input.reshaped(to: Array(sizes[..<axis] + positions.sizes + sizes[(axis + 1)...])))
  }

  /// Gathers every position along the leading axes in order, as masks of attention are read, or
  /// some.
  static func gatherND(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let sizes = try input.lengthSizes()
    guard let positions = call.family(1), call.node.int("batch_dims") == 0,
      let depth = positions.sizes.last?.constant, (1...max(input.rank, 1)).contains(depth),
      try positions.countsUp(along: Array(sizes[..<depth])),
      LengthSize.product(of: Array(positions.sizes.dropLast()))
        == LengthSize.product(of: Array(sizes[..<depth]))
    else { return try ONNXOperators.gatherND(&call) }
    call.set(try input.reshaped(to: Array(positions.sizes.dropLast() + sizes[depth...])))
  }

  static func split(_ call: inout ONNXCall) throws {
    let input = try call.value(0)
    let axis = try ONNXCall.axis(call.node.int("axis"), rank: input.sizes.count)
    guard try input.lengthSizes()[axis].constant != nil else {
      throw NodeFailure.unsupported("parts of a sequence whose length varies")
    }
    try ONNXOperators.split(&call)
  }
}
