import CForgeKernels
import ForgeOperations
import ForgeShapes

/// A convolution algorithm: its conditions, cost, rounding error, packed weights and steps.
///
/// Each algorithm is one type in its own file and one entry of ``ConvolutionAlgorithmList/all``. A
/// value is a candidate for one convolution: the algorithm with its parameters.
protocol ConvolutionAlgorithm: Sendable {
  /// The name that disables the algorithm; `nil` if no other algorithm can replace it.
  static var rewriteName: String? { get }

  /// Whether the bits of a pixel depend on its inputs alone, not on the size of the image.
  static var sumsInOneOrder: Bool { get }

  /// Returns the candidates for a convolution; empty if a condition is not met.
  ///
  /// This checks sizes and settings only. ``fitted(to:)`` checks the weights, and
  /// ``needsContiguousInput`` states the requirement on the input's memory.
  static func candidates(for problem: ConvolutionProblem) -> [any ConvolutionAlgorithm]

  /// Whether the algorithm supports a precision below Float32 on an instruction set.
  static func computes(in precision: CompileOptions.Precision, level: forge_level) -> Bool

  /// Returns the estimated cycles on one core; 0 selects the candidate unconditionally.
  func cost(_ model: ConvolutionCost) -> Double

  /// Returns the relative L2 error in addition to that of direct summation in the requested
  /// precision.
  func addedError(_ level: forge_level) -> Double

  /// Whether the kernel reads the zero border of its image instead of checking the image's bounds.
  var readsBorder: Bool { get }

  /// Whether the rows of the input must be contiguous.
  var needsContiguousInput: Bool { get }

  /// Whether the kernel reads a model input in row-major order.
  var readsPlainInput: Bool { get }

  /// Whether the kernel can apply a subsequent 2×2 maximum pooling.
  var canPool: Bool { get }

  /// Returns the candidate in the form these weights require; `nil` if it is not accurate enough
  /// for them.
  func fitted(to weights: ConvolutionWeights) throws -> Self?

  /// Adds the steps of the convolution.
  func addSteps(for convolution: PlannedConvolution, to plan: inout PlanBuilder) throws
}

extension ConvolutionAlgorithm {
  static var rewriteName: String? { nil }
  static var sumsInOneOrder: Bool { false }
  static func computes(in precision: CompileOptions.Precision, level: forge_level) -> Bool { false }
  /// Whether no rewrite of the algorithm's name is disabled.
  static func isEnabled(_ settings: PlanSettings) -> Bool {
    rewriteName.map(settings.isEnabled) ?? true
  }
  func addedError(_ level: forge_level) -> Double { 0 }
  var readsBorder: Bool { true }
  var needsContiguousInput: Bool { false }
  var readsPlainInput: Bool { false }
  var canPool: Bool { false }
  func fitted(to weights: ConvolutionWeights) throws -> Self? { self }
}

/// An algorithm that can be selected by timing and named in a tuning record.
protocol MeasuredAlgorithm: ConvolutionAlgorithm {
  /// The output channels per panel of weights.
  var panelWidth: Int { get set }

  /// The candidate as a tuning record stores it.
  var record: TuningRecord.Kernel { get }

  /// Returns the number of channels that are divided into panels, given the output channels.
  func panelledChannels(of outputs: Int) -> Int

  /// Returns the candidate with a record's parameters; `nil` if the record names another candidate
  /// or exceeds this one's limits.
  ///
  /// `panelWidth` must be one of the available widths.
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
