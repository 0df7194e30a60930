import CForgeKernels

/// Weights that are not Float32, as the kernels' tests see them.
enum Reduced: String, CaseIterable, CustomStringConvertible {
  case fixed, halves, pairs, widePairs, quads

  var description: String { rawValue }

  /// Whether the kernel computes one pixel from floats.
  var isOfOnePixel: Bool { self == .fixed || self == .halves }

  /// The words of a block of an input pixel; kernels of one pixel read floats.
  var words: Int {
    switch self {
    case .fixed, .halves, .widePairs: 16
    case .pairs: 8
    case .quads: 4
    }
  }

  /// The channels of a block.
  var blockChannels: Int { self == .widePairs ? Int(FORGE_TILE_CHANNELS) : 16 }

  /// The case with panels that the kernel has.
  func fitted(_ test: ConvolutionCase) -> ConvolutionCase {
    guard self == .fixed else { return test }
    var test = test
    test.panel = Int(FORGE_FIXED_PANEL_WIDTH)
    return test
  }

  /// The kernel of a level, where there is one.
  func convolution(_ level: Level) -> forge_kernel? {
    let kernels = forge_precision_kernels(forge_level(level.rawValue))
    return switch self {
    case .fixed: kernels.fixed_convolution
    case .halves: kernels.half_convolution
    case .pairs: kernels.bfloat_convolution
    case .widePairs: kernels.bfloat_tile_convolution
    case .quads: kernels.byte_convolution
    }
  }

  /// The levels that have it.
  var levels: [Level] { Level.available.filter { convolution($0) != nil } }
}

/// bf16 of the nearest value, ties to even, from its definition.
func roundedToBFloat(_ value: Float) -> Float {
  guard value.isFinite else { return value }
  let unit = 0x1p-7 * Double(value.ulp) * 0x1p23  // of 8 bits, in the binade of the value
  return Float((Double(value) / unit).rounded(.toNearestOrEven) * unit)
}

/// Weights as packed, and what numbers they stand for.
struct ReducedWeights {
  var packed: Buffer
  var scales: Buffer
  var totals: [Int32]
  /// `[output][ky][kx][input]`.
  var values: [Float]

  /// Packs `[output][ky][kx][input]`; `powers`: whether the scales of 24-bit weights are powers of two.
  init(_ kind: Reduced, _ weights: [Float], _ test: ConvolutionCase, powers: Bool = false) {
    let test = kind.fitted(test)
    let taps = test.kernel.height * test.kernel.width
    let columns = (test.outputs + test.panel - 1) / test.panel * test.panel
    let blocks = (test.inputs + kind.blockChannels - 1) / kind.blockChannels
    let bytes = kind == .fixed ? 3 : kind == .quads ? 1 : 2
    packed = Buffer(count: columns * taps * blocks * kind.blockChannels / 4 * bytes)
    scales = Buffer([Float](repeating: 0, count: columns))
    totals = [Int32](repeating: 0, count: columns)
    let (outputs, inputs, panel) = (Int64(test.outputs), Int64(test.inputs), Int64(test.panel))
    let raw = UnsafeMutableRawPointer(packed.pointer)
    switch kind {
    case .fixed:
      _ = forge_pack_fixed(
        weights, raw, scales.pointer, outputs, Int64(taps), inputs, 1, powers ? 1 : 0, 1)
    case .halves:
      forge_pack_half(
        weights, raw.assumingMemoryBound(to: UInt16.self), scales.pointer, outputs, Int64(taps),
        inputs, panel)
    case .pairs:
      forge_pack_bfloat(
        weights, raw.assumingMemoryBound(to: UInt32.self), outputs, Int64(taps), inputs, panel)
    case .widePairs:
      forge_pack_wide_bfloat(
        weights, raw.assumingMemoryBound(to: UInt32.self), outputs, Int64(taps), inputs, panel, 2)
    case .quads:
      forge_pack_byte(
        weights, raw.assumingMemoryBound(to: UInt32.self), scales.pointer, &totals, outputs,
        Int64(taps), inputs, panel)
    }
    values = []
    for row in 0..<test.outputs {
      let own = weights[row * taps * test.inputs..<(row + 1) * taps * test.inputs]
      let largest = own.map(abs).max() ?? 0
      switch kind {
      case .fixed:
        let rows = taps * blocks * 16
        for i in 0..<own.count {
          let channel = i / test.inputs * blocks * 16 + i % test.inputs
          let word = fixedWord(
            panel: row / test.panel, channel: channel, output: row % test.panel, rows: rows)
          values.append(word * scales.pointer[row])
        }
      case .pairs, .widePairs: values += own.map(roundedToBFloat)
      case .halves:
        let scale =
          largest > 0 ? Float(sign: .plus, exponent: Int(largest.exponent), significand: 1) : 1
        values += own.map { Float(Float16($0 / scale)) * scale }
      case .quads:
        let scale = Double(largest) / 127
        values += own.map { Float((Double($0) / scale).rounded(.toNearestOrEven) * scale) }
      }
    }
  }
}

