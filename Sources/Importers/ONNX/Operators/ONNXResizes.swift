import Forge

extension ONNXOperators {
  /// Resampling along any axes.
  static let resizes: [ONNXOperator] = [
    ONNXOperator(
      "Resize", import: resize, fold: .none, bounds: nil, length: .importedBy(ONNXLengths.resize),
      sizes: .none,
      examples: .apart(
        ONNXOpenRules.resized { $0 < 11 ? 1 : 2 }, arguments: [1, 2, 3], target: 3)),
    ONNXOperator(
      "Upsample", import: upsample, fold: .none, bounds: nil,
      length: .importedBy(ONNXLengths.resize),
      sizes: .none, examples: .apart(ONNXOpenRules.resized { _ in 1 }, arguments: [1])),
  ]

  /// Resizes by scales, as files before operator set 10 state them.
  private static func upsample(_ call: inout ONNXCall) throws {
    let input = try call.network(0)
    let stated = try call.node.floats("scales") ?? call.knownFloats(1, "the scales")
    guard let scales = stated, scales.count == input.rank else {
      throw NodeFailure.invalid("scales of a tensor of rank \(input.rank)")
    }
    let mode: ResampleMode
    switch call.node.string("mode", "nearest") {
    case "nearest": mode = .nearest(.floor)
    case "linear", "bilinear": mode = .linear
    case let other: throw NodeFailure.unsupported("mode \"\(other)\"")
    }
    try resample(
      &call, input, try Target(input.sizes, scales: scales), mode, .asymmetric)
  }

  /// The sizes of a resize per axis of the file, and the scales of its coordinates.
  private struct Target {
    var sizes: [Int]
    /// The scales, where the file states them.
    var scales: [Float]?
    /// The ratio of each axis, where it is not that of the sizes.
    var ratios: [SizeRatio?] = []

    init(_ input: [Int], scales: [Float]) throws {
      self.scales = scales
      sizes = try zip(input, scales).map { size, scale in
        let product = (Float(size) * scale).rounded(.down)
        guard product >= 1, product < 0x1p30 else {
          throw NodeFailure.invalid("a size of \(size) times \(scale)")
        }
        return Int(product)
      }
    }

    init(sizes: [Int], ratios: [SizeRatio?] = []) throws {
      guard sizes.allSatisfy({ (1...(1 << 30)).contains($0) }) else {
        throw NodeFailure.invalid("sizes \(sizes)")
      }
      self.sizes = sizes
      self.ratios = ratios
    }

    /// The ratio of an axis, where it is not that of the sizes.
    func ratio(_ axis: Int) -> SizeRatio? { ratios.indices.contains(axis) ? ratios[axis] : nil }

    /// The factor of an axis if it is a whole number.
    func factor(_ axis: Int, of input: Int) -> Int? {
      let factor = sizes[axis] / input
      guard input * factor == sizes[axis], scales.map({ $0[axis] == Float(factor) }) ?? true,
        ratio(axis).map({ $0.output == $0.input * factor }) ?? true
      else { return nil }
      return factor
    }
  }

