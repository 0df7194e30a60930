import Forge

extension Lowering {
  /// Throws if a number is out of range.
  func check(_ problem: (name: String, value: String, needs: String)?) throws(ShapeError) {
    guard let problem else { return }
    throw ShapeError(
      .invalidArgument, "\(problem.name) is out of range", received: problem.value,
      needs: problem.needs)
  }

  /// Throws if a constant has more values than a layer should.
  private func checkConstant(_ count: Int) throws(ShapeError) {
    let most = 1 << 27
    guard count > most else { return }
    throw ShapeError(
      .tooLarge, "the spectrum has too many waves and bands",
      received: ShapeError.counted(count, "value"),
      needs: "at most \(ShapeError.counted(most, "value"))",
      remedy: "compute the spectrum with the functions on arrays, which do not need them")
  }

  /// The bands of the spectrum of the only input, [frames][bands].
  mutating func melSpectrum(_ mel: MelSpectrogram) throws(ShapeError) -> Value {
    try check(mel.stft.problem ?? mel.bands.problem ?? mel.scale.problem)
    if mel.stft.padding == .streaming, mel.scale.limit != nil {
      throw ShapeError(
        .invalidArgument, "the scale depends on the largest number of the whole sound",
        received: "a stream", needs: "a scale without a range, such as .logarithm()")
    }
    // Powers are sums of two squares, which the bands may sum themselves.
    let isPower = mel.stft.values == .power
    try checkConstant(mel.bands.count * 2 * mel.stft.bins)
    let spectrum =
      isPower ? try squares(mel.stft) : try spectrum(mel.stft)
    var weights: [Float] = []
    for band in mel.bands.bands(size: mel.stft.size) {
      var row = [Float](repeating: 0, count: mel.stft.bins)
      row.replaceSubrange(band.first..<band.first + band.weights.count, with: band.weights)
      weights += isPower ? row + row : row
    }
    return try scaled(try product(spectrum, weights, outputs: mel.bands.count), mel.scale)
  }

  /// The spectrum of the only input, [frames][numbers].
  mutating func spectrum(_ stft: STFT) throws(ShapeError) -> Value {
    try check(stft.problem)
    let bins = stft.bins
    if stft.values == .complex {
      let parts = try parts(stft)
      let frames = try frameCount(parts)
      let pairs = try apply(.reshape([frames, 2, bins]), to: [parts])
      let turned = try apply(.permute([0, 2, 1]), to: [pairs])
      return try apply(.reshape([frames, 2 * bins]), to: [turned])
    }
    let squares = try squares(stft)
    let frames = try frameCount(squares)
    let halves = try [0, bins].map { start throws(ShapeError) in
      try apply(.slice(starts: [0, start], sizes: [frames, bins], steps: [1, 1]), to: [squares])
    }
    let power = try apply(.binary(.add), to: halves)
    return stft.values == .magnitude ? try apply(.unary(.squareRoot), to: [power]) : power
  }

  /// The squares of the real parts of all bins, then those of the imaginary parts.
  private mutating func squares(_ stft: STFT) throws(ShapeError) -> Value {
    let parts = try parts(stft)
    return try apply(.binary(.multiply), to: [parts, parts])
  }

