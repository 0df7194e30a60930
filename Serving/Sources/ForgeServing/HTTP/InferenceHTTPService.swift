import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Answers the REST requests of the Open Inference Protocol, and OpenAI's for embeddings.
public struct InferenceHTTPService: Sendable {
  private let repository: ModelRepository
  private let limits: ServingLimits
  private let token: BearerToken?
  private let logger: Logger

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - repository: the models.
  ///   - limits: the limits on requests.
  ///   - token: the bearer token that a request must carry; `nil` for no check.
  ///   - logger: receives failures of the server, without data of requests.
  public init(
    _ repository: ModelRepository, limits: ServingLimits = ServingLimits(),
    token: BearerToken? = nil, logger: Logger = Logger(label: "forge.serving")
  ) {
    self.repository = repository
    self.limits = limits
    self.token = token
    self.logger = logger
  }

  /// Answers a request; every error has a body with its sentence.
  ///
  /// - Parameter request: the request, whose body is read at most up to its limit.
  /// - Returns: the response.
  public func respond(to request: Request) async -> Response {
    let answer: HTTPAnswer
    do throws(ServingError) {
      answer = try await self.answer(request)
    } catch {
      if error.kind == .failed {
        logger.error("request failed", metadata: ["reason": "\(error)"])
      }
      let route = ServingRoute(path: Substring(request.uri.path))
      answer = HTTPAnswer(error, isOfOpenAI: route?.isOfOpenAI ?? false)
    }
    var response = answer.response(accepting: request.headers[.acceptEncoding])
    if request.method == .head { response.body = ResponseBody() }
    return response
  }

  private func answer(_ request: Request) async throws(ServingError) -> HTTPAnswer {
    guard let route = ServingRoute(path: Substring(request.uri.path)) else {
      throw ServingError(.notFound, "there is no such path")
    }
    if !route.isOpen { try token?.check(request.headers[.authorization]) }
    if case .absent(let what) = route {
      throw ServingError(.unsupported, "the server has no \(what)")
    }
    let isRead = request.method == .get || request.method == .head
    guard route.isRead ? isRead : request.method == .post else {
      throw ServingError(.wrongMethod, "the path takes \(route.isRead ? "GET" : "POST")")
    }
    switch route {
    case .page:
      return HTTPAnswer(text: StatusPage(repository).html, type: "text/html; charset=utf-8")
    case .metrics:
      return HTTPAnswer(text: MetricsText(repository).text, type: MetricsText.type)
    case .server: return HTTPAnswer { $0.writeServer() }
    case .live:
      return HTTPAnswer {
        $0.object {
          $0.name("live"); $0.value(true)
        }
      }
    case .ready:
      guard repository.isReady else {
        throw ServingError(.unavailable, "models are being loaded, or one could not be")
      }
      return HTTPAnswer {
        $0.object {
          $0.name("ready"); $0.value(true)
        }
      }
    case .model(let name, let version):
      let model = try repository.model(name, version: version)
      let versions = repository.versions(of: name)
      return HTTPAnswer { $0.write(metadata: model, versions: versions) }
    case .modelReady(let name, let version):
      let model = try repository.model(name, version: version)
      return HTTPAnswer { writer in
        writer.object { writer in
          writer.name("name")
          writer.value(model.name)
          writer.name("ready")
          writer.value(true)
        }
      }
    case .configuration(let name, let version):
      let model = try repository.model(name, version: version)
      return HTTPAnswer { $0.write(configuration: model) }
    case .statistics(let name, let version):
      let models = try repository.models(name, version: version)
      return HTTPAnswer { $0.write(statistics: models) }
    case .infer(let name, let version):
      return try await infer(request, repository.model(name, version: version))
    case .index: return try await index(request)
    case .embeddings:
      return try await embeddings(
        try await body(request, limit: limits.body), repository, limit: limits.time)
    case .encoders(let name): return try encoders(name, repository)
    case .load(let name):
      try await change(request)
      try await repository.load(name)
      return HTTPAnswer { $0.object { _ in } }
    case .unload(let name):
      try await change(request)
      try await repository.unload(name)
      return HTTPAnswer { $0.object { _ in } }
    case .absent: throw ServingError(.unsupported, "the server has no such part")
    }
  }

  // MARK: Bodies

