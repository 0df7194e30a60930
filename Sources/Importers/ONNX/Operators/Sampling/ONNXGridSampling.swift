import Forge

/// How a grid's coordinates, from −1 to 1 along each axis of an image, become pixels and weights.
struct ONNXGridSampling {
  /// The function between pixels.
  enum Mode {
    /// The nearest pixel, the even one of two.
    case nearest
    /// A product of straight lines.
    case linear
    /// A product of Keys' cubic functions with a = −0.75.
    case cubic
  }

  /// What is outside of the image.
  enum Padding {
    /// Zeros.
    case zeros
    /// The pixels of the border.
    case border
    /// The image, mirrored as often as needed.
    case reflection
  }

  /// The pixels of all places, [places, taps], and their weights; `nil` for one pixel of weight 1.
  struct Taps {
    fileprivate let rows: Tensor
    fileprivate let weights: Tensor?
    fileprivate let places: Int
    fileprivate let count: Int

    /// The weighted sums of rows of a table, tap by tap so that memory holds few of them.
    func sum(of table: Tensor) throws -> Tensor {
      var sum: Tensor?
      for tap in 0..<count {
        func column(_ tensor: Tensor) throws -> Tensor {
          try ONNXCall.applied(Slice(starts: [tap], ends: [tap + 1], axes: [1]), to: [tensor])
        }
        let chosen = try ONNXCall.applied(Reshape(to: [places]), to: [try column(rows)])
        var term = try ONNXCall.applied(GatherRows(axis: 0), to: [table, chosen])
        if let weights {
          term = try ONNXCall.applied(Multiply(), to: [term, try column(weights)])
        }
        sum = try sum.map { try ONNXCall.applied(Add(), to: [$0, term]) } ?? term
      }
      guard let sum else { throw NodeFailure.invalid("no taps") }
      return sum
    }
  }

  /// The taps along one axis, [places, taps].
  private struct AxisTaps {
    let pixels: Tensor
    let weights: Tensor?
    let isInside: Tensor?
  }

  /// The function between pixels.
  let mode: Mode
  /// What is outside of the image.
  let padding: Padding
  /// Whether −1 and 1 are the centers of the first and last pixel, not their outer edges.
  let alignsCorners: Bool

  /// Reads the attributes of a `GridSample`.
  ///
  /// - Throws: ``NodeFailure`` for what ONNX does not have.
  init(_ call: ONNXCall, dimensions: Int) throws {
    switch call.node.string("mode", call.opset < 20 ? "bilinear" : "linear") {
    case "nearest": mode = .nearest
    case "linear", "bilinear": mode = .linear
    case "cubic" where dimensions == 2, "bicubic" where dimensions == 2: mode = .cubic
    case let other: throw NodeFailure.unsupported("the mode \(other) of \(dimensions) axes")
    }
    switch call.node.string("padding_mode", "zeros") {
    case "zeros": padding = .zeros
    case "border": padding = .border
    case "reflection": padding = .reflection
    case let other: throw NodeFailure.unsupported("the padding \(other)")
    }
    alignsCorners = call.node.int("align_corners") != 0
  }

  /// The taps of all places.
  ///
  /// - Parameters:
  ///   - places: the coordinates, [places, axes], that of the last axis first.
  ///   - sizes: the sizes of the image.
  ///   - first: the first row of each place's image; `nil` if all have the first image.
  ///   - outside: the row of what is outside.
  /// - Returns: the taps.
  /// - Throws: ``NodeFailure``.
  func taps(
    at places: Tensor, of sizes: [Int], first: [Float]?, outside: Int
  ) throws -> Taps {
    let count = places.shape?.sizes?.first ?? 0
    let strides = Shape.strides(of: sizes)
    var rows = try first.map {
      try Self.constant($0, [count] + Array(repeating: 1, count: sizes.count))
    }
    var (weights, isInside): (Tensor?, Tensor?) = (nil, nil)
    var perAxis = 1
    for (axis, size) in sizes.enumerated() {
      let column = sizes.count - 1 - axis
      let coordinate = try ONNXCall.applied(
        Slice(starts: [column], ends: [column + 1], axes: [1]), to: [places])
      let taps = try taps(coordinate, size)
      perAxis = taps.pixels.shape?.sizes?.last ?? 1
      var target = [count] + Array(repeating: 1, count: sizes.count)
      target[axis + 1] = perAxis
      func spread(_ tensor: Tensor) throws -> Tensor {
        try ONNXCall.applied(Reshape(to: target), to: [tensor])
      }
      let part = try ONNXCall.applied(Scale(Float(strides[axis])), to: [try spread(taps.pixels)])
      rows = try rows.map { try ONNXCall.applied(Add(), to: [$0, part]) } ?? part
      weights = try Self.product(weights, try taps.weights.map(spread))
      isInside = try Self.product(isInside, try taps.isInside.map(spread))
    }
    guard var rows else { throw NodeFailure.invalid("an image without axes") }
    if let isInside {
      let none = try Self.constant(
        [Float(outside)], Array(repeating: 1, count: sizes.count + 1))
      rows = try ONNXCall.applied(Where(), to: [isInside, rows, none])
    }
    let all = sizes.reduce(1) { product, _ in product * perAxis }
    func flat(_ tensor: Tensor) throws -> Tensor {
      try ONNXCall.applied(Reshape(to: [count, all]), to: [tensor])
    }
    return Taps(
      rows: try flat(rows), weights: try weights.map(flat), places: count, count: all)
  }

