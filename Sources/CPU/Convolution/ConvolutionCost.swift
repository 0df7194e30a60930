import CForgeKernels
import ForgeShapes
import ForgeSystem

/// The properties of a convolution from which each algorithm estimates its cycles.
///
/// Estimates depend only on sizes and the instruction set, so a model always gets the same plan.
/// They count multiply-adds in vectors of 16 at the rate of the micro-kernel and the additional
/// work of an algorithm. Packed weights count as a stream from memory; the slower of arithmetic and
/// stream determines the time.
struct ConvolutionCost {
  /// The 16-lane multiply-adds per cycle.
  let vectorsPerCycle: Double
  /// The output size in pixels.
  let output: Size
  let inputPixels: Int
  /// The input and output channels, rounded up to whole blocks.
  let inputs, outputs: Int
  let kernel: Size

  /// The bytes of weights that memory delivers per cycle.
  static let bytesPerCycle = 7.0
  /// The image size assumed when input sizes are unknown at compile time.
  private static let nominalSize = Size(width: 56, height: 56)

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

  /// The number of vector multiply-adds per output pixel.
  var products: Double {
    Double(kernel.width * kernel.height) * Double(inputs) * Double(outputs) / 16
  }
  /// The cycles of a 2×2 pooling in a step of its own, which reads what the convolution wrote.
  var pooling: Double { 2 * pixels * Double(outputs) / 16 }
  /// The number of output pixels.
  var pixels: Double { Double(output.width * output.height) }
}
