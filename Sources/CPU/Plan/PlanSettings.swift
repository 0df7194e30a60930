import CForgeKernels
import ForgeOperations

/// The inputs of stages 5 and 6 other than the graph.
struct PlanSettings {
  /// The instruction set.
  var level: forge_level
  /// The maximum number of threads of a prediction.
  var threads: Int
  /// Whether to optimise for speed or size.
  var preference = CompileOptions.Preference.speed
  /// The relative L2 error that one step may add.
  var accuracy: Double
  /// The relative L2 error that one step may add to a single output channel.
  ///
  /// It equals the error allowed for the whole network, because few channels deviate far from the
  /// mean of their layer.
  var channelAccuracy: Double { accuracy * Self.layersInAccuracy }
  /// The ratio of a network's permitted error to that of one step.
  ///
  /// Errors of several layers add up as the root of the sum of their squares.
  private static let layersInAccuracy = 3.0
  var precision = CompileOptions.Precision.float32
  /// Whether input sizes are fixed, so that kernels may depend on them.
  ///
  /// Otherwise kernels depend only on channels, so that plans for all sizes share packed weights.
  var sizesAreFixed = true
  /// The names of disabled rewrites.
  var disabled: Set<String> = []
  /// The measured or recorded kernels; the cost model chooses the others.
  var tuned: [TuningRecord.Convolution: TuningRecord.Kernel] = [:]

  /// Creates the settings from the options of a compile.
  init(
    _ options: CompileOptions, level: forge_level, threads: Int, sizesAreFixed: Bool
  ) {
    self.level = level
    self.threads = threads
    preference = options.preference
    accuracy = options.kernelAccuracy / Self.layersInAccuracy
    precision = options.precision
    self.sizesAreFixed = sizesAreFixed
    disabled = options.disabledRewrites
  }

  func isEnabled(_ rewrite: String) -> Bool { !disabled.contains(rewrite) }

  /// Returns the number of threads that share the panels of a convolution with this many pixels; on
  /// larger images threads share rows.
  func threadsSharingPanels(pixels: Int) -> Int {
    sizesAreFixed && pixels < ThreadSplit.rowsFrom ? threads : 1
  }
}
