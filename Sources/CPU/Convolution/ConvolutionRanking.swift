import ForgeOperations

/// The candidate algorithms for one convolution.
///
/// Candidates that are not accurate enough are excluded. The measured or recorded candidate is
/// preferred, otherwise the cheapest.
struct ConvolutionRanking {
  /// A candidate and its estimated cost.
  typealias Candidate = (cost: Double, algorithm: any ConvolutionAlgorithm)

  /// The candidates in the order of ``ConvolutionAlgorithmList/all``.
  let all: [Candidate]
  private let problem: ConvolutionProblem

  init(for problem: ConvolutionProblem) {
    self.problem = problem
    let settings = problem.settings
    all = ConvolutionAlgorithmList.all
      .filter { $0.isEnabled(settings) }
      .filter { $0.sumsInOneOrder || !settings.sumsInOneOrder }
      .flatMap { $0.candidates(for: problem) }
      .filter { $0.addedError(settings.level) <= settings.accuracy }
      .map { (Self.cost(of: $0, for: problem), $0) }
  }

  /// Returns the estimated cycles of an algorithm and of a pooling that it does not include.
  private static func cost(
    of algorithm: any ConvolutionAlgorithm, for problem: ConvolutionProblem
  ) -> Double {
    let model = ConvolutionCost(problem)
    let cost = algorithm.cost(model)
    return cost > 0 && problem.precedesPooling && !algorithm.canPool ? cost + model.pooling : cost
  }

  /// The candidates in order of preference; later ones are fallbacks for weights that an earlier
  /// one cannot represent.
  var ranked: [any ConvolutionAlgorithm] {
    let ranked = Self.ranked(all)
    guard problem.isTunable,
      let record = problem.settings.tuned[TuningRecord.Convolution(problem)],
      let tuned = variant(record)
    else { return ranked }
    // The tuned kernel replaces all candidates that it was measured against.
    let tunedCost = Self.cost(of: tuned, for: problem)
    let others = all.filter { !($0.algorithm is any MeasuredAlgorithm) && $0.cost < tunedCost }
    return Self.ranked(others) + [tuned] + ranked
  }

  /// Sorts candidates by cost; candidates of equal cost keep their order.
  private static func ranked(_ candidates: [Candidate]) -> [any ConvolutionAlgorithm] {
    candidates.enumerated()
      .sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
      .map(\.element.algorithm)
  }

  /// The candidates that can be measured, in the order of ``ConvolutionAlgorithmList/all``.
  var measured: [(cost: Double, algorithm: any MeasuredAlgorithm)] {
    all.compactMap { candidate in
      (candidate.algorithm as? any MeasuredAlgorithm).map { (candidate.cost, $0) }
    }
  }

  /// Returns the panel widths that a candidate may have.
  func panelWidths(of algorithm: any MeasuredAlgorithm) -> [Int] {
    Panels.widths(outputs: panelledOutputs(of: algorithm))
  }

  /// Returns the number of output channels that are divided into panels.
  func panelledOutputs(of algorithm: any MeasuredAlgorithm) -> Int {
    algorithm.panelledChannels(of: problem.outputs)
  }

  /// Returns the candidate that a record names; `nil` if none matches.
  func variant(_ record: TuningRecord.Kernel) -> (any MeasuredAlgorithm)? {
    guard let width = record.panelWidth else { return nil }
    for (_, algorithm) in measured where panelWidths(of: algorithm).contains(width) {
      if let variant = algorithm.variant(record, panelWidth: width) { return variant }
    }
    return nil
  }
}
