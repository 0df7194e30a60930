/// The options of a server.
public struct ServingOptions: Sendable {
  /// A certificate and its key, both PEM files.
  public struct TLS: Sendable {
    /// The certificates, the server's own first.
    public var certificates: String
    /// The private key.
    public var key: String

    /// Creates the options.
    public init(certificates: String, key: String) {
      self.certificates = certificates
      self.key = key
    }
  }

  /// The address that is listened to: this machine only by default.
  public var host = "127.0.0.1"
  /// The port of REST; `nil` for none.
  public var httpPort: Int? = 8000
  /// The port of gRPC; `nil` for none.
  public var grpcPort: Int? = 8001
  /// The port of /metrics; `nil` for none.
  public var metricsPort: Int? = 8002
  /// The certificate for HTTPS and gRPC; `nil` for neither.
  public var tls: TLS?
  /// The bearer token that a request must carry; `nil` for no check.
  public var token: BearerToken?
  /// The limits on requests.
  public var limits = ServingLimits()
  /// The time between two scans of the repository in poll mode.
  public var pollInterval = Duration.seconds(15)
  /// The time that requests have to finish after SIGTERM.
  public var grace = Duration.seconds(30)
  /// The models to load at the start in the mode `explicit`.
  public var loadedModels: [String] = []

  /// Creates the defaults.
  public init() {}
}
