import Forge
import ForgeSystem

/// The numbers of a `MelSpectrogram` of Keras, and what it computes.
///
/// A band is a triangle on the mel scale, `1127·ln(1 + f / 700)`, with a peak of 1.
struct KerasMelSpectrum: Sendable {
  private let size, step: Int
  private let window: [Float]
  private let bands: Int
  private let rate, lowest, highest: Double
  /// The exponent of the magnitudes; 2 for powers.
  private let exponent: Float
  /// The decibels below the largest number of all that count; `nil` for powers.
  private let decibels: (range: Float, least: Float, reference: Float)?

  init(_ layer: KerasLayer) throws(KerasFault) {
    let config = layer.config
    size = try config.integer("fft_length", default: 2048)
    step = try config.integer("sequence_stride", default: 512)
    let length = try config.integer("sequence_length", default: size)
    bands = try config.integer("num_mel_bins", default: 128)
    rate = Double(try config.number("sampling_rate", default: 16000))
    lowest = Double(try config.number("min_freq", default: 20))
    highest = Double(try config.number("max_freq", default: Float((rate / 2).rounded(.down))))
    exponent = try config.number("mag_exp", default: 2)
    let sizes = 1...(1 << 20)
    for (name, value) in [
      ("fft_length", size), ("sequence_stride", step), ("num_mel_bins", bands),
      ("sequence_length", length),
    ] where !sizes.contains(value) {
      throw .invalid("\(name) is out of range", received: "\(value)")
    }
    guard length <= size else {
      throw .invalid("sequence_length is above fft_length", received: "\(length)", needs: "\(size)")
    }
    guard rate.isFinite, rate > 0, lowest > -700, highest > lowest, highest.isFinite,
      exponent.isFinite
    else {
      throw .invalid(
        "a frequency or the exponent is out of range",
        received: "\(lowest) to \(highest) of \(rate) hertz, mag_exp \(exponent)")
    }
    if try config.flag("power_to_db", default: true) {
      let least = try config.number("min_power", default: 1e-10)
      let reference = max(abs(try config.number("ref_power", default: 1)), least)
      decibels = (try config.number("top_db", default: 80), least, reference)
    } else {
      decibels = nil
    }
    // The window is in the middle of the frame.
    let before = (size - length) / 2
    window =
      Array(repeating: 0, count: before) + (try Self.window(config, length: length))
      + Array(repeating: 0, count: size - length - before)
  }

  /// The numbers of the window: one that Keras names, those of the file, or none.
  ///
  /// Named windows are periodic, as in SciPy and PyTorch; TensorFlow's differ for odd lengths.
  private static func window(
    _ config: KerasConfig, length: Int
  ) throws(KerasFault) -> [Float] {
    guard let stated = config["window"] else {
      let isNamed = config.json["window"] == nil
      return isNamed ? cosines(0.5, length) : Array(repeating: 1, count: length)
    }
    if let name = stated.text {
      switch name {
      case "hann": return cosines(0.5, length)
      case "hamming": return cosines(0.54, length)
      default: throw .unsupported("window \"\(name.prefix(20))\"")
      }
    }
    guard let (sizes, values) = stated.numbers else {
      throw .unsupported("a window with a value that is not a number")
    }
    guard sizes == [length] else {
      throw .invalid("the window has a different length", received: "\(sizes)", needs: "\(length)")
    }
    return values
  }

  /// `a − (1 − a)·cos(2πn / N)`.
  private static func cosines(_ mean: Double, _ length: Int) -> [Float] {
    // A window of one number is 1.
    guard length > 1 else { return [1] }
    return (0..<length).map { index in
      Float(mean - (1 - mean) * cos(2 * Double.pi * Double(index) / Double(length)))
    }
  }

  /// The weights of the bands, [bins][bands].
  private func weights() throws -> HostTensor {
    let bins = size / 2 + 1
    let sizes = [bins, bands]
    try ONNXCall.checkConstant(sizes)
    let held = try ImportBudget.hold(bins * bands, width: MemoryLayout<Float>.size)
    func mel(_ hertz: Double) -> Double { log(1 + hertz / 700) }
    let (first, last) = (mel(lowest), mel(highest))
    let step = (last - first) / Double(bands + 1)
    var values = [Float](repeating: 0, count: bins * bands)
    // The first bin counts for no band.
    for bin in 1..<max(bins, 1) {
      let position = (mel(rate / 2 * Double(bin) / Double(max(bins - 1, 1))) - first) / step
      for band in 0..<bands {
        let distance = abs(position - Double(band + 1))
        values[bin * bands + band] = Float(max(0, 1 - distance))
      }
    }
    var weights = HostTensor(floats: values, sizes: sizes)
    weights.held = held
    return weights
  }

  /// The nodes: frames, powers, bands, decibels; [N][samples] to [N][bands][frames].
  func values(_ nodes: KerasNodes, of sound: FileTensor) throws -> FileValue {
    guard sound.rank == 2 else {
      throw NodeFailure.unsupported("a sound of \(sound.rank - 1) axes")
    }
    let margin = size / 2
    guard sound.sizes[1] > margin else {
      throw NodeFailure.invalid(
        "a sound of \(sound.sizes[1]) samples, which is too short to be mirrored by \(margin)")
    }
    let padded = try nodes(
      "Pad", .network(sound), FileValue.integers([0, margin, 0, margin]), FileValue.number(0),
      with: ["mode": .string("reflect")])
    let parts = try nodes(
      "STFT", try nodes("Unsqueeze", padded, FileValue.integers([2])),
      FileValue.integers([step]), .host(HostTensor(floats: window, sizes: [size])),
      FileValue.integers([size]))
    var power = try nodes(
      "ReduceSum", try nodes("Mul", parts, parts), FileValue.integers([3]),
      with: ["keepdims": .int(0)])
    if exponent == 1 {
      power = try nodes("Sqrt", power)
    } else if exponent != 2 {
      power = try nodes("Pow", try nodes("Sqrt", power), FileValue.number(exponent))
    }
    var result = try nodes("MatMul", power, .host(try weights()))
    if let (range, least, reference) = decibels {
      let factor = Float(10 / log(10.0))
      result = try nodes("Log", try nodes("Max", result, FileValue.number(least)))
      result = try nodes("Mul", result, FileValue.number(factor))
      let level = Float(10 * log10(Double(reference)))
      if level != 0 { result = try nodes("Sub", result, FileValue.number(level)) }
      let loudest = try nodes(
        "ReduceMax", result, FileValue.integers([1, 2]), with: ["keepdims": .int(1)])
      result = try nodes("Max", result, try nodes("Sub", loudest, FileValue.number(range)))
    }
    return try nodes("Transpose", result, with: ["perm": .ints([0, 2, 1])])
  }
}