extension ReducedWeights {
  /// The word of a weight of 24 bits, from its definition; `rows` are the input channels of all taps.
  private func fixedWord(panel: Int, channel: Int, output: Int, rows: Int) -> Float {
    let group = (panel * rows + channel) * 48
    let words = (0..<3).map { word in
      Int32(bitPattern: packed.pointer[group + 16 * word + output % 16].bitPattern)
    }
    let vector = output / 16
    guard vector == 3 else { return Float(words[vector]) }
    let bytes = words.map { UInt32(bitPattern: $0) & 255 }
    return Float(Int32(bitPattern: bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8))
  }
}

/// How an image is brought to bytes, by the definition.
struct ByteScale {
  var scale = 0.0
  var zero = 0.0

  init(_ values: [Float]) {
    let least = Double(min(values.min() ?? 0, 0))
    let most = Double(max(values.max() ?? 0, 0))
    scale = (most - least) / 255
    zero = scale > 0 ? (-least / scale).rounded() : 0
  }

  /// The number that the byte of `value` stands for.
  func rounded(_ value: Float) -> Float {
    guard scale > 0 else { return 0 }
    let q = (Double(value) / scale).rounded(.toNearestOrEven) + zero
    return Float((min(max(q, 0), 255) - zero) * scale)
  }
}

/// A convolution of lower precision on one level: the steps that make words, and the one that reads them.
struct PreparedReduced {
  var out: Blocked
  /// Those before the last, in order.
  var before: [Call]
  var call: Call

  func runAll() {
    for step in before { step.runAll() }
    call.runAll()
  }
}

extension ConvolutionNumbers {
  /// The same with the numbers that words and weights stand for: what the kernel must compute.
  ///
  /// With `flat`, each pixel has its own conversion to bytes.
  func rounded(
    _ kind: Reduced, _ weights: ReducedWeights, flat: Bool = false
  ) -> ConvolutionNumbers {
    var numbers = self
    numbers.weights = weights.values
    switch kind {
    case .fixed, .halves: break
    case .pairs, .widePairs: numbers.input.values = input.values.map(roundedToBFloat)
    case .quads:
      let count = flat ? input.channels : input.values.count
      for start in stride(from: 0, to: input.values.count, by: count) {
        let values = Array(input.values[start..<start + count])
        let scale = ByteScale(values)
        numbers.input.values.replaceSubrange(start..<start + count, with: values.map(scale.rounded))
      }
    }
    return numbers
  }

