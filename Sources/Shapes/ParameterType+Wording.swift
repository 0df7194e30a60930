/// Parameters as messages name them.
extension ParameterType {
  /// The parameter with its article: `the weights`, `the gamma`, `the parameter "reduce_bias"`.
  package var subject: String {
    switch self {
    case .weights, .biases, .slopes, .gamma, .beta, .mean, .variance: "the \(name)"
    default: "the parameter \"\(name)\""
    }
  }

  /// A verb that agrees with ``subject``: `are` for weights, `is` for a variance.
  package func verb(_ plural: String, _ singular: String) -> String {
    [.weights, .biases, .slopes].contains(self) ? plural : singular
  }
}
