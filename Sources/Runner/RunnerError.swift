/// What keeps a runner from predicting.
public struct RunnerError: Error, Sendable, CustomStringConvertible {
  /// The kinds of mistakes.
  public enum Kind: String, Hashable, Sendable {
    /// The number of in-flight buffers is not positive.
    case invalidCount
    /// The task was cancelled while it waited or before its prediction began.
    case cancelled
  }

  /// What kind of mistake it is.
  public let kind: Kind
  /// The mistake in Forge's voice.
  public let description: String

  static func invalidCount(_ count: Int) -> RunnerError {
    RunnerError(
      kind: .invalidCount,
      description: """
        inflightBuffers must be positive
          received  inflightBuffers: \(count)
          needs     at least 1
        """)
  }

  static let cancelled = RunnerError(
    kind: .cancelled, description: "the prediction was cancelled before it began")
}
