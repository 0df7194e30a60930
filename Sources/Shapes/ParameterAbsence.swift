/// What a source says about a parameter for which it has no values.
package struct ParameterAbsence: Hashable, Sendable {
  /// What was found instead.
  package let received: String
  /// What the user may do about it.
  package let remedy: String?

  /// Creates an explanation.
  package init(received: String, remedy: String?) {
    self.received = received
    self.remedy = remedy
  }
}

/// A source that can say why it has no values for a parameter.
package protocol AbsenceExplainingSource: ParameterSource {
  /// Why there are no values; `nil` if there is no more to say than that.
  func absence(of spec: ParameterSpec) -> ParameterAbsence?
}