  private static func resize(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let input = try call.network(0)
    let axes = try (call.node.ints("axes") ?? Array(0..<input.rank)).map {
      try ONNXCall.axis($0, rank: input.rank)
    }
    // Operator set 10 has the scales where later ones have the region of interest.
    let isOld = call.opset < 11
    let scales = try call.knownFloats(isOld ? 1 : 2, "the scales").flatMap { $0.isEmpty ? nil : $0 }
    let sizes = try isOld ? nil : call.knownInts(3, "the sizes").flatMap { $0.isEmpty ? nil : $0 }
    let target: Target
    if let scales, scales.count == axes.count {
      var all = Array(repeating: Float(1), count: input.rank)
      for (axis, scale) in zip(axes, scales) { all[axis] = scale }
      target = try Target(input.sizes, scales: all)
    } else if let sizes, sizes.count == axes.count {
      target = try fitted(call, input.sizes, axes, sizes)
    } else {
      throw NodeFailure.invalid("neither scales nor sizes of \(axes.count) axes")
    }
    let mode: ResampleMode
    switch call.node.string("mode", "nearest") {
    case "nearest":
      switch call.node.string("nearest_mode", isOld ? "floor" : "round_prefer_floor") {
      case "round_prefer_floor": mode = .nearest(.roundPreferFloor)
      case "round_prefer_ceil": mode = .nearest(.roundPreferCeiling)
      case "floor": mode = .nearest(.floor)
      case "ceil": mode = .nearest(.ceiling)
      case let other: throw NodeFailure.unsupported("nearest_mode \"\(other)\"")
      }
    case "linear": mode = .linear
    case "cubic": mode = .cubic(coefficient: call.node.float("cubic_coeff_a", -0.75))
    case let other: throw NodeFailure.unsupported("mode \"\(other)\"")
    }
    let stated = call.node.string(
      "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel")
    let coordinates: ResampleCoordinates
    switch stated {
    case "tf_crop_and_resize":
      return try resampleParts(&call, input, target, mode, axes)
    case "half_pixel": coordinates = .halfPixel
    case "half_pixel_symmetric": coordinates = .halfPixelSymmetric
    case "pytorch_half_pixel": coordinates = .pytorchHalfPixel
    case "align_corners": coordinates = .alignCorners
    case "asymmetric": coordinates = .asymmetric
    case "tf_half_pixel_for_nn": coordinates = .tensorflowHalfPixelNearest
    default: throw NodeFailure.unsupported("coordinate_transformation_mode \"\(stated)\"")
    }
    try resample(&call, input, target, mode, coordinates)
  }

  /// Resamples the part of each axis that the region of interest states; places outside the input
  /// have the extrapolation value.
  private static func resampleParts(
    _ call: inout ONNXCall, _ input: FileTensor, _ target: Target, _ mode: ResampleMode,
    _ axes: [Int]
  ) throws {
    guard let region = try call.knownFloats(1, "the region"), region.count == 2 * axes.count else {
      throw NodeFailure.invalid("no region of \(axes.count) axes")
    }
    var result = input
    for size in target.sizes { try ImportBudget.take(size, width: 1) }
    var outside: [[Bool]] = input.sizes.indices.map {
      Array(repeating: false, count: target.sizes[$0])
    }
    for (index, axis) in axes.enumerated() {
      let (from, to) = (region[index], region[index + axes.count])
      let (size, count) = (input.sizes[axis], target.sizes[axis])
      guard count != size || (from, to) != (0, 1) else { continue }
      let layout = fullLayout(result, axes: [axis])
      let layer = Resample(
        sizes: layout.map { $0 == axis ? count : nil }, mode: mode,
        coordinates: .part(from: from, to: to),
        excludesOutside: call.node.int("exclude_outside") != 0)
      let resampled = try call.apply(layer, to: result.tensor(as: layout))
      var sizes = result.sizes
      sizes[axis] = count
      result = FileTensor(resampled, sizes: sizes, layout: layout, type: input.type)
      outside[axis] = (0..<count).map { place in
        let last = Float(size - 1)
        let part =
          count > 1
          ? from + (to - from) * Float(place) / Float(count - 1) : (from + to) / 2
        return part * last < 0 || part * last > last
      }
    }
    if outside.contains(where: { $0.contains(true) }) {
      // The largest mask is that of one example; it broadcasts over the others.
      var mask = HostTensor(floats: [0], sizes: input.sizes.map { _ in 1 })
      for axis in axes where outside[axis].contains(true) {
        var sizes = input.sizes.map { _ in 1 }
        sizes[axis] = target.sizes[axis]
        let axisMask = HostTensor(floats: outside[axis].map { $0 ? 1 : 0 }, sizes: sizes)
        mask =
          try mask.combined(axisMask, integers: { _, _ in nil }, floats: { max($0, $1) }) ?? mask
      }
      let value = HostTensor(
        floats: [call.node.float("extrapolation_value")], sizes: mask.sizes.map { _ in 1 })
      let common = try commonLayout([.host(mask), .host(value), .network(result)])
      let tensors = try [FileValue.host(mask), .host(value), .network(result)].map {
        try operand($0, common)
      }
      let chosen = try call.apply(Where(), to: tensors)
      result = FileTensor(
        chosen, sizes: common.sizes, layout: common.layout, type: input.type)
    }
    call.set(result)
  }

