import Forge

/// Spectra of sounds as layers of Keras 3.
enum KerasSpectra {
  static let classes: [KerasClass] = [
    .spatial("STFTSpectrogram", build: shortTimeFourierTransform),
    .spatial("MelSpectrogram", build: melSpectrogram),
  ]

  // MARK: STFTSpectrogram

  /// What a `STFTSpectrogram` computes of the real and the imaginary parts.
  private enum Mode: String {
    case log, magnitude, psd, real, imag, angle, stft

    /// The names of the weights that it has, in the order of the file.
    var kernels: [String] {
      switch self {
      case .real: ["real_kernel"]
      case .imag: ["imag_kernel"]
      default: ["real_kernel", "imag_kernel"]
      }
    }
  }

  /// The waves are weights of the file, because Keras trains them.
  private static func shortTimeFourierTransform(
    _ layer: KerasLayer
  ) throws(KerasFault) -> KerasStep {
    let config = layer.config
    let stated = try config.text("mode", default: "log")
    guard let mode = Mode(rawValue: stated) else {
      throw .unsupported("mode \"\(stated.prefix(20))\"")
    }
    let length = try config.integer("frame_length", default: 256)
    guard 1...maximumSize ~= length else {
      throw .invalid("frame_length is out of range", received: "\(length)")
    }
    var usual = 1
    while usual < length { usual *= 2 }
    let size = try config.integer("fft_length", default: usual)
    let step = try config.integer("frame_step", default: length / 2)
    guard length...maximumSize ~= size else {
      throw .invalid("fft_length is out of range", received: "\(size)", needs: "at least \(length)")
    }
    guard 1...length ~= step else {
      throw .invalid("frame_step is out of range", received: "\(step)", needs: "1 to \(length)")
    }
    let padding = try config.text("padding", default: "valid")
    guard ["valid", "same"].contains(padding) else {
      throw .unsupported("padding \"\(padding.prefix(20))\"")
    }
    let isImage = try config.flag("expand_dims", default: false)
    let bins = size / 2 + 1
    // Keras's formula gives one bin two values.
    guard mode != .psd || bins > 1 else { throw .unsupported("mode \"psd\" of one bin") }
    let waves = try waves(mode, of: layer, length: length, bins: bins)
    let isChannelsFirst = layer.isChannelsFirst
    return KerasNodes.step { nodes in
      let input = try nodes.first()
      guard input.rank == 3 else {
        throw NodeFailure.invalid("\(input.rank - 1) axes, where samples and channels are needed")
      }
      // [N][1][channels][samples], so that all channels have the same waves.
      var sound = FileValue.network(input)
      if !isChannelsFirst { sound = try turned(nodes, sound, [0, 2, 1]) }
      let image = try nodes("Unsqueeze", sound, FileValue.integers([1]))
      let sums = try nodes(
        "Conv", image, .host(waves),
        with: [
          "strides": .ints([1, Int64(step)]),
          "auto_pad": .string(padding == "same" ? "SAME_UPPER" : "VALID"),
        ])
      // [N][channels][bins][frames]
      let spectrum = try values(nodes, mode, try turned(nodes, sums, [0, 2, 1, 3]), bins: bins)
      if isImage {
        return try turned(nodes, spectrum, isChannelsFirst ? [0, 1, 3, 2] : [0, 3, 2, 1])
      }
      let rows = spectrum.sizes[1] * spectrum.sizes[2]
      let joined = try nodes("Reshape", spectrum, FileValue.integers([0, rows, -1]))
      return isChannelsFirst ? joined : try turned(nodes, joined, [0, 2, 1])
    }
  }

  /// The largest frame or transform.
  private static let maximumSize = 1 << 20

  /// The waves of a layer, [bins][1][1][samples]: the real parts first.
  private static func waves(
    _ mode: Mode, of layer: KerasLayer, length: Int, bins: Int
  ) throws(KerasFault) -> HostTensor {
    var rows: [Float] = []
    for (number, name) in mode.kernels.enumerated() {
      let kernel = try layer.file.values.floats(name, number: number, of: layer)
      guard kernel.count == length.multipliedSaturated(by: bins) else {
        throw .invalid(
          "the weights of the layer have a different size",
          received: ShapeError.counted(kernel.count, "value"),
          needs: "\(length)×1×\(bins) for \(name)")
      }
      // The file has [samples][1][bins].
      rows.reserveCapacity(rows.count + kernel.count)
      for bin in 0..<bins {
        for sample in 0..<length { rows.append(kernel[sample * bins + bin]) }
      }
    }
    return HostTensor(floats: rows, sizes: [mode.kernels.count * bins, 1, 1, length])
  }

  private static func turned(
    _ nodes: KerasNodes, _ value: FileValue, _ order: [Int]
  ) throws -> FileValue {
    try nodes("Transpose", value, with: ["perm": .ints(order)])
  }

  /// The values of a mode; the parts are along axis 2, the real ones first.
  private static func values(
    _ nodes: KerasNodes, _ mode: Mode, _ parts: FileValue, bins: Int
  ) throws -> FileValue {
    func part(_ index: Int) throws -> FileValue {
      try nodes(
        "Slice", parts, FileValue.integers([index * bins]),
        FileValue.integers([(index + 1) * bins]), FileValue.integers([2]))
    }
    switch mode {
    case .real, .imag, .stft: return parts
    case .angle: return try KerasCurves.arctangent(nodes, try part(1), try part(0))
    case .log, .magnitude, .psd: break
    }
    let squares = try [part(0), part(1)].map { try nodes("Mul", $0, $0) }
    let power = try nodes("Add", squares[0], squares[1])
    guard mode != .psd else {
      // All bins but the first and the last stand for two of the whole transform.
      let factors = (0..<bins).map { $0 == 0 || $0 == bins - 1 ? 1 : 2 as Float }
      return try nodes("Mul", power, .host(HostTensor(floats: factors, sizes: [1, 1, bins, 1])))
    }
    // The least power is Keras's `epsilon`.
    let magnitude = try nodes("Sqrt", try nodes("Max", power, FileValue.number(1e-7)))
    return mode == .log ? try nodes("Log", magnitude) : magnitude
  }

  // MARK: MelSpectrogram

  /// The powers of frames around every `sequence_stride`-th sample, in bands of the mel scale.
  private static func melSpectrogram(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let mel = try KerasMelSpectrum(layer)
    return KerasNodes.step { nodes in try mel.values(nodes, of: try nodes.first()) }
  }
}
