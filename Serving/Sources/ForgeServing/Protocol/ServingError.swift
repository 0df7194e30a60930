/// An error that a client of the server receives.
public struct ServingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of error it is, which decides the status.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The request is wrong: 400, `INVALID_ARGUMENT`.
    case invalid
    /// The model, version or route does not exist: 404, `NOT_FOUND`.
    case notFound
    /// A bearer token is missing or wrong: 401, `UNAUTHENTICATED`.
    case unauthorized
    /// The route has another method: 405.
    case wrongMethod
    /// The request is larger than its limit: 413, `RESOURCE_EXHAUSTED`.
    case tooLarge
    /// The queue of the model is full: 503 with `Retry-After`, `RESOURCE_EXHAUSTED`.
    case overloaded
    /// The model is not ready: 503, `UNAVAILABLE`.
    case unavailable
    /// The time of the request is over: 503, `DEADLINE_EXCEEDED`.
    case timedOut
    /// The client has disconnected: 499, `CANCELLED`.
    case cancelled
    /// The server does not have it: 501, `UNIMPLEMENTED`.
    case unsupported
    /// The prediction failed: 500, `INTERNAL`.
    case failed
  }

  /// The kind.
  public let kind: Kind
  /// What happened, in one sentence without a period.
  public let message: String
  /// The seconds after which the client may try again; `nil` unless the server is overloaded.
  public let retryAfter: Int?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - kind: the kind.
  ///   - message: what happened.
  ///   - retryAfter: the seconds after which the client may try again.
  public init(_ kind: Kind, _ message: String, retryAfter: Int? = nil) {
    self.kind = kind
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The message.
  public var description: String { message }
}

extension ServingError {
  /// The time of a request is over.
  static let timeIsOver = ServingError(.timedOut, "the time of the request is over")

  static func invalid(_ message: String) -> ServingError { ServingError(.invalid, message) }
}
