import GRPCCore
import ServiceLifecycle

/// The service `inference.GRPCInferenceService` of the Open Inference Protocol.
public struct InferenceService: RegistrableRPCService {
  static let name = "inference.GRPCInferenceService"

  private let repository: ModelRepository
  private let limits: ServingLimits
  private let token: BearerToken?

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - repository: the models.
  ///   - limits: the limits on requests.
  ///   - token: the bearer token that a request must carry; `nil` for no check.
  public init(
    _ repository: ModelRepository, limits: ServingLimits = ServingLimits(),
    token: BearerToken? = nil
  ) {
    self.repository = repository
    self.limits = limits
    self.token = token
  }

  /// Registers the methods.
  public func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    let (repository, limits, token) = (repository, limits, token)
    func method(
      _ name: String,
      isOpen: Bool = false,
      _ body:
        @escaping @Sendable (ArraySlice<UInt8>, inout WireWriter) async throws(ServingError)
        -> Void
    ) {
      router.register(name, of: Self.name, token: isOpen ? nil : token) {
        (bytes) async throws(ServingError) in
        var writer = WireWriter()
        try await body(bytes, &writer)
        return writer.bytes
      }
    }
    method("ServerLive", isOpen: true) { (_, writer) throws(ServingError) in writer.flag(1, true) }
    method("ServerReady", isOpen: true) { (_, writer) throws(ServingError) in
      writer.flag(1, repository.isReady)
    }
    method("ModelReady") { (bytes, writer) throws(ServingError) in
      let request = try ModelRequest(bytes)
      let isReady = (try? repository.model(request.name, version: request.version)) != nil
      writer.flag(1, isReady)
    }
    method("ServerMetadata") { (_, writer) throws(ServingError) in writer.writeServer() }
    method("ModelMetadata") { (bytes, writer) throws(ServingError) in
      let request = try ModelRequest(bytes)
      let model = try repository.model(request.name, version: request.version)
      writer.write(metadata: model, versions: repository.versions(of: model.name))
    }
    method("ModelConfig") { (bytes, writer) throws(ServingError) in
      let request = try ModelRequest(bytes)
      writer.write(configuration: try repository.model(request.name, version: request.version))
    }
    method("ModelStatistics") { (bytes, writer) throws(ServingError) in
      let request = try ModelRequest(bytes)
      let name = request.name.isEmpty ? nil : request.name
      let version = request.version.isEmpty ? nil : request.version
      writer.write(statistics: try repository.models(name, version: version))
    }
    method("ModelInfer") { (bytes, writer) async throws(ServingError) in
      writer.write(try await Self.infer(bytes, repository, limits))
    }
    method("RepositoryIndex") { (bytes, writer) async throws(ServingError) in
      let isReadyOnly = try RepositoryRequest(bytes, isIndex: true).isReadyOnly
      let entries = await repository.index().filter { !isReadyOnly || $0.state == "READY" }
      writer.write(index: entries)
    }
    method("RepositoryModelLoad") { (bytes, writer) async throws(ServingError) in
      let request = try RepositoryRequest(bytes)
      try repository.checkChanges()
      for name in request.parameters { try ModelRepository.check(loadParameter: name) }
      try await repository.load(request.model)
      request.answer(&writer)
    }
    method("RepositoryModelUnload") { (bytes, writer) async throws(ServingError) in
      let request = try RepositoryRequest(bytes)
      try repository.checkChanges()
      try await repository.unload(request.model)
      request.answer(&writer)
    }
    registerStream(with: &router)
  }

  private static func infer(
    _ bytes: ArraySlice<UInt8>, _ repository: ModelRepository, _ limits: ServingLimits
  ) async throws(ServingError) -> InferenceResponse {
    let request = try ModelInferRequest(bytes)
    let model = try repository.model(request.modelName, version: request.modelVersion)
    return try await model.infer(request.request, limit: limits.time)
  }

  /// `ModelStreamInfer`: the requests of a stream are answered one after the other, in order.
  private func registerStream<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    let (repository, limits, token) = (repository, limits, token)
    router.registerHandler(
      forMethod: MethodDescriptor(fullyQualifiedService: Self.name, method: "ModelStreamInfer"),
      deserializer: RawDeserializer(), serializer: RawSerializer()
    ) { request, _ in
      do throws(ServingError) { try token?.check(request.metadata.bearer) } catch {
        throw error.rpcError
      }
      return StreamingServerResponse { writer in
        // A server that has been told to end answers what it has read, and reads nothing more.
        for try await message in request.messages.cancelOnGracefulShutdown() {
          var answer = WireWriter()
          let result = await RequestEnd.answer(message) { (bytes) async throws(ServingError) in
            try await Self.infer(bytes, repository, limits)
          }
          do throws(ServingError) {
            let response = try result.get()
            answer.message(2) { $0.write(response) }
          } catch {
            answer.text(1, error.message)
            // Clients find the request by the id of an empty response.
            let id = (try? ModelInferRequest(message[...]))?.request.id ?? ""
            answer.message(2) { $0.text(3, id) }
          }
          try await writer.write(answer.bytes)
        }
        if Task.isShuttingDownGracefully {
          throw ServingError(.unavailable, "the server is ending").rpcError
        }
        return [:]
      }
    }
  }
}

/// A request of the repository extension.
private struct RepositoryRequest {
  var model = ""
  var isReadyOnly = false
  var parameters: [String] = []
  /// KServe's form has the name of the model first and no name of a repository.
  private var isOfKServe = false

  init(_ bytes: ArraySlice<UInt8>, isIndex: Bool = false) throws(ServingError) {
    var reader = WireReader(bytes)
    var first = ""
    while let field = try reader.next() {
      switch field.number {
      case 1: first = try field.text
      case 2 where isIndex: isReadyOnly = try field.integer != 0
      case 2: model = try field.text
      case 3:
        var entry = WireReader(try field.bytes)
        while let field = try entry.next() {
          if field.number == 1 { parameters.append(try field.text) }
        }
      default: break
      }
    }
    if model.isEmpty, !isIndex {
      model = first
      isOfKServe = true
    }
  }

  /// The answer to a load or an unload.
  func answer(_ writer: inout WireWriter) {
    guard isOfKServe else { return }
    writer.text(1, model)
    writer.flag(2, true)
  }
}
