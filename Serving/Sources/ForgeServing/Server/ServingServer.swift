import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A server that answers the Open Inference Protocol over REST and gRPC.
///
/// ```swift
/// let repository = try ModelRepository("models")
/// try await ServingServer(repository).run()
/// ```
public struct ServingServer: Service {
  /// The models.
  public let repository: ModelRepository
  /// The options.
  public let options: ServingOptions
  private let logger: Logger

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - repository: the models.
  ///   - options: ports, limits, token and certificate.
  ///   - logger: receives what happens, without data of requests.
  public init(
    _ repository: ModelRepository, options: ServingOptions = ServingOptions(),
    logger: Logger = Logger(label: "forge.serving")
  ) {
    self.repository = repository
    self.options = options
    self.logger = logger
  }

  /// Loads the models and answers requests until the process receives a signal to end.
  ///
  /// SIGTERM and SIGINT end the accepting of requests; those that were accepted are answered within
  /// the grace of the options.
  ///
  /// - Throws: the error of a port that cannot be listened to, or of a certificate.
  public func run() async throws {
    var ports: [any Service] = []
    if let port = options.httpPort { ports.append(try http(port, isMetrics: false)) }
    if let port = options.metricsPort { ports.append(try http(port, isMetrics: true)) }
    if let port = options.grpcPort { ports.append(try grpc(port)) }
    // Services end in reverse order: the models end when the ports have answered what is accepted.
    var services: [any Service] = [RepositoryService(repository, options)]
    if !ports.isEmpty { services.append(PortsService(ports, repository)) }
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = options.grace
    try await ServiceGroup(configuration: configuration).run()
    logger.info("ended")
  }

  private func http(_ port: Int, isMetrics: Bool) throws -> some Service {
    let limits = options.limits
    let service = InferenceHTTPService(
      repository, limits: limits, token: options.token, logger: logger)
    let clients = ClientTable()
    var channel = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ClientWatch(
          clients, limit: isMetrics ? 0 : limits.body,
          time: .nanoseconds(limits.idle.wholeNanoseconds))
      ], idleTimeout: .nanoseconds(limits.idle.wholeNanoseconds))
    channel.httpDecoder = .init(
      maxHeaderFieldSize: limits.header, maxHeaderListSize: limits.header,
      maxHeaderFieldCount: 128)
    var server = HTTPServerBuilder.http1(configuration: channel)
    if let tls = options.tls { server = try .tls(server, tlsConfiguration: try tls.configuration) }
    let logger = logger
    return Application(
      responder: ServingResponder(service: service, clients: clients, isMetrics: isMetrics),
      server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(options.host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
      onServerRunning: { channel in
        let name = isMetrics ? "metrics" : "HTTP"
        logger.info(
          "listening", metadata: ["protocol": "\(name)", "port": "\(channel.boundPort)"])
      }, logger: quiet)
  }

  /// The logger of the packages below, which would repeat every request.
  private var quiet: Logger {
    var logger = logger
    logger.logLevel = max(logger.logLevel, .warning)
    return logger
  }

  private func grpc(_ port: Int) throws -> some Service {
    let limits = options.limits
    let config = HTTP2ServerTransport.Posix.Config.defaults { config in
      config.rpc.maxRequestPayloadSize = limits.body
      config.connection.maxIdleTime = limits.idle
      config.http2.maxConcurrentStreams = limits.streams
      config.channelDebuggingCallbacks.onBindTCPListener = { channel in
        // The listening channel is the only place where gRPC lets connections be counted.
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            AvailableConnectionsChannelHandler(
              delegate: MaximumAvailableConnections(limits.connections)))
        }
      }
      config.compression.enabledAlgorithms = [.gzip, .deflate]
    }
    let security: HTTP2ServerTransport.Posix.TransportSecurity =
      if let tls = options.tls {
        .tls(
          certificateChain: [.file(path: tls.certificates, format: .pem)],
          privateKey: .file(path: tls.key, format: .pem))
      } else { .plaintext }
    let transport = HTTP2ServerTransport.Posix(
      address: options.host.contains(":")
        ? .ipv6(host: options.host, port: port) : .ipv4(host: options.host, port: port),
      transportSecurity: security, config: config)
    let server = GRPCServer(
      transport: transport,
      services: [
        InferenceService(repository, limits: limits, token: options.token),
        HealthService(repository),
      ])
    return GRPCService(server: server, logger: logger)
  }
}

/// Runs the ports, which all stop accepting requests together.
private struct PortsService: Service {
  let ports: [any Service]
  let repository: ModelRepository

  init(_ ports: [any Service], _ repository: ModelRepository) {
    self.ports = ports
    self.repository = repository
  }

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for port in ports { group.addTask { try await port.run() } }
        // A port that fails ends the others.
        for try await _ in group {}
      }
    } onGracefulShutdown: {
      repository.beginDraining()
    }
  }
}

/// Runs a gRPC server as a service.
private struct GRPCService: Service {
  let server: GRPCServer<HTTP2ServerTransport.Posix>
  let logger: Logger

  func run() async throws {
    try await withGracefulShutdownHandler {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.serve() }
        if let address = try? await server.listeningAddress {
          let port = address.ipv4?.port ?? address.ipv6?.port ?? 0
          logger.info("listening", metadata: ["protocol": "gRPC", "port": "\(port)"])
        }
        try await group.next()
      }
    } onGracefulShutdown: {
      server.beginGracefulShutdown()
    }
  }
}

/// Loads the models, looks at the repository from time to time, and drains the models at the end.
private struct RepositoryService: Service {
  let repository: ModelRepository
  let options: ServingOptions

  init(_ repository: ModelRepository, _ options: ServingOptions) {
    self.repository = repository
    self.options = options
  }

  func run() async throws {
    await repository.loadAll(repository.mode == .explicit ? options.loadedModels : nil)
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: repository.mode == .poll ? options.pollInterval : .seconds(3600))
        if repository.mode == .poll { await repository.poll() }
      }
    }
    await repository.shutDown()
  }
}

extension ServingOptions.TLS {
  /// The configuration of HTTPS.
  fileprivate var configuration: TLSConfiguration {
    get throws {
      TLSConfiguration.makeServerConfiguration(
        certificateChain: try NIOSSLCertificate.fromPEMFile(certificates).map {
          .certificate($0)
        }, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    }
  }
}

extension Channel {
  /// The port that a listening channel has; 0 for none.
  fileprivate var boundPort: Int { localAddress?.port ?? 0 }
}
