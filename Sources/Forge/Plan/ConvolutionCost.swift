import CForgeKernels
import ForgeShapes

/// The cost model of stage 5: how many cycles of one core a convolution takes by each kernel.
///
/// A function of sizes and instruction set alone, so that a model gets the same plan every time. What it
/// counts: multiply-adds in vectors of 16 at the rate the micro-kernel reaches, the additions of Winograd's
/// transforms, and the packed weights as a stream from memory, whichever takes longer.
struct ConvolutionCost {
  /// The multiply-adds of 16 lanes per cycle: 1 on AVX-512 and AVX2 (one port of 512 or two of 256
  /// bits), a quarter of it without a fused multiply-add.
  private let vectorsPerCycle: Double
  /// The output pixels.
  let output: Size
  /// Channels read and made, rounded up to whole blocks.
  let inputs, outputs: Int
  let kernel: Size

  init(level: forge_level, output: Size, inputs: Int, outputs: Int, kernel: Size) {
    vectorsPerCycle = level == FORGE_BASELINE ? 0.25 : level == FORGE_SCALAR ? 0.02 : 1
    self.output = output
    self.inputs = AlignedMemory.round(inputs, to: PlannedTensor.lanes)
    self.outputs = AlignedMemory.round(outputs, to: PlannedTensor.lanes)
    self.kernel = kernel
  }

  /// Bytes of weights that arrive per cycle while sums are computed: 25 GB/s at 3.7 GHz.
  static let bytesPerCycle = 7.0

  /// The direct kernel.
  var direct: Double {
    let products = Double(kernel.width * kernel.height) * Double(inputs) * Double(outputs) / 16
    return max(
      products * Double(output.width * output.height) / vectorsPerCycle,
      products * 64 / Self.bytesPerCycle)
  }

  /// Strassen's, of a pointwise convolution.
  ///
  /// Seven products in place of eight, and for each pixel about 6 cycles per block of inputs and 12 per block
  /// of outputs for sums (fitted to 15 shapes: 28×28×128 to 256 gains nothing, 28×28×256 to 256 5 %,
  /// 7×7×1024 to 1024 and 8×8×2048 to 448 10 %).
  var strassen: Double {
    let pixels = Double(output.width * output.height)
    let products = Double(inputs) * Double(outputs) / 16 * 7 / 8
    let sums = pixels * (6 * Double(inputs) + 12 * Double(outputs)) / 16
    return max(products * pixels / vectorsPerCycle, products * 2 * 64 / Self.bytesPerCycle)
      + sums / max(vectorsPerCycle, 0.25)
  }

  /// Winograd's, form by form.
  ///
  /// A transform takes about 6 cycles per point and block of channels (measured: 222 for 36 points, 442
  /// for 64, in; about as many out).
  ///
  /// Each further partial sum of `summed` channels reads and writes the products once more, 3 cycles per vector.
  func winograd(_ form: WinogradTile, summed: Int) -> Double {
    let columns = (output.width + form.tile.width - 1) / form.tile.width
    let rows = (output.height + form.tile.height - 1) / form.tile.height
    let tiles = Double(columns * rows)
    let points = Double(form.points)
    let products = Double(form.units) * Double(inputs) * Double(outputs) / 16
    let transforms = tiles * points * 6.5 * Double(form.phases * inputs + outputs) / 16
    let passes = Double((inputs + summed - 1) / summed - 1)
    let sums = passes * tiles * Double(form.units * outputs) / 16 * 3
    return max(products * tiles / vectorsPerCycle, products * 64 / Self.bytesPerCycle)
      + (transforms + sums) / max(vectorsPerCycle, 0.25)
  }
}
