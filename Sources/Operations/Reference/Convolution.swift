import ForgeShapes

/// Convolutions and dense layers: sums of products.
extension Primitive {
  /// `y(i, j, o) = b(o) + Σ w(o, v, u, c) · x(i·sᵧ + v·dᵧ − top, j·sₓ + u·dₓ − left, c)`.
  ///
  /// `c` runs over the input channels of the group of `o`; pixels outside the image count as 0.
  static func convolution(
    _ inputs: [ReferenceTensor], output: [Int], _ geometry: ConvolutionGeometry, groups: Int
  ) throws(ReferenceError) -> ReferenceTensor {
    let input = inputs[0]
    let weights = inputs[1]
    let outputs = output[2]
    do {
      try ArgumentRule.positive(groups, "groups")
      try GroupRule.divides(groups, input: input.channels, output: outputs)
    } catch { throw .shape(error) }
    let groupInputs = input.channels / groups
    let groupOutputs = outputs / groups
    let kernel = geometry.kernel
    try check(weights, "weights", sizes: outputs, kernel.height, kernel.width, groupInputs)

    let biases = try biases(inputs, count: outputs)
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<result.height {
      for x in 0..<result.width {
        let taps = taps(of: geometry, over: input, y: y, x: x)
        for o in 0..<outputs {
          var sum = biases[o]
          for tap in taps {
            // The channels of a group lie side by side in both.
            let weight = ((o * kernel.height + tap.v) * kernel.width + tap.u) * groupInputs
            let pixel = input.offset(y: tap.y, x: tap.x) + o / groupOutputs * groupInputs
            for c in 0..<groupInputs {
              sum += weights.values[weight + c] * input.values[pixel + c]
            }
          }
          result[y, x, o] = sum
        }
      }
    }
    return result
  }

  /// `y(i, j, o) = b(o) + Σ w(c, m, v, u) · x(i·sᵧ + v·dᵧ − top, j·sₓ + u·dₓ − left, c)`.
  ///
  /// Output channel `o` is `c·multiplier + m`.
  static func depthwiseConvolution(
    _ inputs: [ReferenceTensor], output: [Int], _ geometry: ConvolutionGeometry, multiplier: Int
  ) throws(ReferenceError) -> ReferenceTensor {
    let input = inputs[0]
    let weights = inputs[1]
    let kernel = geometry.kernel
    try check(weights, "weights", sizes: output[2], kernel.height, kernel.width)

    let biases = try biases(inputs, count: output[2])
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<result.height {
      for x in 0..<result.width {
        let taps = taps(of: geometry, over: input, y: y, x: x)
        for o in 0..<result.channels {
          var sum = biases[o]
          for tap in taps {
            let weight = (o * kernel.height + tap.v) * kernel.width + tap.u
            sum += weights.values[weight] * input[tap.y, tap.x, o / multiplier]
          }
          result[y, x, o] = sum
        }
      }
    }
    return result
  }

  /// `y(o) = b(o) + Σ w(o, e) · x(e)`, where `e` runs over all elements in memory order.
  static func dense(
    _ inputs: [ReferenceTensor], output: [Int]
  ) throws(ReferenceError) -> ReferenceTensor {
    let input = inputs[0]
    let weights = inputs[1]
    try check(weights, "weights", sizes: output[2], input.count)

    let biases = try biases(inputs, count: output[2])
    let values = biases.indices.map { o in
      var sum = biases[o]
      for e in 0..<input.count { sum += weights.values[o * input.count + e] * input.values[e] }
      return sum
    }
    return ReferenceTensor(unchecked: output, values)
  }

  /// The biases, which are the third operand, or zeros where there is none.
  private static func biases(
    _ inputs: [ReferenceTensor], count: Int
  ) throws(ReferenceError) -> [Double] {
    guard inputs.count > 2 else { return Array(repeating: 0, count: count) }
    try check(inputs[2], "biases", sizes: count)
    return inputs[2].values
  }
}

/// One pixel of a window that lies inside the image.
struct WindowTap {
  /// The row and column in the kernel.
  let v: Int, u: Int
  /// The row and column in the image.
  let y: Int, x: Int
}

extension Primitive {
  /// The taps of the window of output pixel (`y`, `x`) that lie inside the image.
  static func taps(
    of geometry: ConvolutionGeometry, over input: ReferenceTensor, y: Int, x: Int
  ) -> [WindowTap] {
    let border = geometry.edges(width: input.width, height: input.height)
    var taps: [WindowTap] = []
    for v in 0..<geometry.kernel.height {
      for u in 0..<geometry.kernel.width {
        let row = y * geometry.stride.height + v * geometry.dilation.height - border.top
        let column = x * geometry.stride.width + u * geometry.dilation.width - border.left
        if (0..<input.height).contains(row), (0..<input.width).contains(column) {
          taps.append(WindowTap(v: v, u: u, y: row, x: column))
        }
      }
    }
    return taps
  }
}