  /// The sizes of a resize, which may keep the proportions: then all axes have one scale.
  private static func fitted(
    _ call: ONNXCall, _ input: [Int], _ axes: [Int], _ sizes: [Int]
  ) throws -> Target {
    var all = input
    for (axis, size) in zip(axes, sizes) { all[axis] = size }
    let policy = call.node.string("keep_aspect_ratio_policy", "stretch")
    guard policy != "stretch" else { return try Target(sizes: all) }
    let stated = try Target(sizes: all)
    let ratios = axes.map { SizeRatio(stated.sizes[$0], to: input[$0]) }
    let ratio: SizeRatio?
    switch policy {
    case "not_larger": ratio = ratios.min { $0.isBelow($1) }
    case "not_smaller": ratio = ratios.max { $0.isBelow($1) }
    default: throw NodeFailure.unsupported("keep_aspect_ratio_policy \"\(policy)\"")
    }
    guard let ratio else { return stated }
    for axis in axes { all[axis] = ratio.rounded(times: input[axis]) }
    return try Target(
      sizes: all, ratios: input.indices.map { axes.contains($0) ? ratio : nil })
  }

  private static func resample(
    _ call: inout ONNXCall, _ input: FileTensor, _ target: Target, _ mode: ResampleMode,
    _ coordinates: ResampleCoordinates
  ) throws {
    let changed = input.sizes.indices.filter {
      target.sizes[$0] != input.sizes[$0] || target.factor($0, of: input.sizes[$0]) != 1
    }
    guard !changed.isEmpty else {
      call.set(input)
      return
    }
    let antialias = call.node.int("antialias") != 0
    let layout = fullLayout(input, axes: changed)
    if layout == [2, 3, 1], changed.allSatisfy({ $0 >= 2 }), !antialias,
      let image = try plainImage(call, input, target, mode, coordinates)
    {
      call.set(FileTensor(image, layout: layout, rank: input.rank, type: input.type))
      return
    }
    func ofChanged<Value>(_ value: (Int) -> Value?) -> [Value?] {
      layout.map { axis in axis.flatMap { changed.contains($0) ? value($0) : nil } }
    }
    var layer = Resample(
      sizes: ofChanged { target.sizes[$0] },
      scales: target.scales.map { scales in ofChanged { scales[$0] } } ?? [],
      mode: mode, coordinates: coordinates, antialias: antialias,
      excludesOutside: call.node.int("exclude_outside") != 0, name: call.layerName)
    layer.ratios = ofChanged { target.ratio($0) }
    let result = try call.apply(layer, to: input.tensor(as: layout))
    call.set(FileTensor(result, layout: layout, rank: input.rank, type: input.type))
  }

  /// The usual enlargements of images, for which the back end has kernels of its own.
  private static func plainImage(
    _ call: ONNXCall, _ input: FileTensor, _ target: Target, _ mode: ResampleMode,
    _ coordinates: ResampleCoordinates
  ) throws -> Tensor? {
    let factors = [2, 3].map { target.factor($0, of: input.sizes[$0]) }
    let height = factors[0]
    let width = factors[1]
    switch (mode, coordinates) {
    case (.nearest(.roundPreferFloor), .halfPixel), (.nearest(.floor), .asymmetric):
      guard let width, let height, width >= 1, height >= 1 else { return nil }
      let layer = UpSampling(size: (width, height), name: call.layerName)
      return try call.apply(layer, to: input.tensor(as: [2, 3, 1]))
    case (.linear, .halfPixel):
      guard width != nil, height != nil else { return nil }
      let layer = Resize(width: target.sizes[3], height: target.sizes[2], name: call.layerName)
      return try call.apply(layer, to: input.tensor(as: [2, 3, 1]))
    default: return nil
    }
  }
}
