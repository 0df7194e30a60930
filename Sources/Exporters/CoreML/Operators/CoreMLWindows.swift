import Forge
import ForgeOperations
import ForgeShapes

/// Poolings.
extension CoreMLGraphWriter {
  /// A moving window over one or two axes, rows and columns.
  private struct Window {
    var kernel: [Int]
    var strides: [Int]
    var dilations: [Int]
    var before: [Int]
    var after: [Int]
  }

  mutating func pooling(
    _ call: CoreMLOperation, _ kind: PoolingKind, _ geometry: ConvolutionGeometry
  ) throws(ExportRefusal) {
    let pads = pads(geometry, from: call.inputs[0], to: call.output)
    let window = Window(
      kernel: [geometry.kernel.height, geometry.kernel.width],
      strides: [geometry.stride.height, geometry.stride.width],
      dilations: [geometry.dilation.height, geometry.dilation.width],
      before: Array(pads[..<2]), after: Array(pads[2...]))
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let made = Array(sizes(call.output)[..<2])
    // A mean of all taps divides by their number, even beyond the stated padding.
    let result = try pooled(
      x, kind, window, made: made, padded: window.after, named: name(for: call.output))
    set(call.output, .channelsFirst, result)
  }

  /// The maximum or mean of a window over an image [1][channels][height][width].
  ///
  /// - Parameters:
  ///   - x: the image.
  ///   - kind: the function.
  ///   - window: the window, whose padding at the end may be larger than stated.
  ///   - made: the rows and columns of the result.
  ///   - padded: the stated padding at the end, which counts for the mean of all taps.
  ///   - named: the name of the result.
  /// - Returns: the name.
  /// - Throws: ``ExportRefusal`` for a padding as large as the window.
  private mutating func pooled(
    _ x: String, _ kind: PoolingKind, _ window: Window, made: [Int], padded: [Int],
    named: String?
  ) throws(ExportRefusal) -> String {
    for axis in 0..<2 where max(window.before[axis], window.after[axis]) >= window.kernel[axis] {
      guard window.before[axis] > 0 || window.after[axis] > 0 else { continue }
      throw ExportRefusal(
        what: "a pooling whose padding is as large as its kernel",
        remedy: "put a padding layer before it")
    }
    guard window.dilations.allSatisfy({ $0 == 1 }) || kind == .maximum else {
      throw ExportRefusal(what: "a mean of a window with dilation")
    }
    let from = sizes(of: x)
    let target = [1, from[1]] + made
    guard window.dilations.allSatisfy({ $0 == 1 }) else {
      return try spread(x, window, made: made, named: named)
    }
    // Taps after the stated padding do not count.
    let isMean = kind == .averageAll
    let hasMore = isMean && window.after != padded
    let result = try add(.pooling, [x], sizes: target, named: hasMore ? nil : named) {
      $0.integer(1, kind == .maximum ? 0 : 1)
      $0.integers(10, window.kernel)
      $0.integers(20, window.strides)
      $0.message(30) { $0.message(1) { $0.borders(window.before + window.after) } }
      $0.flag(50, kind == .averageInside)
    }
    guard hasMore else { return result }
    let counts = (0..<2).map { axis in
      (0..<made[axis]).map { index in
        let start = index * window.strides[axis] - window.before[axis]
        return min(start + window.kernel[axis], from[axis + 2] + padded[axis]) - start
      }
    }
    let area = Float(window.kernel[0] * window.kernel[1])
    let factors = counts[0].flatMap { row in counts[1].map { area / Float(row * $0) } }
    let map = try numbers(factors, sizes: [1, 1] + made, named: "areas")
    return try combined(.multiply, result, map, named: named)
  }

