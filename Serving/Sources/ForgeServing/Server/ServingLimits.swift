/// The limits on requests.
public struct ServingLimits: Sendable {
  /// The bytes of a body, compressed and decompressed.
  public var body = 64 << 20
  /// The bytes of all header fields.
  public var header = 32 << 10
  /// The open connections of each port.
  public var connections = 1024
  /// The requests that a gRPC connection may have open.
  public var streams = 256
  /// The time from a request's arrival to its answer.
  public var time = Duration.seconds(60)
  /// The time in which a request must arrive and its answer be read, and after which an idle
  /// connection is closed.
  public var idle = Duration.seconds(120)

  /// Creates the defaults.
  public init() {}
}
