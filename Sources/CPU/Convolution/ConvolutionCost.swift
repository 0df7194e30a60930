import CForgeKernels
import ForgeShapes
import ForgeSystem

/// What the cost model of stage 5 knows of a convolution; each algorithm estimates its cycles from
/// it.
///
/// Estimates are functions of sizes and instruction set alone, so that a model gets the same plan
/// every time. They count multiply-adds in vectors of 16 at the rate the micro-kernel reaches, what
/// an algorithm does besides, and the packed weights as a stream from memory, whichever of sums and
/// stream takes longer.
struct ConvolutionCost {
  /// The multiply-adds of 16 lanes per cycle.
  let vectorsPerCycle: Double
  /// The output pixels.
  let output: Size
  /// The pixels that are read.
  let inputPixels: Int
  /// Channels read and made, rounded up to whole blocks.
  let inputs, outputs: Int
  /// The taps.
  let kernel: Size

  /// Bytes of weights that arrive per cycle while sums are computed: 25 GB/s at 3.7 GHz.
  static let bytesPerCycle = 7.0
  /// The size that stands for sizes which come with the inputs.
  private static let nominalSize = Size(width: 56, height: 56)

  /// The model of a convolution.
  init(_ problem: ConvolutionProblem) {
    vectorsPerCycle = problem.settings.level.facts.vectors_per_cycle
    let (input, output) = (problem.input, problem.output)
    let nominal = Self.nominalSize
    let isFixed = problem.settings.sizesAreFixed
    self.output = isFixed ? Size(width: output[1], height: output[0]) : nominal
    inputPixels = isFixed ? input[0] * input[1] : nominal.width * nominal.height
    inputs = AlignedMemory.round(problem.inputs, to: PlannedTensor.lanes)
    outputs = AlignedMemory.round(problem.outputs, to: PlannedTensor.lanes)
    kernel = problem.geometry.kernel
  }

  /// The products of an output pixel, in vectors.
  var products: Double {
    Double(kernel.width * kernel.height) * Double(inputs) * Double(outputs) / 16
  }
  /// The output pixels.
  var pixels: Double { Double(output.width * output.height) }
}