  /// The real parts of all bins, then the imaginary parts, [frames][2 · bins].
  ///
  /// A step is `hop` samples. A frame is a number of whole steps, for which a convolution has a
  /// window of this many steps with a channel for each sample, and the first samples of one more
  /// step, for which it has a window of one step. No product reads a sample outside of its frame.
  private mutating func parts(_ stft: STFT) throws(ShapeError) -> Value {
    let (size, hop, bins) = (stft.size, stft.hop, stft.bins)
    try checkConstant(2 * bins * size)
    let (row, frames) = try padded(stft)
    let (wholeHops, rest) = (size / hop, size % hop)
    let steps = frames - 1 + wholeHops + (rest > 0 ? 1 : 0)
    let image = try apply(.reshape([1, steps, hop]), to: [row])
    let weights = stft.frameWeights()
    let turns = (0..<size).map { Numbers.turn($0, of: size) }
    // The waves of all bins in a part of a frame: the cosines, then the sines.
    func waves(_ range: Range<Int>) throws(ShapeError) -> Value {
      var values: [Float] = []
      values.reserveCapacity(2 * bins * range.count)
      for bin in 0..<bins {
        for index in range { values.append(Float(weights[index] * turns[bin * index % size].0)) }
      }
      for bin in 0..<bins {
        for index in range { values.append(Float(weights[index] * turns[bin * index % size].1)) }
      }
      let width = max(range.count / hop, 1)
      return try constant(
        values, shape: Shape(sizes: [2 * bins, 1, width, range.count / width]))
    }
    func sums(_ image: Value, _ range: Range<Int>) throws(ShapeError) -> Value {
      let geometry = ConvolutionGeometry(
        kernel: Size(width: max(range.count / hop, 1), height: 1),
        stride: Size(width: 1, height: 1), dilation: Size(width: 1, height: 1), padding: .valid,
        rounding: .floor)
      return try apply(
        .convolution(geometry, outputs: 2 * bins, groups: 1), to: [image, try waves(range)])
    }
    var result: Value?
    if wholeHops > 0 {
      // The last step is not whole if there is a rest.
      let used = rest > 0 ? try apply(.crop(Edges(right: 1)), to: [image]) : image
      result = try sums(used, 0..<wholeHops * hop)
    }
    if rest > 0 {
      let later = try apply(
        .slice(starts: [0, wholeHops, 0], sizes: [1, frames, rest], steps: [1, 1, 1]), to: [image])
      let more = try sums(later, wholeHops * hop..<size)
      result =
        try result.map { first throws(ShapeError) in
          try apply(.binary(.add), to: [first, more])
        } ?? more
    }
    guard let result else { throw ShapeError(.emptyOutput, "the output would be empty") }
    return try apply(.reshape([frames, 2 * bins]), to: [result])
  }

  private func frameCount(_ rows: Value) throws(ShapeError) -> Int {
    guard let sizes = shape(of: rows).sizes, let frames = sizes.first else {
      throw ShapeError(.unknownSize, "a spectrum needs a sound of known length")
    }
    return frames
  }

  /// The samples of the only input with their margins, in whole steps, and the number of frames.
  private mutating func padded(_ stft: STFT) throws(ShapeError) -> (row: Value, frames: Int) {
    let sound = try input()
    let shape = shape(of: sound)
    guard let sizes = shape.sizes else {
      throw ShapeError(.unknownSize, "a spectrum needs a sound of known length")
    }
    guard sizes.count == 1 || (sizes.count == 2 && sizes[1] == 1) else {
      throw ShapeError(
        .shapeMismatch, "the input is not a sound of one channel", received: "\(shape)",
        needs: "(samples) or (samples, 1)")
    }
    let count = sizes[0]
    let (size, hop) = (stft.size, stft.hop)
    if stft.padding == .streaming, !count.isMultiple(of: hop) {
      throw ShapeError(
        .invalidArgument, "a part of the stream ends between two frames",
        received: ShapeError.counted(count, "sample"), needs: "a multiple of the hop \(hop)")
    }
    let margins: (before: Int, after: Int)
    do {
      margins = try stft.margins(count)
    } catch {
      throw ShapeError(.emptyOutput, error.problem)
    }
    let frames = stft.frameCount(padded: margins.before + count + margins.after)
    guard frames > 0 else {
      throw ShapeError(
        .emptyOutput, "the output would be empty",
        received: ShapeError.counted(count, "sample"),
        needs: "at least one frame of \(size) samples")
    }
    let row = sizes.count == 1 ? sound : try apply(.reshape([count]), to: [sound])
    // Whole steps, without those that no frame covers. What fills up the last step is not read.
    let length = margins.before + count + margins.after
    let used = (frames - 1 + (size + hop - 1) / hop) * hop
    var parts = [row]
    switch stft.padding {
    case .streaming where margins.before > 0:
      let kept = try state("samples", shape: Shape(sizes: [margins.before]))
      parts = [kept, row]
      let all = try apply(.concatenate(axis: 0), to: parts)
      try setState(
        kept, to: try apply(.slice(starts: [count], sizes: [margins.before], steps: [1]), to: [all])
      )
      parts = [all]
    case .zeros:
      parts = [try silence(margins.before), row, try silence(margins.after)].compactMap { $0 }
    case .reflect where margins.before > 0:
      let before = (0..<margins.before).map { margins.before - $0 }
      let after = (0..<margins.after).map { count - 2 - $0 }
      parts = try [
        apply(.gather(axis: 0, indices: before, value: 0), to: [row]), row,
        apply(.gather(axis: 0, indices: after, value: 0), to: [row]),
      ]
    default: break
    }
    if used > length, let rest = try silence(used - length) { parts.append(rest) }
    var joined = parts.count == 1 ? parts[0] : try apply(.concatenate(axis: 0), to: parts)
    if used < length {
      joined = try apply(.slice(starts: [0], sizes: [used], steps: [1]), to: [joined])
    }
    return (joined, frames)
  }

