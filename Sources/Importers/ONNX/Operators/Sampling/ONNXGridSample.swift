import Forge

/// Images and volumes read at places that another tensor states, and the grids of such places.
extension ONNXOperators {
  /// The operators of sampling at computed places.
  static let samplings: [ONNXOperator] = [
    ONNXOperator(
      "GridSample", import: gridSample, fold: .none, bounds: nil, length: .refused, sizes: .none,
      examples: .apart(ONNXOpenRules.firstAxes())),
    ONNXOperator(
      "AffineGrid", import: affineGrid, fold: .none, bounds: nil, length: .refused, sizes: .none,
      examples: .mixed),
  ]

  /// `y(n, c, q) = Σ w(t) · x(n, c, p(t))` over the taps around each place of the grid.
  private static func gridSample(_ call: inout ONNXCall) throws {
    let (image, grid) = (try call.network(0), try call.network(1))
    let rank = image.rank
    guard (4...5).contains(rank), grid.rank == rank, grid.sizes[rank - 1] == rank - 2,
      grid.sizes[0] == image.sizes[0]
    else { throw NodeFailure.invalid("an image \(image.sizes) and a grid \(grid.sizes)") }
    let (inner, outer) = (Array(image.sizes[2...]), Array(grid.sizes[1..<(rank - 1)]))
    let (examples, channels) = (image.sizes[0], image.sizes[1])
    let (pixels, points) = (inner.reduce(1, *), outer.reduce(1, *))
    try ONNXCall.checkConstant([examples, points])
    let sampling = try ONNXGridSampling(call, dimensions: inner.count)
    let spatial = Array(2..<rank)
    var table = try ONNXCall.applied(
      Reshape(to: [examples * pixels, channels]), to: [image.tensor(as: [0] + spatial + [1])])
    if sampling.padding == .zeros {
      // The row that stands for all places outside of the image.
      table = try ONNXCall.applied(Pad(before: [0, 0], after: [1, 0]), to: [table])
    }
    let places = try ONNXCall.applied(
      Reshape(to: [examples * points, inner.count]), to: [grid.tensor(as: Array(0..<rank))])
    let first = (0..<examples).flatMap { example in
      Array(repeating: Float(example * pixels), count: points)
    }
    let taps = try sampling.taps(
      at: places, of: inner, first: examples > 1 ? first : nil, outside: examples * pixels)
    let samples = try taps.sum(of: table)
    let result = try ONNXCall.applied(Reshape(to: [examples] + outer + [channels]), to: [samples])
    call.set(
      FileTensor(
        result, sizes: [examples, channels] + outer, layout: [0] + spatial + [1],
        type: image.type))
  }

  /// `y(n, q, ·) = θ(n) · (x(q), y(q), [z(q),] 1)` for all pixels q, from −1 to 1 along each axis.
  private static func affineGrid(_ call: inout ONNXCall) throws {
    let theta = try call.network(0)
    guard let stated = try call.knownInts(1, "the size"), (4...5).contains(stated.count),
      stated.allSatisfy({ $0 > 0 }),
      theta.sizes == [stated[0], stated.count - 2, stated.count - 1]
    else { throw NodeFailure.invalid("matrices of sizes \(theta.sizes)") }
    let outer = Array(stated[2...])
    let depth = outer.count
    try ONNXCall.checkConstant(outer + [depth + 1])
    let isAligned = call.node.int("align_corners") != 0
    guard !isAligned || outer.allSatisfy({ $0 > 1 }) else {
      // NumPy, PyTorch and ONNX Runtime have three different numbers there.
      throw NodeFailure.unsupported("align_corners and an axis of 1")
    }
    let strides = Shape.strides(of: outer)
    let points = outer.reduce(1, *)
    try ImportBudget.take(points * (depth + 1), width: MemoryLayout<Float>.size)
    let numbers = (0..<points).flatMap { point -> [Float] in
      // The last axis is the first coordinate.
      let places = (0..<depth).reversed().map { axis -> Float in
        let place = Double(point / strides[axis] % outer[axis])
        let size = Double(outer[axis])
        let coordinate = isAligned ? 2 * place / (size - 1) : (2 * place + 1) / size
        return Float(coordinate - 1)
      }
      return places + [1]
    }
    let base = HostTensor(floats: numbers, sizes: [1, points, depth + 1])
    let product = try call.apply(
      MatMul(transposeB: true),
      to: try ONNXCall.constant(base, layout: [0, 1, 2]).tensor, theta.tensor(as: [0, 1, 2]))
    let sizes = [stated[0]] + outer + [depth]
    let result = try call.apply(Reshape(to: sizes), to: product)
    call.set(FileTensor(result, layout: Array(sizes.indices), rank: sizes.count, type: theta.type))
  }
}
