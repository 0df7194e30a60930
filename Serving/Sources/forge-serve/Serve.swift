import ArgumentParser
import ForgeServing
import Foundation
import Logging

/// Serves the models of a folder over the Open Inference Protocol.
@main struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forge-serve",
    abstract: "Serves the models of a folder over the Open Inference Protocol (REST and gRPC).",
    discussion: """
      Each model file, and each folder in Triton's layout (name/1/model.onnx with an optional \
      config.pbtxt), becomes a model. The server listens to this machine only unless --host says \
      otherwise. SIGTERM lets accepted requests finish.
      """)

  @Argument(help: "The folder of the models.")
  var repository: String

  @Option(help: "The IP address to listen on; 0.0.0.0 for all addresses of this machine.")
  var host = "127.0.0.1"

  @Option(help: "The port of REST; 0 for any free one, -1 for none.")
  var httpPort = 8000

  @Option(help: "The port of gRPC; 0 for any free one, -1 for none.")
  var grpcPort = 8001

  @Option(help: "The port of /metrics; 0 for any free one, -1 for none.")
  var metricsPort = 8002

  @Option(help: "How models are loaded and unloaded: none, explicit or poll.")
  var modelControlMode = "none"

  @Option(help: "A model to load at the start in explicit mode; may be repeated.")
  var loadModel: [String] = []

  @Option(help: "The seconds between two scans of the folder in poll mode.")
  var repositoryPollSecs = 15

  @Option(help: "The latency that 99 of 100 requests are to keep, such as 20ms.")
  var p99: String?

  @Option(help: "The predictions of a model in flight; measured by default.")
  var slots: Int?

  @Option(help: "The threads of one prediction.")
  var threads: Int?

  @Option(help: "The requests of a model that may wait.")
  var queue = 128

  @Option(help: "The most MiB of a request's body.")
  var maxBody = 64

  @Option(help: "The most connections of a port.")
  var maxConnections = 1024

  @Option(help: "The most seconds from a request's arrival to its answer.")
  var requestTimeout = 60

  @Option(help: "The most seconds for a request to arrive, and of a connection without requests.")
  var idleTimeout = 120

  @Option(help: "The seconds that accepted requests have after SIGTERM.")
  var gracePeriod = 30

  @Option(help: "A file with the bearer token that requests must carry.")
  var tokenFile: String?

  @Option(help: "A PEM file with the certificates of the server.")
  var tlsCertificate: String?

  @Option(help: "A PEM file with the private key of the server.")
  var tlsKey: String?

  @Option(help: "What is logged: trace, debug, info, warning or error.")
  var logLevel = "info"

  func run() async throws {
    guard let mode = ModelRepository.Mode(rawValue: modelControlMode) else {
      throw ValidationError("--model-control-mode is one of none, explicit and poll")
    }
    guard let level = Logger.Level(rawValue: logLevel) else {
      throw ValidationError("--log-level is one of trace, debug, info, warning and error")
    }
    var models = ModelOptions()
    models.slots = try slots.map { try Self.checked($0, 1...1024, "--slots") }
    models.threads = try threads.map { try Self.checked($0, 1...1024, "--threads") }
    models.queue = try Self.checked(queue, 0...1_000_000, "--queue")
    models.p99 = try p99.map(Self.duration)
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    var logger = Logger(label: "forge-serve")
    logger.logLevel = level
    let repository = try ModelRepository(repository, mode: mode, options: models, logger: logger)
    try await ServingServer(repository, options: try options(), logger: logger).run()
  }

  private func options() throws -> ServingOptions {
    var options = ServingOptions()
    options.host = host
    options.httpPort = try Self.port(httpPort, "--http-port")
    options.grpcPort = try Self.port(grpcPort, "--grpc-port")
    options.metricsPort = try Self.port(metricsPort, "--metrics-port")
    options.loadedModels = loadModel
    options.pollInterval = .seconds(
      try Self.checked(repositoryPollSecs, 1...86_400, "--repository-poll-secs"))
    options.grace = .seconds(try Self.checked(gracePeriod, 0...3600, "--grace-period"))
    options.limits.body = try Self.checked(maxBody, 1...2047, "--max-body") << 20
    options.limits.connections = try Self.checked(
      maxConnections, 1...1_000_000, "--max-connections")
    options.limits.time = .seconds(
      try Self.checked(requestTimeout, 1...86_400, "--request-timeout"))
    options.limits.idle = .seconds(try Self.checked(idleTimeout, 1...86_400, "--idle-timeout"))
    if let tokenFile {
      let text = try String(contentsOfFile: tokenFile, encoding: .utf8)
      guard let token = BearerToken(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        throw ValidationError("--token-file holds no token of visible characters")
      }
      options.token = token
    }
    guard options.httpPort != nil || options.grpcPort != nil else {
      throw ValidationError("--http-port and --grpc-port are both -1: nothing would be served")
    }
    switch (tlsCertificate, tlsKey) {
    case (let certificate?, let key?):
      options.tls = ServingOptions.TLS(certificates: certificate, key: key)
    case (nil, nil): break
    default: throw ValidationError("--tls-certificate and --tls-key belong together")
    }
    return options
  }

  private static func checked(
    _ value: Int, _ range: ClosedRange<Int>, _ name: String
  ) throws -> Int {
    guard range.contains(value) else {
      throw ValidationError("\(name) is from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private static func port(_ value: Int, _ name: String) throws -> Int? {
    try value == -1 ? nil : checked(value, 0...65_535, name)
  }

  /// A time such as `20ms`, `1.5s` or `800us`.
  private static func duration(_ text: String) throws -> Duration {
    for (suffix, seconds) in [("ms", 1e-3), ("us", 1e-6), ("s", 1.0)] where text.hasSuffix(suffix) {
      if let number = Double(text.dropLast(suffix.count)), (1e-6...3600).contains(number * seconds)
      {
        return .seconds(number * seconds)
      }
    }
    throw ValidationError("--p99 is a time such as 20ms or 0.5s")
  }
}
