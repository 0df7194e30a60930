import ForgeOperations

/// The choice of an algorithm for a convolution.
///
/// Candidates of all algorithms are collected, those that are not accurate enough are left out, and
/// the cheapest is taken, or the one that was measured or recorded.
struct ConvolutionCandidates {
  /// A candidate with its estimated cost.
  typealias Candidate = (cost: Double, algorithm: any ConvolutionAlgorithm)

  /// The candidates in the order of the list of algorithms.
  let all: [Candidate]
  private let problem: ConvolutionProblem

  /// Collects the candidates for a convolution.
  init(for problem: ConvolutionProblem) {
    self.problem = problem
    let (model, settings) = (ConvolutionCost(problem), problem.settings)
    all = ConvolutionAlgorithms.all
      .filter { $0.rewriteName.map(settings.isEnabled) ?? true }
      .flatMap { $0.candidates(for: problem) }
      .filter { $0.addedError(settings.level) <= settings.accuracy }
      .map { ($0.cost(model), $0) }
  }

  /// The candidates from the one that is preferred to the one that is left when weights suit no
  /// other.
  var ranked: [any ConvolutionAlgorithm] {
    let ranked = Self.ranked(all)
    guard problem.isTunable,
      let record = problem.settings.tuned[TuningRecord.Convolution(problem)],
      let tuned = variant(record)
    else { return ranked }
    // It takes the place of all that it was measured against.
    let tunedCost = tuned.cost(ConvolutionCost(problem))
    let others = all.filter { !($0.algorithm is any MeasuredAlgorithm) && $0.cost < tunedCost }
    return Self.ranked(others) + [tuned] + ranked
  }

  /// The first of the cheapest comes first.
  private static func ranked(_ candidates: [Candidate]) -> [any ConvolutionAlgorithm] {
    candidates.enumerated()
      .sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
      .map(\.element.algorithm)
  }

  /// The candidates that can be measured, in the order of the list of algorithms.
  var measured: [(cost: Double, algorithm: any MeasuredAlgorithm)] {
    all.compactMap { candidate in
      (candidate.algorithm as? any MeasuredAlgorithm).map { (candidate.cost, $0) }
    }
  }

  /// The widths of panels that a candidate may have.
  func panelWidths(of algorithm: any MeasuredAlgorithm) -> [Int] {
    Panels.widths(outputs: panelledOutputs(of: algorithm))
  }

  /// The channels that panels divide.
  func panelledOutputs(of algorithm: any MeasuredAlgorithm) -> Int {
    algorithm.panelledChannels(of: problem.outputs)
  }

  /// The algorithm that a record names; `nil` where no candidate allows it.
  func variant(_ record: TuningRecord.Kernel) -> (any MeasuredAlgorithm)? {
    guard let width = record.panelWidth else { return nil }
    for (_, algorithm) in measured where panelWidths(of: algorithm).contains(width) {
      if let variant = algorithm.variant(record, panelWidth: width) { return variant }
    }
    return nil
  }
}