  /// The body, decompressed, of at most the limit.
  private func body(
    _ request: Request, limit: Int
  ) async throws(ServingError) -> ArraySlice<UInt8> {
    let coding = try ContentCoding.named(request.headers[.contentEncoding])
    let buffer: ByteBuffer
    do { buffer = try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError {
      throw ServingError(.tooLarge, "the body is larger than \(limit) bytes")
    } catch {
      throw ServingError(.cancelled, "the body did not arrive")
    }
    let bytes = buffer.readableBytesView.withUnsafeBytes { [UInt8]($0) }
    guard coding != nil else { return bytes[...] }
    return try ContentCoding.decompressed(bytes[...], limit: limit)[...]
  }

  private func infer(
    _ request: Request, _ model: any ServedVersion
  ) async throws(ServingError) -> HTTPAnswer {
    var count: Int?
    if let name = HTTPField.Name.inferenceHeaderContentLength, let text = request.headers[name] {
      guard let number = Int(text), number >= 0 else {
        throw .invalid("Inference-Header-Content-Length is not a whole number")
      }
      count = number
    }
    let body = try await body(request, limit: limits.body)
    let inference =
      count == 0
      ? try InferenceRequest(raw: body, for: model)
      : try InferenceRequest(body: body, jsonCount: count)
    return try HTTPAnswer(try await model.infer(inference, limit: limits.time))
  }

  /// The largest body of a request that only has JSON.
  private static let smallBody = 1 << 20

  private func index(_ request: Request) async throws(ServingError) -> HTTPAnswer {
    let body = try await body(request, limit: Self.smallBody)
    var isReadyOnly = false
    if !body.isEmpty {
      var cursor = JSONCursor(body)
      try cursor.object { (name, cursor) throws(ServingError) in
        if name == "ready" { isReadyOnly = try cursor.flag() } else { try cursor.skip() }
      }
      try cursor.end()
    }
    let entries = await repository.index().filter { !isReadyOnly || $0.state == "READY" }
    return HTTPAnswer { $0.write(index: entries) }
  }

  /// Checks that clients may load models, and that a request states nothing but that.
  private func change(_ request: Request) async throws(ServingError) {
    let body = try await body(request, limit: Self.smallBody)
    try repository.checkChanges()
    guard !body.isEmpty else { return }
    var cursor = JSONCursor(body)
    try cursor.object { (name, cursor) throws(ServingError) in
      guard name == "parameters" else { return _ = try cursor.skip() }
      try cursor.object { (name, cursor) throws(ServingError) in
        try cursor.skip()
        try ModelRepository.check(loadParameter: name)
      }
    }
    try cursor.end()
  }
}

extension ModelRepository {
  /// Checks that clients may load and unload.
  func checkChanges() throws(ServingError) {
    guard mode == .explicit else {
      throw ServingError(
        .invalid,
        "clients cannot load or unload models: the server runs with the control mode \(mode)")
    }
  }

  /// Refuses parameters of a load that would put files or configurations into the repository.
  static func check(loadParameter name: String) throws(ServingError) {
    guard name == "unload_dependents" else {
      throw ServingError(
        .unsupported, "models are loaded from the repository only, without \"\(name.prefix(80))\"")
    }
  }

  /// The ready versions that a request for statistics names.
  func models(_ name: String?, version: String?) throws(ServingError) -> [any ServedVersion] {
    guard let name else { return ready }
    if let version { return [try model(name, version: version)] }
    _ = try model(name)
    return ready.filter { $0.name == name }
  }
}

extension InferenceRequest {
  /// A request whose body is the binary data of a model's only input.
  init(raw body: ArraySlice<UInt8>, for model: any ServedVersion) throws(ServingError) {
    guard model.inputFacts.count == 1, let input = model.inputFacts.first else {
      throw .invalid("a raw request needs a model with one input")
    }
    var shape = input.shape
    let known = shape.filter { $0 >= 0 }.reduce(input.datatype.byteCount ?? 1, *)
    if let open = shape.firstIndex(of: -1) {
      guard shape.filter({ $0 < 0 }).count == 1, known > 0, body.count.isMultiple(of: known) else {
        throw .invalid("the \(body.count) bytes of a raw request do not fill \(input.shape)")
      }
      shape[open] = body.count / known
    }
    self.init(
      inputs: [
        TensorData(name: input.name, datatype: input.datatype, shape: shape, content: body)
      ], isBinaryOutput: true)
  }
}
