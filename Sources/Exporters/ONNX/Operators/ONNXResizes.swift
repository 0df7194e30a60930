import Forge
import ForgeOperations
import ForgeShapes

/// Images and tensors of other sizes.
extension ONNXGraphWriter {
  mutating func resize(
    _ call: ONNXOperation, _ target: ResizeTarget, _ mode: ResizeMode
  ) throws(ExportRefusal) {
    let made = sizes(call.output)
    var attributes: [(String, ONNXNodeRecord.Attribute)] = [
      ("coordinate_transformation_mode", .text("half_pixel")), ("axes", .ints([2, 3])),
    ]
    switch mode {
    case .nearest:
      // ⌊(i + ½)·s⌋ is (i + ½)·s − ½, rounded.
      attributes.append(("nearest_mode", .text("round_prefer_ceil")))
    case .bilinear: attributes.append(("mode", .text("linear")))
    case .bilinearAntialiased:
      attributes += [("mode", .text("linear")), ("antialias", .int(1))]
    }
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let result = add(
      "Resize", [x, "", "", integers([made[0], made[1]])], outputs: 1,
      named: name(for: call.output), attributes)[0]
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }

  mutating func resample(
    _ call: ONNXOperation, _ resampling: Resampling
  ) throws(ExportRefusal) {
    let (inputSizes, made) = (sizes(call.inputs[0]), sizes(call.output))
    let axes = inputSizes.indices.filter {
      !resampling.keeps(axis: $0, input: inputSizes[$0], output: made[$0])
    }
    guard !axes.isEmpty else { return alias(call.output, try value(call.inputs[0])) }
    guard let (mode, coordinates, antialias, excludes) = Self.filter(of: resampling) else {
      return try resampleByWeights(call, resampling, axes)
    }
    let form: ONNXValue.Form =
      inputSizes.count == 3 && !axes.contains(2) ? .channelsFirst : .plain
    var attributes: [(String, ONNXNodeRecord.Attribute)] = [
      ("axes", .ints(axes.map { place(of: $0, in: form) })),
      ("antialias", .int(antialias ? 1 : 0)), ("exclude_outside", .int(excludes ? 1 : 0)),
    ]
    switch mode {
    case .nearest(let rounding):
      let name =
        switch rounding {
        case .roundPreferFloor: "round_prefer_floor"
        case .roundPreferCeiling: "round_prefer_ceil"
        case .floor: "floor"
        case .ceiling: "ceil"
        }
      attributes += [("mode", .text("nearest")), ("nearest_mode", .text(name))]
    case .linear: attributes.append(("mode", .text("linear")))
    case .cubic(let coefficient):
      attributes += [("mode", .text("cubic")), ("cubic_coeff_a", .float(coefficient))]
    }
    attributes.append(("coordinate_transformation_mode", .text(coordinates)))
    var inputs = [try self.name(of: call.inputs[0], in: form), "", ""]
    let scales = axes.map { resampling.scales.indices.contains($0) ? resampling.scales[$0] : nil }
    let given = scales.compactMap(\.self)
    if given.count == axes.count {
      inputs[2] = numbers(given, sizes: [axes.count], named: "scales")
    } else if given.isEmpty {
      inputs.append(integers(axes.map { made[$0] }))
    } else {
      throw ExportRefusal(what: "a resampling with sizes for some axes and scales for others")
    }
    let result = add(
      "Resize", inputs, outputs: 1, named: self.name(for: call.output), attributes)[0]
    set(call.output, form, result, isBatched: try isBatched(call.inputs))
  }

  /// What the operator `Resize` needs to know of a resampling; `nil` if the operator has no such
  /// filter.
  private static func filter(
    of resampling: Resampling
  ) -> (mode: ResampleMode, coordinates: String, antialias: Bool, excludesOutside: Bool)? {
    guard resampling.ratios.allSatisfy({ $0 == nil }),
      case .around(let mode, let coordinates, let antialias, let excludes) = resampling.filter
    else { return nil }
    switch coordinates {
    case .halfPixel: return (mode, "half_pixel", antialias, excludes)
    case .halfPixelSymmetric: return (mode, "half_pixel_symmetric", antialias, excludes)
    case .pytorchHalfPixel: return (mode, "pytorch_half_pixel", antialias, excludes)
    case .alignCorners: return (mode, "align_corners", antialias, excludes)
    case .asymmetric: return (mode, "asymmetric", antialias, excludes)
    case .part, .tensorflowHalfPixelNearest: return nil
    }
  }

  /// A resampling as products with the weights of all elements along each axis.
  private mutating func resampleByWeights(
    _ call: ONNXOperation, _ resampling: Resampling, _ axes: [Int]
  ) throws(ExportRefusal) {
    let (inputSizes, made) = (sizes(call.inputs[0]), sizes(call.output))
    guard inputSizes.count == 3, !axes.contains(2) else {
      throw ExportRefusal(
        what: "a resampling of channels, or of a tensor other than an image, in parts")
    }
    var result = try name(of: call.inputs[0], in: .channelsFirst)
    for axis in axes {
      let spans = resampling.spans(axis: axis, input: inputSizes[axis], output: made[axis])
      var matrix = Array(repeating: Float(0), count: made[axis] * inputSizes[axis])
      for (index, span) in spans.enumerated() {
        for (tap, weight) in span.weights.enumerated() {
          // Rows are multiplied from the left, columns from the right.
          let element =
            axis == 0
            ? index * inputSizes[axis] + span.first + tap : (span.first + tap) * made[axis] + index
          matrix[element] = Float(weight)
        }
      }
      let sizes = axis == 0 ? [made[axis], inputSizes[axis]] : [inputSizes[axis], made[axis]]
      let weights = numbers(matrix, sizes: sizes, named: "weights_\(axis)")
      let named = axis == axes.last ? name(for: call.output) : nil
      result = add("MatMul", axis == 0 ? [weights, result] : [result, weights], named: named)
    }
    set(call.output, .channelsFirst, result, isBatched: try isBatched(call.inputs))
  }
}
