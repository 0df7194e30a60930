import Hummingbird
import NIOCore

/// The context of a request, with the channel that it came through.
public struct ServingContext: InitializableFromSource, Sendable {
  let channel: any Channel

  /// Creates a context.
  public init(source: ApplicationRequestContextSource) { channel = source.channel }
}

/// Answers the requests of a server's connections.
struct ServingResponder: HTTPResponder {
  typealias Context = ServingContext

  let service: InferenceHTTPService
  let clients: ClientTable
  /// Whether the port has /metrics and the probes alone.
  var isMetrics = false

  func respond(to request: Request, context: ServingContext) async throws -> Response {
    if isMetrics, let route = ServingRoute(path: Substring(request.uri.path)),
      route != .metrics, !route.isOpen
    {
      return HTTPAnswer(ServingError(.notFound, "this port has /metrics only"))
        .response(accepting: nil)
    }
    let end = RequestEnd()
    clients.begin(context.channel) { end.cancel() }
    defer { clients.end(context.channel) }
    return await end.run { await service.respond(to: request) }
  }
}

/// The protocol's routes for a router of one's own: other paths go on to the next handler.
///
/// ```swift
/// let router = Router()
/// router.add(middleware: InferenceMiddleware(InferenceHTTPService(repository)))
/// router.get("hello") { _, _ in "hello" }
/// ```
public struct InferenceMiddleware<Context: RequestContext>: RouterMiddleware {
  private let service: InferenceHTTPService

  /// Creates the middleware.
  ///
  /// - Parameter service: answers the requests.
  public init(_ service: InferenceHTTPService) { self.service = service }

  /// Answers a request of the protocol, or passes it on.
  public func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    switch ServingRoute(path: Substring(request.uri.path)) {
    case nil, .page, .metrics: return try await next(request, context)
    default: return await service.respond(to: request)
    }
  }
}
