import Forge

/// Images put together from the blocks that a window has cut out.
extension ONNXOperators {
  /// The operators of columns of blocks.
  static let columns: [ONNXOperator] = [
    ONNXOperator(
      "Col2Im", import: joinBlocks, fold: .none, bounds: nil, length: .refused, sizes: .none,
      examples: .apart(ONNXOpenRules.firstAxis))
  ]

  /// One axis of the image: where the elements of blocks are added.
  private struct BlockAxis {
    let size, block, dilation, before, stride, count: Int

    /// The block whose element of a place in it falls on a pixel; `nil` if none does.
    func block(of element: Int, at pixel: Int) -> Int? {
      let start = pixel + before - element * dilation
      guard start >= 0, start.isMultiple(of: stride), start / stride < count else { return nil }
      return start / stride
    }
  }

  /// Each pixel is the sum of the elements of all blocks that cover it.
  private static func joinBlocks(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    let axes = try blockAxes(call)
    let (elements, blocks) = (axes.map(\.block), axes.map(\.count))
    guard input.rank == 3, let block = Shape.product(of: elements),
      let count = Shape.product(of: blocks), input.sizes[2] == count,
      input.sizes[1].isMultiple(of: block)
    else { throw NodeFailure.invalid("blocks of sizes \(input.sizes)") }
    let sizes = axes.map(\.size)
    guard let pixels = Shape.product(of: sizes) else {
      throw NodeFailure.invalid("an image of \(sizes)")
    }
    try ONNXCall.checkConstant([block, pixels])
    try ImportBudget.take(block * pixels, width: MemoryLayout<Int>.size)
    let places = places(axes, none: block * count)
    let (examples, channels) = (input.sizes[0], input.sizes[1] / block)
    let rows = try call.apply(
      Reshape(to: [examples, channels, block * count]), to: input.tensor(as: [0, 1, 2]))
    // What no block covers is 0.
    let padded = try call.apply(Pad(before: [0, 0, 0], after: [0, 0, 1]), to: rows)
    let gathered = try call.apply(Gather(indices: places, axis: 2), to: padded)
    let parts = try call.apply(
      Reshape(to: [examples, channels, block, pixels]), to: gathered)
    let sum = try call.apply(Reduce(.sum, axes: [2]), to: parts)
    let result = try call.apply(Reshape(to: [examples, channels] + sizes), to: sum)
    call.set(
      FileTensor(
        result, layout: Array(0..<(sizes.count + 2)), rank: sizes.count + 2, type: input.type))
  }

  /// For each element of a block and each pixel the place of the element that falls on it.
  private static func places(_ axes: [BlockAxis], none: Int) -> [Int] {
    let strides = (
      Shape.strides(of: axes.map(\.block)), Shape.strides(of: axes.map(\.count)),
      Shape.strides(of: axes.map(\.size))
    )
    let block = axes.reduce(1) { $0 * $1.block }
    let (count, pixels) = (axes.reduce(1) { $0 * $1.count }, axes.reduce(1) { $0 * $1.size })
    return (0..<block).flatMap { element in
      (0..<pixels).map { pixel in
        var place = element * count
        for (index, axis) in axes.enumerated() {
          let blockIndex = element / strides.0[index] % axis.block
          guard
            let block = axis.block(of: blockIndex, at: pixel / strides.2[index] % axis.size)
          else { return none }
          place += block * strides.1[index]
        }
        return place
      }
    }
  }

  private static func blockAxes(_ call: ONNXCall) throws -> [BlockAxis] {
    guard let sizes = try call.knownInts(1, "the image's shape"),
      let blocks = try call.knownInts(2, "the block's shape"), sizes.count == blocks.count,
      !sizes.isEmpty, sizes.count <= Shape.maximumRank - 2
    else { throw NodeFailure.invalid("the shapes of image and block") }
    let ones = Array(repeating: 1, count: sizes.count)
    let strides = call.node.ints("strides") ?? ones
    let dilations = call.node.ints("dilations") ?? ones
    let pads = call.node.ints("pads") ?? (ones + ones).map { _ in 0 }
    guard strides.count == sizes.count, dilations.count == sizes.count,
      pads.count == 2 * sizes.count
    else { throw NodeFailure.invalid("strides, dilations or pads of \(sizes.count) axes") }
    let all = sizes + blocks + strides + dilations
    guard all.allSatisfy({ (1...(1 << 24)).contains($0) }),
      pads.allSatisfy({ (0...(1 << 24)).contains($0) })
    else { throw NodeFailure.invalid("sizes, strides, dilations or pads") }
    return try sizes.indices.map { axis in
      let (before, after) = (pads[axis], pads[axis + sizes.count])
      let room = sizes[axis] + before + after - dilations[axis] * (blocks[axis] - 1) - 1
      guard room >= 0 else { throw NodeFailure.invalid("a block larger than the image") }
      return BlockAxis(
        size: sizes[axis], block: blocks[axis], dilation: dilations[axis], before: before,
        stride: strides[axis], count: room / strides[axis] + 1)
    }
  }
}
