import ForgeShapes

/// How a resize samples its source.
public enum ResizeMode: Hashable, Sendable, Encodable {
  /// The pixel whose area holds the center: `⌊(i + ½)·scale⌋` (Keras's nearest).
  case nearest
  /// Linear interpolation between half-pixel centers, the edge repeated (Keras's bilinear).
  case bilinear
  /// A triangle filter widened by the scale when shrinking (Pillow's BILINEAR, Keras's antialias).
  case bilinearAntialiased
}

/// The output size of a resize.
public enum ResizeTarget: Hashable, Sendable, Encodable {
  /// A size in pixels; with a `cropSlot`, the source rectangle can be set per prediction.
  case size(Size, cropSlot: String?)
  /// Whole multiples of the input's size.
  case factor(Size)
}

/// A resampled image: first along rows, then along columns.
///
/// Operand: image.
package struct ResizeOperation: PrimitiveOperation {
  let target: ResizeTarget
  let mode: ResizeMode

  package var name: String { "resize" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    switch target {
    case .size(let size, _): try RearrangementRule.resize(operands[0], to: size)
    case .factor(let factor): try RearrangementRule.upSample(operands[0], by: factor)
    }
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    guard mode == .bilinearAntialiased else { return 4 }
    // Two filters as wide as the scale.
    let output = (try? outputShape(for: operands))?.sizes ?? []
    return zip(operands[0].sizes ?? [], output).reduce(4) { work, size in
      work.multipliedSaturated(by: size.0 / max(size.1, 1) + 1)
    }
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool {
    if case .factor(let factor) = target { factor == .one } else { false }
  }

  /// Resizes the image, or the rectangle of it that `crops` holds for the target's slot.
  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let (input, sizes) = (call.input, call.output)
    let image = Size(width: input.width, height: input.height)
    var source = CropRectangle(
      x: 0, y: 0, width: Double(image.width), height: Double(image.height))
    if case .size(_, let slot?) = target, let crop = call.crops[slot] {
      guard crop.fits(width: image.width, height: image.height) else {
        throw .invalidCrop(slot, crop, image: image)
      }
      source = crop
    }
    let columns = mode.taps(sizes[1], start: source.x, length: source.width, size: image.width)
    let wide = ReferenceTensor(image: [image.height, sizes[1], sizes[2]]) { y, x in
      (0..<sizes[2]).map { c in
        columns[x].reduce(0) { $0 + $1.weight * input[y, $1.position, c] }
      }
    }
    let rows = mode.taps(sizes[0], start: source.y, length: source.height, size: image.height)
    return ReferenceTensor(image: sizes) { y, x in
      (0..<sizes[2]).map { c in rows[y].reduce(0) { $0 + $1.weight * wide[$1.position, x, c] } }
    }
  }
}

/// A pixel of the source along one axis and its weight in a pixel of the output.
struct ResizeTap: Hashable {
  /// The row or column.
  let position: Int
  /// The weight.
  let weight: Double
}

extension ResizeMode {
  /// The taps of `count` output pixels that together cover `length` pixels from `start` on.
  fileprivate func taps(_ count: Int, start: Double, length: Double, size: Int) -> [[ResizeTap]] {
    let scale = length / Double(count)
    return (0..<count).map { taps(at: $0, start: start, scale: scale, size: size) }
  }

  /// The source pixels of output pixel `index` along one axis of `size` pixels.
  ///
  /// - Parameters:
  ///   - index: the row or column of the output.
  ///   - start: where the source begins, in pixels.
  ///   - scale: the pixels of the source per pixel of the output.
  ///   - size: the pixels of the whole image; all taps are inside.
  /// - Returns: the pixels, whose weights sum to 1.
  func taps(at index: Int, start: Double, scale: Double, size: Int) -> [ResizeTap] {
    let center = start + (Double(index) + 0.5) * scale
    func inside(_ position: Double) -> Int { min(max(Int(position), 0), size - 1) }
    switch self {
    case .nearest:
      return [ResizeTap(position: inside(center.rounded(.down)), weight: 1)]
    case .bilinear:
      // Pixel `t` has its center at t + ½. The two nearest are interpolated, and the edge is
      // repeated.
      let below = (center - 0.5).rounded(.down)
      let share = center - 0.5 - below
      return [
        ResizeTap(position: inside(below), weight: 1 - share),
        ResizeTap(position: inside(below + 1), weight: share),
      ]
    case .bilinearAntialiased:
      let support = max(scale, 1)
      let first = max(0, Int((center - support + 0.5).rounded(.down)))
      let last = min(size, Int((center + support + 0.5).rounded(.down)))
      let weights = (first..<last).map { max(0, 1 - abs((Double($0) - center + 0.5) / support)) }
      let sum = weights.reduce(0, +)
      return zip(first..<last, weights).map { ResizeTap(position: $0, weight: $1 / sum) }
    }
  }
}
