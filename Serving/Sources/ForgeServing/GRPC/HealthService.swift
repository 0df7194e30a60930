import GRPCCore
import ServiceLifecycle

/// The service `grpc.health.v1.Health`, which orchestrators query.
public struct HealthService: RegistrableRPCService {
  private static let name = "grpc.health.v1.Health"
  private let repository: ModelRepository

  /// Creates a service.
  ///
  /// - Parameter repository: the models, whose readiness it reports.
  public init(_ repository: ModelRepository) { self.repository = repository }

  /// The status as the protocol numbers it.
  private enum Status: UInt64 {
    case serving = 1
    case notServing = 2
    case serviceUnknown = 3
  }

  private static func status(
    _ bytes: ArraySlice<UInt8>, _ repository: ModelRepository
  ) throws(ServingError) -> Status {
    var reader = WireReader(bytes)
    var service = ""
    while let field = try reader.next() {
      if field.number == 1 { service = try field.text }
    }
    guard ["", name, InferenceService.name].contains(service) else { return .serviceUnknown }
    return repository.isReady ? .serving : .notServing
  }

  private static func message(_ status: Status) -> [UInt8] {
    var writer = WireWriter()
    writer.integer(1, status.rawValue)
    return writer.bytes
  }

  /// Registers the methods.
  public func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    let repository = repository
    router.register("Check", of: Self.name, token: nil) { (bytes) throws(ServingError) in
      let status = try Self.status(bytes, repository)
      guard status != .serviceUnknown else {
        throw ServingError(.notFound, "unknown service")
      }
      return Self.message(status)
    }
    router.registerHandler(
      forMethod: MethodDescriptor(fullyQualifiedService: Self.name, method: "Watch"),
      deserializer: RawDeserializer(), serializer: RawSerializer()
    ) { request, _ in
      let message = try await ServerRequest(stream: request).message
      return StreamingServerResponse { writer in
        var last: Status?
        while !Task.isCancelled {
          let status: Status
          do throws(ServingError) { status = try Self.status(message[...], repository) } catch {
            throw error.rpcError
          }
          if status != last {
            try await writer.write(Self.message(status))
            last = status
          }
          // A watch would keep a server from shutting down.
          if Task.isShuttingDownGracefully { break }
          do { try await Task.sleep(for: .milliseconds(500)) } catch { break }
        }
        return [:]
      }
    }
  }
}
