import ForgeShapes

/// Maxima and means of windows.
extension Primitive {
  /// The maximum or mean of each window; 0 for a window that lies wholly outside the image.
  static func pooling(
    _ input: ReferenceTensor, output: [Int], _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) -> ReferenceTensor {
    let area = geometry.kernel.width * geometry.kernel.height
    var result = ReferenceTensor(sizes: output, repeating: 0)
    for y in 0..<result.height {
      for x in 0..<result.width {
        let taps = taps(of: geometry, over: input, y: y, x: x)
        for c in 0..<result.channels {
          result[y, x, c] = pooled(taps.map { input[$0.y, $0.x, c] }, kind, area: area)
        }
      }
    }
    return result
  }

  /// The maximum or mean of each whole channel.
  static func globalPooling(_ input: ReferenceTensor, _ kind: PoolingKind) -> ReferenceTensor {
    let area = input.width * input.height
    var result = ReferenceTensor(sizes: [1, 1, input.channels], repeating: 0)
    for c in 0..<input.channels {
      let channel = (0..<area).map { input.values[$0 * input.channels + c] }
      result.values[c] = pooled(channel, kind, area: area)
    }
    return result
  }

  /// What a pooling takes of the values inside the image of a window of `area` pixels.
  private static func pooled(_ values: [Double], _ kind: PoolingKind, area: Int) -> Double {
    guard let first = values.first else { return 0 }
    switch kind {
    case .maximum: return values.dropFirst().reduce(first, BinaryOperator.maximum.value)
    case .averageInside: return values.reduce(0, +) / Double(values.count)
    case .averageAll: return values.reduce(0, +) / Double(area)
    }
  }
}
