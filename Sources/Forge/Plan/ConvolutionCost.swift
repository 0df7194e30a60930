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
  /// With one level 7 products in place of 8, and for each pixel about 7 cycles per block of inputs and 10 per block
  /// of outputs for sums; with two 49 in place of 64, and 16 and 23 cycles. Fitted to 25 shapes, of which some gain on
  /// the direct kernel, with one level and with two: 56×56×128 to 128 1 % and nothing, 28×28×256 to 256 5 % and 11 %,
  /// 14×14×512 to 512 9 % and 14 %, 17×17×768 to 192 7 % and 12 %, 35×35×192 to 64 1 % and -3 %.
  ///
  /// Weights are twice and four times as many. They count as those of two threads that share a memory, for whom the
  /// kernel is the same: 7×7×1024 to 1024 with two levels gains 4 % on one thread (against one level) and loses on two.
  func strassen(levels: Int) -> Double {
    let pixels = Double(output.width * output.height)
    let products = Double(inputs) * Double(outputs) / 16 * (levels == 1 ? 7.0 / 8 : 49.0 / 64)
    let (input, made) = levels == 1 ? (7.0, 10.0) : (16.0, 23.0)
    let sums = pixels * (input * Double(inputs) + made * Double(outputs)) / 16
    let weights = 2 * products * Double(1 << levels) * 64
    return max(products * pixels / vectorsPerCycle, weights / Self.bytesPerCycle)
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