  /// Zeros; `nil` for none.
  private mutating func silence(_ count: Int) throws(ShapeError) -> Value? {
    guard count > 0 else { return nil }
    return try constant([Float](repeating: 0, count: count), shape: Shape(sizes: [count]))
  }

  /// Rows of numbers times a constant matrix, [outputs][inputs].
  mutating func product(
    _ rows: Value, _ weights: [Float], outputs: Int
  ) throws(ShapeError) -> Value {
    guard let sizes = shape(of: rows).sizes, sizes.count == 2 else {
      throw ShapeError(.unknownSize, "a product needs rows of known size")
    }
    let image = try apply(.reshape([1] + sizes), to: [rows])
    let constant = try constant(weights, shape: Shape(sizes: [outputs, 1, 1, sizes[1]]))
    let geometry = ConvolutionGeometry(
      kernel: Size(width: 1, height: 1), stride: Size(width: 1, height: 1),
      dilation: Size(width: 1, height: 1), padding: .valid, rounding: .floor)
    let result = try apply(
      .convolution(geometry, outputs: outputs, groups: 1), to: [image, constant])
    return try apply(.reshape([sizes[0], outputs]), to: [result])
  }

  /// Numbers on a scale.
  mutating func scaled(_ values: Value, _ scale: SpectrumScale) throws(ShapeError) -> Value {
    if scale == .linear { return try apply(.identity, to: [values]) }
    func number(_ value: Float) throws(ShapeError) -> Value {
      try constant([value], shape: Shape(sizes: [1]))
    }
    var result = values
    if case .logarithm(let offset) = scale {
      result = try apply(.binary(.add), to: [result, try number(offset)])
      return try apply(.unary(.logarithm), to: [result])
    }
    let (factor, least, offset) = scale.line
    result = try apply(.binary(.maximum), to: [result, try number(least)])
    result = try apply(.unary(.logarithm), to: [result])
    result = try apply(.binary(.multiply), to: [result, try number(factor)])
    if offset != 0 { result = try apply(.binary(.add), to: [result, try number(offset)]) }
    guard let (range, slope, shift) = scale.limit else { return result }
    guard let sizes = shape(of: values).sizes else {
      throw ShapeError(.unknownSize, "the largest number of all needs an input of known size")
    }
    let line = try apply(.reshape([1, sizes.reduce(1, *)]), to: [result])
    var floor = try apply(.reduceRows(.maximum), to: [line])
    floor = try apply(.reshape([1]), to: [floor])
    floor = try apply(.binary(.subtract), to: [floor, try number(range)])
    result = try apply(.binary(.maximum), to: [result, floor])
    if slope != 1 {
      result = try apply(.binary(.multiply), to: [result, try number(slope)])
      result = try apply(.binary(.add), to: [result, try number(shift)])
    }
    return result
  }
}
