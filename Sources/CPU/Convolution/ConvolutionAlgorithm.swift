import CForgeKernels
import ForgeOperations
import ForgeShapes

/// A way to compute convolutions: its conditions, its cost, its rounding error, its packed weights
/// and its steps.
///
/// Each algorithm is one type in a file of its own and one line of ``ConvolutionAlgorithms/all``. A
/// value is one candidate for one convolution: the algorithm with its parameters.
protocol ConvolutionAlgorithm: Sendable {
  /// The name by which users switch the algorithm off; `nil` where no other could take its place.
  static var rewriteName: String? { get }

  /// The ways in which the algorithm can compute a convolution, none where a condition is not met.
  ///
  /// Conditions are those of sizes and settings. Those of the weights are checked by
  /// ``fitted(to:)``, that of the input's memory is ``needsContiguousInput``.
  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm]

  /// Whether the algorithm computes in a precision below Float32 with the kernels of an instruction
  /// set.
  static func computes(in precision: CompileOptions.Precision, level: forge_level) -> Bool

  /// The estimated cycles of one core; 0 where the algorithm is taken whenever it is a candidate.
  func cost(_ model: ConvolutionCost) -> Double

  /// The relative L2 error beyond that of plain sums in the precision that was asked for.
  func addedError(_ level: forge_level) -> Double

  /// Whether the kernel reads zeros around its image; others know where the image ends.
  var readsBorder: Bool { get }

  /// Whether the rows of the input must follow each other without a gap.
  var needsContiguousInput: Bool { get }

  /// Whether the kernel reads an input of the model in row-major order.
  var readsPlainInput: Bool { get }

  /// Whether the kernel can do the 2×2 maximum pooling after the convolution.
  var canPool: Bool { get }

  /// The candidate in the form that these weights need; `nil` where it would not be exact enough
  /// for them.
  func fitted(to weights: ConvolutionWeights) throws -> Self?

  /// Adds the steps of a convolution that the candidate was chosen for.
  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws
}

extension ConvolutionAlgorithm {
  static var rewriteName: String? { nil }
  static func computes(in precision: CompileOptions.Precision, level: forge_level) -> Bool { false }
  func addedError(_ level: forge_level) -> Double { 0 }
  var readsBorder: Bool { true }
  var needsContiguousInput: Bool { false }
  var readsPlainInput: Bool { false }
  var canPool: Bool { false }
  func fitted(to weights: ConvolutionWeights) throws -> Self? { self }
}

/// An algorithm that can be chosen by timing it, and that a tuning record can name.
protocol MeasuredAlgorithm: ConvolutionAlgorithm {
  /// The output channels per panel of weights.
  var panelWidth: Int { get set }

  /// The candidate as records have it.
  var record: TuningRecord.Kernel { get }

  /// The channels that panels divide, of so many output channels.
  func panelledChannels(of outputs: Int) -> Int

  /// The candidate with the parameters of a record; `nil` where the record means something else or
  /// goes beyond what the candidate allows.
  ///
  /// The width of the record's panels is one of those there are.
  func variant(_ record: TuningRecord.Kernel, panelWidth: Int) -> Self?
}

extension MeasuredAlgorithm {
  func panelledChannels(of outputs: Int) -> Int { outputs }

  func variant(_ record: TuningRecord.Kernel, panelWidth: Int) -> Self? {
    var variant = self
    variant.panelWidth = panelWidth
    return variant.record == record ? variant : nil
  }
}
