import Forge

extension ONNXOperators {
  /// Spectra of signals: Fourier transforms as products with matrices of cosines and sines.
  static let spectra: [ONNXOperator] = [
    ONNXOperator(
      "DFT", import: fourierTransform, fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .mixed),
    .perExample("STFT", import: shortTimeFourierTransform, length: .followed),
    .known(
      "MelWeightMatrix", fold: .known(ONNXWindows.melWeights), length: .followed, sizes: .none),
  ]

  /// `y(k) = Σ x(n)·e^(−2πikn / N)` along an axis; with `inverse` the exponent is positive and the
  /// sum is divided by N.
  private static func fourierTransform(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let signal = try call.value(0)
    let rank = signal.sizes.count
    guard rank >= 2, let parts = signal.sizes.last, parts == 1 || parts == 2 else {
      throw NodeFailure.invalid("a signal of \(signal.sizes), whose last axis is not 1 or 2")
    }
    let stated =
      call.opset < 20
      ? call.node.int("axis", 1) : try call.knownInts(2, "an axis")?.first ?? -2
    let axis = try ONNXCall.axis(stated, rank: rank)
    guard axis < rank - 1 else { throw NodeFailure.invalid("the axis of real and imaginary parts") }
    guard try signal.lengthSizes()[axis].constant != nil else {
      throw NodeFailure.unsupported("a sequence whose length varies")
    }
    let length = try call.knownInts(1, "a length")?.first ?? signal.sizes[axis]
    let isInverse = call.node.int("inverse") != 0
    let isOneSided = call.node.int("onesided") != 0
    guard !isOneSided || (parts == 1 && !isInverse) else {
      throw NodeFailure.unsupported("one side of the transform of complex numbers")
    }
    let matrix = try ONNXFourierMatrix(
      length: length, bins: isOneSided ? length / 2 + 1 : length, isInverse: isInverse
    ).complex(rows: min(length, signal.sizes[axis]), parts: parts)

    var value = signal
    if length < signal.sizes[axis] {
      value = try call.part(
        "Slice", [value, .integers([0]), .integers([length]), .integers([axis])])
    }
    let others = (0..<rank - 1).filter { $0 != axis }
    // A size of 0 stands for that of the input.
    let kept = others.map { _ in 0 }
    value = try value.transposed(others + [axis, rank - 1])
    value = try call.part("Reshape", [value, .integers(kept + [matrix.sizes[0]])])
    value = try call.part("MatMul", [value, .host(matrix)])
    // Numbers of the matrix that are divided would be rounded, and sums of 0 would not be 0.
    if isInverse { value = try call.part("Div", [value, .number(Float(length))]) }
    value = try call.part(
      "Reshape", [value, .integers(kept + [matrix.sizes[1] / 2, 2])], name: "\(call.layerName)/bins"
    )
    let back = (0..<rank - 1).map { $0 < axis ? $0 : $0 == axis ? rank - 2 : $0 - 1 }
    call.set(try value.transposed(back + [rank - 1]))
  }

  /// The Fourier transforms of windows of a real signal, as a convolution.
  private static func shortTimeFourierTransform(_ call: inout ONNXCall) throws {
    try call.refuseIntegers()
    let signal = try call.value(0)
    guard signal.sizes.count == 3 else {
      throw NodeFailure.invalid("a signal of \(signal.sizes)")
    }
    guard signal.sizes[2] == 1 else { throw NodeFailure.unsupported("a complex signal") }
    let window = try call.knownFloats(2, "a window")
    guard let step = try call.knownInts(1, "a step")?.first, step > 0,
      let length = try call.knownInts(3, "a length")?.first ?? window?.count, length > 0,
      window.map({ $0.count == length }) ?? true
    else { throw NodeFailure.invalid("frames without a step or a length, or with another window") }
    let bins = call.node.int("onesided", 1) != 0 ? length / 2 + 1 : length
    let filters = try ONNXFourierMatrix(length: length, bins: bins, isInverse: false)
      .filters(window: window)
    let frames = try call.part(
      "Conv", [try signal.transposed([0, 2, 1]), .host(filters)],
      ["strides": .ints([Int64(step)])])
    call.set(
      try call.part("Reshape", [try frames.transposed([0, 2, 1]), .integers([0, 0, bins, 2])]))
  }
}