  /// The maximum of a window whose taps are apart: of slices of the padded image, along one axis
  /// after the other.
  private mutating func spread(
    _ x: String, _ window: Window, made: [Int], named: String?
  ) throws(ExportRefusal) -> String {
    var result = x
    if window.before != [0, 0] || window.after != [0, 0] {
      var padded = sizes(of: x)
      for axis in 0..<2 { padded[axis + 2] += window.before[axis] + window.after[axis] }
      result = try add(.padding, [x], sizes: padded) {
        $0.message(1) { $0.float(1, -.infinity) }
        $0.message(10) { $0.borders(window.before + window.after) }
      }
    }
    for axis in 0..<2 {
      let source = result
      for tap in 0..<window.kernel[axis] {
        let part = try sliced(
          source, axis: axis + 2, from: tap * window.dilations[axis], count: made[axis],
          step: window.strides[axis])
        result = tap == 0 ? part : try combined(.maximum, result, part)
      }
    }
    return result
  }

  mutating func globalPooling(
    _ call: CoreMLOperation, _ kind: PoolingKind
  ) throws(ExportRefusal) {
    let x = try name(of: call.inputs[0], in: .channelsFirst)
    let target = [1, sizes(of: x)[1], 1, 1]
    let result = try add(.pooling, [x], sizes: target, named: name(for: call.output)) {
      $0.integer(1, kind == .maximum ? 0 : 1)
      $0.message(30) { $0.message(1) { $0.borders([0, 0, 0, 0]) } }
      $0.flag(50, kind == .averageInside)
      $0.flag(60, true)
    }
    set(call.output, .channelsFirst, result)
  }

  // MARK: Any number of axes

  mutating func poolingND(
    _ call: CoreMLOperation, _ window: PoolingWindow
  ) throws(ExportRefusal) {
    var x = try name(of: call.inputs[0], in: .plain)
    let (from, made) = (sizes(call.inputs[0]), sizes(call.output))
    let kind: PoolingKind
    switch window.kind {
    case .maximum: kind = .maximum
    case .averageInside: kind = .averageInside
    case .averageAll, .lp: kind = .averageAll
    case .maximumPlace: throw ExportRefusal(what: "the positions of the largest values of a window")
    }
    if case .lp(let p) = window.kind {
      x = try combined(.power, try magnitude(x), try number(Float(p)))
    }
    // One axis after the other: the largest, the sum and the number of values of a window are
    // those of its rows.
    for axis in window.kernel.indices {
      x = try pooled(x, axis: axis, window, kind, from: from[axis], made: made[axis])
    }
    if case .lp(let p) = window.kind {
      x = try combined(.power, x, try number(1 / Float(p)), named: name(for: call.output))
    }
    set(call.output, .plain, x)
  }

  /// A window along one axis, of a tensor in plain form.
  private mutating func pooled(
    _ x: String, axis: Int, _ window: PoolingWindow, _ kind: PoolingKind, from: Int, made: Int
  ) throws(ExportRefusal) -> String {
    let extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1
    let end = (made - 1) * window.strides[axis] + extent - from - window.before[axis]
    let single = Window(
      kernel: [window.kernel[axis], 1], strides: [window.strides[axis], 1],
      dilations: [window.dilations[axis], 1], before: [window.before[axis], 0],
      after: [max(window.after[axis], end), 0])
    guard single.kernel[0] > 1 || single.strides[0] > 1 || single.before[0] + single.after[0] > 0
    else { return x }
    // [before][axis][behind] become [1][before][axis][behind].
    let current = sizes(of: x)
    let (front, back) = (current[..<axis].reduce(1, *), current[(axis + 1)...].reduce(1, *))
    let image = try reshaped(x, to: [1, front, from, back])
    var result = try pooled(
      image, kind, single, made: [made, back], padded: [window.after[axis], 0], named: nil)
    if case .lp = window.kind {
      // Sums, not means: of as many taps as count.
      let counts = (0..<made).map { index -> Float in
        let start = index * window.strides[axis] - window.before[axis]
        return Float(min(start + extent, from + window.after[axis]) - start)
      }
      let map = try numbers(counts, sizes: [1, 1, made, 1], named: "counts_\(axis)")
      result = try combined(.multiply, result, map)
    }
    var target = current
    target[axis] = made
    return try reshaped(result, to: target)
  }
}
