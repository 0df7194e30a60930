import CForgeKernels
import ForgeOperations

/// What stages 5 and 6 go by besides the graph.
struct PlanSettings {
  /// The instruction set.
  var level: forge_level
  /// The most threads a prediction may use.
  var threads: Int
  /// Speed or size.
  var preference = CompileOptions.Preference.speed
  /// The relative L2 error that one step may add.
  var accuracy: Double
  /// The relative L2 error that one step may add to a single output channel.
  ///
  /// It is what the whole network may be off: few channels are far from the mean of their layer.
  var channelAccuracy: Double { accuracy * Self.layersInAccuracy }
  /// What a network's accuracy is divided by for the error that one step may add: errors of several
  /// layers add up as the root of the sum of their squares.
  private static let layersInAccuracy = 3.0
  /// What a layer may be computed in.
  var precision = CompileOptions.Precision.float32
  /// Whether the sizes of the inputs will not change: kernels may be chosen by them.
  ///
  /// Else they are chosen by channels alone, so that plans for all sizes share their packed
  /// weights.
  var sizesAreFixed = true
  /// The rewrites of the plan that are switched off.
  var disabled: Set<String> = []
  /// The kernels that were measured or recorded; the cost model chooses the others.
  var tuned: [TuningRecord.Convolution: TuningRecord.Kernel] = [:]

  /// What a compile's options say.
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

  /// The threads that share the panels of a convolution of so many pixels; on larger images they
  /// share rows.
  func threadsSharingPanels(pixels: Int) -> Int {
    sizesAreFixed && pixels < ThreadSplit.rowsFrom ? threads : 1
  }
}
