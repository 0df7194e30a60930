import Forge
import ForgeOperations
import ForgeShapes

/// Images and tensors of other sizes.
extension KerasGraphWriter {
  mutating func resize(
    _ call: KerasOperation, _ target: ResizeTarget, _ mode: ResizeMode
  ) throws(ExportRefusal) {
    let x = try plain(call.inputs[0])
    let made = sizes(call.output)
    let isResult = isResult(call.output)
    let (name, antialias): (String, Bool) =
      switch mode {
      case .nearest: ("nearest", false)
      case .bilinear: ("bilinear", false)
      case .bilinearAntialiased: ("bilinear", true)
      }
    if case .factor(let factor) = target, !antialias {
      return set(
        call.output,
        to: layer(
          "UpSampling2D", x,
          [
            ("size", .integers([factor.height, factor.width])),
            ("data_format", .text("channels_last")), ("interpolation", .text(name)),
          ], sizes: made, named: isResult))
    }
    set(
      call.output,
      to: layer(
        "Resizing", x,
        [
          ("height", .integer(made[0])), ("width", .integer(made[1])),
          ("interpolation", .text(name)), ("antialias", .flag(antialias)),
          ("data_format", .text("channels_last")),
        ], sizes: made, named: isResult))
  }

  /// A resampling as products with the weights of all elements along each axis.
  mutating func resample(
    _ call: KerasOperation, _ resampling: Resampling
  ) throws(ExportRefusal) {
    let (own, made) = (sizes(call.inputs[0]), sizes(call.output))
    let axes = own.indices.filter {
      !resampling.keeps(axis: $0, input: own[$0], output: made[$0])
    }
    guard !axes.isEmpty else { return try alias(call.output, call.inputs[0]) }
    var x = try plain(call.inputs[0])
    for axis in axes {
      let (count, target) = (own[axis], made[axis])
      let order = own.indices.filter { $0 != axis } + [axis]
      let weights = KerasRecord.Weight(
        sizes: [count, target], key: "\(resampling) \(axis) \(count) \(target)"
      ) {
        var matrix = Array(repeating: Float(0), count: count * target)
        let spans = resampling.spans(axis: axis, input: count, output: target)
        for (index, span) in spans.enumerated() {
          for (tap, weight) in span.weights.enumerated() {
            matrix[(span.first + tap) * target + index] = Float(weight)
          }
        }
        return matrix
      }
      let turned = permuted(x, order)
      let product = layer(
        "Dense", turned,
        [
          ("units", .integer(target)), ("activation", .text("linear")),
          ("use_bias", .flag(false)),
        ], weights: [weights], sizes: turned.sizes.dropLast() + [target])
      let back = own.indices.map { order.firstIndex(of: $0) ?? $0 }
      x = permuted(product, back)
    }
    set(call.output, to: x)
  }
}