  private static func product(_ a: Tensor?, _ b: Tensor?) throws -> Tensor? {
    guard let a, let b else { return a ?? b }
    return try ONNXCall.applied(Multiply(), to: [a, b])
  }

  private static func constant(_ values: [Float], _ sizes: [Int]) throws -> Tensor {
    try ONNXCall.constant(
      HostTensor(floats: values, sizes: sizes), layout: Array(sizes.indices)
    ).tensor
  }

  /// The taps of an axis of a size for coordinates, [places, 1].
  private func taps(_ coordinate: Tensor, _ size: Int) throws -> AxisTaps {
    var place = try position(coordinate, size)
    // A cubic function reads mirrored pixels, the others the image at a mirrored place.
    switch (mode, padding) {
    case (_, .zeros):
      // Far outside all taps are, and sums with small numbers stay exact.
      place = try clipped(place, -8, Float(size) + 7)
    case (.cubic, _): break
    case (_, .border): place = try clipped(place, 0, Float(size - 1))
    case (_, .reflection): place = try reflected(place, size)
    }
    guard mode != .nearest else {
      return try padded(try ONNXCall.applied(Unary(.round), to: [place]), size, weights: nil)
    }
    let base = try ONNXCall.applied(Unary(.floor), to: [place])
    let rest = try ONNXCall.applied(Subtract(), to: [place, base])
    let offsets: [Float] = mode == .linear ? [0, 1] : [-1, 0, 1, 2]
    let pixels = try ONNXCall.applied(
      Add(), to: [base, try Self.constant(offsets, [1, offsets.count])])
    return try padded(pixels, size, weights: try weights(rest, offsets))
  }

  /// The weights of taps at offsets from the pixel before a place.
  private func weights(_ rest: Tensor, _ offsets: [Float]) throws -> Tensor {
    if mode == .linear {
      let spread = try ONNXCall.applied(Add(), to: [rest, try Self.constant([0, 0], [1, 2])])
      return try ONNXCall.applied(Scale(by: [-1, 1], bias: [1, 0]), to: [spread])
    }
    let difference = try ONNXCall.applied(
      Subtract(), to: [rest, try Self.constant(offsets, [1, offsets.count])])
    let distance = try ONNXCall.applied(Unary(.absolute), to: [difference])
    // Keys' functions of distances up to 1, between far ones up to 2, as polynomials.
    let a: Float = -0.75
    let (near, far): ([Float], [Float]) = ([1, 0, -(a + 3), a + 2], [-4 * a, 8 * a, -5 * a, a])
    func coefficients(_ power: Int) -> [Float] { [far, near, near, far].map { $0[power] } }
    var sum = try ONNXCall.applied(
      Scale(by: coefficients(3), bias: coefficients(2)), to: [distance])
    for power in [1, 0] {
      let product = try ONNXCall.applied(Multiply(), to: [sum, distance])
      sum = try ONNXCall.applied(
        Scale(by: [1, 1, 1, 1], bias: coefficients(power)), to: [product])
    }
    return sum
  }

  /// Pixels of the image in place of those outside.
  private func padded(_ pixels: Tensor, _ size: Int, weights: Tensor?) throws -> AxisTaps {
    let last = Float(size - 1)
    switch padding {
    case .zeros:
      let isAfter = try ONNXCall.applied(Compare(.greaterOrEqual, than: [0]), to: [pixels])
      let isBefore = try ONNXCall.applied(Compare(.lessOrEqual, than: [last]), to: [pixels])
      return AxisTaps(
        pixels: try clipped(pixels, 0, last), weights: weights,
        isInside: try ONNXCall.applied(Multiply(), to: [isAfter, isBefore]))
    case .border:
      return AxisTaps(pixels: try clipped(pixels, 0, last), weights: weights, isInside: nil)
    case .reflection:
      let mirrored =
        mode == .cubic ? try reflected(pixels, size) : try clipped(pixels, 0, last)
      return AxisTaps(pixels: mirrored, weights: weights, isInside: nil)
    }
  }

  /// The place along an axis for a coordinate.
  private func position(_ coordinate: Tensor, _ size: Int) throws -> Tensor {
    let shifted = try ONNXCall.applied(Scale(1, bias: 1), to: [coordinate])
    return alignsCorners
      ? try ONNXCall.applied(Scale(Float(size - 1) / 2), to: [shifted])
      : try ONNXCall.applied(Scale(Float(size) / 2, bias: -0.5), to: [shifted])
  }

  /// Places mirrored at the centers of the outer pixels, or at their outer edges.
  private func reflected(_ places: Tensor, _ size: Int) throws -> Tensor {
    let low: Float = alignsCorners ? 0 : -0.5
    let range = alignsCorners ? Float(size - 1) : Float(size)
    guard range > 0 else { return try clipped(places, 0, 0) }
    var result = places
    for layer: any Layer in [
      Scale(1, bias: -low), Unary(.absolute), Remainder(.ofDivisor, by: [2 * range]),
      Scale(1, bias: -range), Unary(.absolute), Scale(-1, bias: low + range),
    ] {
      result = try ONNXCall.applied(layer, to: [result])
    }
    return try clipped(result, 0, Float(size - 1))
  }

  private func clipped(_ tensor: Tensor, _ low: Float, _ high: Float) throws -> Tensor {
    try ONNXCall.applied(Activation(.clipped(minimum: low, maximum: high)), to: [tensor])
  }
}