  /// The convolution with canaries around all that is written; the image has a halo for kernels of one pixel only.
  ///
  /// `kernel` replaces the level's.
  func prepare(
    _ kind: Reduced, _ weights: ReducedWeights, _ test: ConvolutionCase, on level: Level,
    flat: Bool = false, inPlace: Bool = false, hasAdjacentRows: Bool = false,
    kernel: forge_kernel? = nil
  ) -> PreparedReduced {
    let test = kind.fitted(test)
    let kernels = forge_precision_kernels(forge_level(level.rawValue))
    guard let kernel = kernel ?? kind.convolution(level) else {
      preconditionFailure("\(level) has no \(kind)")
    }
    let input = Blocked(
      self.input, halo: kind.isOfOnePixel ? test.halo : Halo(), images: test.images)
    let residual = Blocked(self.residual, images: test.images)
    let out = inPlace ? residual : output(test)
    let bias = Buffer(packedBias(test))
    let totals = Buffer(weights.totals.map { Float(bitPattern: UInt32(bitPattern: $0)) })
    let border = kind.isOfOnePixel ? Halo() : test.halo
    // Rows and blocks with gaps, but where rows are read as one.
    let gap = flat || hasAdjacentRows ? 0 : 3
    let row = (border.left + test.width + border.right) * kind.words + gap
    let block = (border.top + test.height + border.bottom) * row + 5
    let blocks = (test.inputs + kind.blockChannels - 1) / kind.blockChannels
    let words = Buffer(count: 37 + blocks * block + 16)
    let rangeView = forge_view(
      base: 4, height: 0, width: 0, channels: 0, offset: 3, image_stride: 0, block_stride: 0,
      row_stride: 0)
    var wordsView = forge_view(
      base: 3, height: Int32(test.height), width: Int32(test.width), channels: Int32(test.inputs),
      offset: Int64(37 + border.top * row + border.left * kind.words), image_stride: 0,
      block_stride: Int64(block), row_stride: Int64(row))
    var making = forge_words_arguments(
      in: input.view(base: 0), out: wordsView, top: Int32(border.top), left: Int32(border.left),
      bottom: Int32(border.bottom), right: Int32(border.right), range: rangeView,
      flat: flat ? 1 : 0)
    let range = Buffer(count: Int(forge_byte_range_floats(&making)) + 3)
    let bases = [input.buffer, out.buffer, residual.buffer, words, range, bias, totals]
    var before: [Call] = []
    typealias Tiles = (UnsafePointer<forge_words_arguments>) -> Int64
    let add = { (kernel: forge_kernel?, out: Buffer, tiles: Tiles) in
      guard let kernel else { return }
      before.append(
        Call(kernel, making, bases: bases, image: test.images - 1, out: out, tiles: tiles))
    }
    switch kind {
    case .fixed, .halves: break
    case .pairs: add(kernels.bfloat_input, words, forge_words_tiles)
    case .widePairs: add(kernels.bfloat_tile_input, words, forge_wide_words_tiles)
    case .quads:
      add(kernels.byte_range, range, forge_byte_range_tiles)
      add(kernels.byte_input, words, forge_words_tiles)
    }
    if flat { (wordsView.width, wordsView.height) = (wordsView.width * wordsView.height, 1) }
    let arguments = forge_convolution_arguments(
      in: kind.isOfOnePixel ? input.view(base: 0) : wordsView, out: out.view(base: 1),
      weights: weights.packed.pointer, bias: bias.pointer,
      kernel_height: Int32(test.kernel.height), kernel_width: Int32(test.kernel.width),
      stride_y: Int32(test.stride.y), stride_x: Int32(test.stride.x),
      dilation_y: Int32(test.dilation.y), dilation_x: Int32(test.dilation.x),
      pad_top: Int32(test.padding.top), pad_left: Int32(test.padding.left),
      panel_width: Int32(test.panel), segments: Int32(test.segments),
      epilogue: epilogue(test, residual.view(base: 2)),
      // Something to fetch ahead.
      next: bias.pointer, next_floats: Int64(bias.count), scales: weights.scales.pointer,
      totals: UnsafeRawPointer(totals.pointer).assumingMemoryBound(to: Int32.self),
      range: rangeView, flat: flat ? 1 : 0)
    return PreparedReduced(
      out: out, before: before,
      call: Call(
        kernel, arguments, bases: bases, image: test.images - 1, out: out.buffer,
        tiles: forge_convolution_tiles))
  }
}
