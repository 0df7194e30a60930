import CForgeKernels

/// The weights of Strassen's algorithm: `[panel of outputs >> levels][7 or 49][inputs >> levels][panelWidth]`, zero
/// where padded; where they are scaled the scales of the inputs and of the outputs follow.
///
/// The algorithm adds channels to each other. The rounding error of a channel is therefore relative to the channels it
/// is added to: where their scales differ, powers of two even them out, and where single weights do, as in a sparse
/// matrix, the direct kernel is the exact one. Sources/Kernels/balance.c has the measure.
struct StrassenForm: PackedForm {
  let levels, inputs, outputs, panelWidth: Int
  let isScaled: Bool
  /// The relative L2 error of the whole output that is allowed.
  let accuracy: Double
  /// That of every single output channel.
  let channelAccuracy: Double

  /// The relative error of the algorithm, as the root of the mean square.
  ///
  /// Measured against double precision on 9 layer shapes, with inputs of both signs and of one, on all instruction
  /// sets: at most 4.4·10⁻⁸ times the root of the input channels with one level, 8.6·10⁻⁸ with two, where the direct
  /// kernel's is 1.8·10⁻⁸ (`StrassenTests`).
  static func error(levels: Int, inputs: Int) -> Double {
    (levels == 1 ? 4.5e-8 : 9e-8) * Double(inputs).squareRoot()
  }

  /// The products of parts that take the place of 8 per level.
  var products: Int { Int(forge_strassen_products(Int32(clamping: levels))) }
  /// The floats before the scales.
  var weightCount: Int {
    AlignedMemory.round(outputs >> levels, to: panelWidth) * products * (inputs >> levels)
  }

  var count: Int { weightCount + (isScaled ? inputs + outputs : 0) }

  var writesEverything: Bool { true }

  func write(
    _ values: UnsafeBufferPointer<Float>, to memory: UnsafeMutableBufferPointer<Float>,
    threads: Int32
  ) -> Bool {
    let (rows, columns, levels) = (Int64(outputs), Int64(inputs), Int32(clamping: levels))
    let inputScales = isScaled ? memory.baseAddress.map { $0 + weightCount } : nil
    let outputScales = inputScales.map { $0 + inputs }
    if let inputScales {
      forge_balance(values.baseAddress, rows, columns, inputScales, outputScales)
    }
    guard
      isEven(
        forge_strassen_unevenness(
          values.baseAddress, rows, columns, levels, inputScales, outputScales))
    else { return false }
    forge_pack_strassen(
      values.baseAddress, memory.baseAddress, rows, columns, Int64(panelWidth), levels, inputScales,
      outputScales, threads)
    return true
  }

  private func isEven(_ unevenness: forge_unevenness) -> Bool {
    let whole = Self.error(levels: levels, inputs: inputs)
    let block = Self.error(levels: levels, inputs: PlannedTensor.lanes)
    return unevenness.input * whole <= accuracy && unevenness.channel * whole <= channelAccuracy
      && unevenness.block * block <= channelAccuracy
  }
}
