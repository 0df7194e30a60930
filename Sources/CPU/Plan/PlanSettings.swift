import CForgeKernels
import ForgeOperations

/// The inputs of stages 5 and 6 other than the graph.
struct PlanSettings {
  /// The instruction set.
  let level: forge_level
  /// The maximum number of threads of a prediction.
  let threads: Int
  /// Whether to optimize for speed or size.
  let preference: CompileOptions.Preference
  /// The relative L2 error that one step may add.
  let accuracy: Double
  /// The relative L2 error that one step may add to a single output channel.
  ///
  /// It equals the error allowed for the whole network, because few channels deviate far from the
  /// mean of their layer.
  var channelAccuracy: Double { accuracy * Self.layersInAccuracy }
  /// The ratio of a network's permitted error to that of one step.
  ///
  /// Errors of several layers add up as the root of the sum of their squares.
  private static let layersInAccuracy = 3.0
  let precision: CompileOptions.Precision
  /// Whether input sizes are fixed, so kernels may depend on them.
  ///
  /// Otherwise kernels depend only on channels, so that plans for all sizes share packed weights.
  let sizesAreFixed: Bool
  /// Whether predictions continue a sequence, so a plan for a part of it must be bit-identical
  /// to a plan for the whole.
  let hasStates: Bool
  /// Whether a sequence may be predicted in parts or have another length, so each pixel must
  /// have the same bits in images of any size.
  ///
  /// The kernels for it find all sizes in their views.
  let sumsInOneOrder: Bool
  /// Whether images of several rows become narrower with shorter sequences, so gaps are
  /// between their rows then.
  var separatesRows = false
  /// The names of disabled rewrites.
  private let disabled: Set<String>
  /// The measured or recorded kernels; the cost model chooses the others.
  let tuned: TunedKernels

  /// Creates the settings of a planner.
  init(_ planner: Planner) {
    let (graph, options) = (planner.graph, planner.options)
    level = planner.level
    threads = planner.threads
    preference = options.preference
    accuracy = options.kernelAccuracy / Self.layersInAccuracy
    precision = options.precision
    sizesAreFixed = graph.inputs.allSatisfy { graph.shape(of: $0).isKnown }
    hasStates = !graph.states.isEmpty
    sumsInOneOrder = hasStates || graph.hasVaryingLength
    disabled = options.disabledRewrites
    tuned = planner.tuned
  }

  /// Whether gaps may be between the rows of an image of these sizes.
  func keepsRowsApart(_ sizes: [Int]) -> Bool { separatesRows && sizes[0] > 1 && sizes[1] > 1 }

  func isEnabled(_ rewrite: String) -> Bool { !disabled.contains(rewrite) }

  /// Returns the number of threads that share the panels of a convolution with this many pixels; on
  /// larger images threads share rows.
  func threadsSharingPanels(pixels: Int) -> Int {
    sizesAreFixed && pixels < ThreadSplit.rowsFrom ? threads : 1
  }
}
