import Forge

extension Lowering {
  /// Throws if a number is out of range.
  func check(_ problem: (name: String, value: String, needs: String)?) throws(ShapeError) {
    guard let problem else { return }
    throw ShapeError(
      .invalidArgument, "\(problem.name) is out of range", received: problem.value,
      needs: problem.needs)
  }

  /// The bands of the spectrum of the only input, [frames][bands].
  mutating func melSpectrum(_ mel: MelSpectrogram) throws(ShapeError) -> Value {
    try check(mel.stft.problem ?? mel.bands.problem ?? mel.scale.problem)
    if mel.stft.padding == .streaming, mel.scale.limit != nil {
      throw ShapeError(
        .invalidArgument, "the scale depends on the largest number of the whole sound",
        received: "a stream", needs: "a scale without a range, such as .logarithm()")
    }
    let spectrum = try spectrum(mel.stft)
    var weights: [Float] = []
    for band in mel.bands.bands(size: mel.stft.size) {
      var row = [Float](repeating: 0, count: mel.stft.bins)
      row.replaceSubrange(band.first..<band.first + band.weights.count, with: band.weights)
      weights += row
    }
    return try scaled(try product(spectrum, weights, outputs: mel.bands.count), mel.scale)
  }

  /// The spectrum of the only input, [frames][numbers].
  mutating func spectrum(_ stft: STFT) throws(ShapeError) -> Value {
    try check(stft.problem)
    let row = try padded(stft)
    let (size, bins) = (stft.size, stft.bins)
    let weights = stft.frameWeights()
    // Waves of all bins, the cosines and then the sines.
    func waves(_ part: KeyPath<(Double, Double), Double>) -> [Float] {
      (0..<bins).flatMap { bin in
        (0..<size).map { index in
          Float(weights[index] * Numbers.turn(bin * index % size, of: size)[keyPath: part])
        }
      }
    }
    func transformed(_ waves: [Float]) throws(ShapeError) -> Value {
      let constant = try constant(waves, shape: Shape(sizes: [bins, 1, size, 1]))
      let geometry = ConvolutionGeometry(
        kernel: Size(width: size, height: 1), stride: Size(width: stft.hop, height: 1),
        dilation: Size(width: 1, height: 1), padding: .valid, rounding: .floor)
      return try apply(
        .convolution(geometry, outputs: bins, groups: 1), to: [row, constant])
    }
    let real = try transformed(waves(\.0))
    let imaginary = try transformed(waves(\.1))
    guard let frames = shape(of: real).sizes?[1] else {
      throw ShapeError(.unknownSize, "a spectrum needs a sound of known length")
    }
    if stft.values == .complex {
      let parts = try [real, imaginary].map { part throws(ShapeError) in
        try apply(.reshape([frames, bins, 1]), to: [part])
      }
      let pairs = try apply(.concatenate(axis: 2), to: parts)
      return try apply(.reshape([frames, 2 * bins]), to: [pairs])
    }
    let squares = try [real, imaginary].map { part throws(ShapeError) in
      try apply(.binary(.multiply), to: [part, part])
    }
    var power = try apply(.binary(.add), to: squares)
    if stft.values == .magnitude { power = try apply(.unary(.squareRoot), to: [power]) }
    return try apply(.reshape([frames, bins]), to: [power])
  }

  /// The samples of the only input with their margins, as an image of one row.
  private mutating func padded(_ stft: STFT) throws(ShapeError) -> Value {
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
        .invalidArgument, "the frames of a stream do not end with its parts",
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
    let row = try apply(.reshape([1, count, 1]), to: [sound])
    var whole = row
    switch stft.padding {
    case .none: break
    case .streaming where margins.before == 0: break
    case .streaming:
      let kept = try state("samples", shape: Shape(sizes: [1, margins.before, 1]))
      whole = try apply(.concatenate(axis: 1), to: [kept, row])
      try setState(kept, to: try apply(.crop(Edges(left: count)), to: [whole]))
    case .zeros:
      whole = try apply(
        .pad(Edges(top: 0, left: margins.before, bottom: 0, right: margins.after)), to: [row])
    case .reflect where margins.before == 0: break
    case .reflect:
      // Mirrored ends: a gather of the places before, inside and behind the sound.
      let places = (-margins.before..<count + margins.after).map { place in
        place < 0 ? -place : place >= count ? 2 * (count - 1) - place : place
      }
      whole = try apply(.gather(axis: 1, indices: places, value: 0), to: [row])
    }
    // Without what no frame covers, the last frame too if it is left out.
    let length = margins.before + count + margins.after
    let used = (frames - 1) * hop + size
    guard used < length else { return whole }
    return try apply(.crop(Edges(right: length - used)), to: [whole])
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
