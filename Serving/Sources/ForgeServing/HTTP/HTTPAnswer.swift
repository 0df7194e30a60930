import HTTPTypes
import Hummingbird
import NIOCore

extension HTTPField.Name {
  // The literals are valid names.
  static let inferenceHeaderContentLength = HTTPField.Name("Inference-Header-Content-Length")
}

/// An answer before it becomes a response of the HTTP server.
struct HTTPAnswer: Sendable {
  var status: HTTPResponse.Status = .ok
  var type = "application/json"
  var body: [UInt8] = []
  /// The bytes of JSON before binary tensors; `nil` if there are none.
  var jsonCount: Int?
  var retryAfter: Int?

  /// The answer of JSON.
  init(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    body(&writer)
    self.body = writer.bytes
  }

  /// The answer of an error: the protocol has its sentence, OpenAI's API an object with it.
  init(_ error: ServingError, isOfOpenAI: Bool = false) {
    self.init { writer in
      writer.object { writer in
        writer.name("error")
        guard isOfOpenAI else { return writer.value(error.message) }
        writer.object { writer in
          writer.name("message")
          writer.value(error.message)
          writer.name("type")
          writer.value(error.kind == .failed ? "server_error" : "invalid_request_error")
          writer.name("code")
          writer.value(error.kind.rawValue)
        }
      }
    }
    status = error.kind.status
    retryAfter = error.retryAfter
  }

  /// The answer of text.
  init(text: String, type: String) {
    body = Array(text.utf8)
    self.type = type
  }

  /// The answer of a prediction.
  init(_ response: InferenceResponse) throws(ServingError) {
    let (bytes, count) = try response.body()
    body = bytes
    jsonCount = count
    if count != nil { type = "application/octet-stream" }
  }

  /// Bodies below this size are sent as they are.
  private static let smallestCompressed = 1024

  /// The response, compressed if the client accepts it.
  func response(accepting header: String?) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = type
    if let jsonCount, let name = HTTPField.Name.inferenceHeaderContentLength {
      headers[name] = "\(jsonCount)"
    }
    if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
    var bytes = body
    if bytes.count >= Self.smallestCompressed, let coding = ContentCoding.accepted(header),
      let compressed = coding.compressed(bytes)
    {
      bytes = compressed
      headers[.contentEncoding] = coding.rawValue
    }
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

extension ServingError.Kind {
  /// The HTTP status.
  var status: HTTPResponse.Status {
    switch self {
    case .invalid: .badRequest
    case .notFound: .notFound
    case .unauthorized: .unauthorized
    case .wrongMethod: .methodNotAllowed
    case .tooLarge: .contentTooLarge
    case .overloaded, .unavailable, .timedOut: .serviceUnavailable
    case .cancelled: HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
    case .unsupported: .notImplemented
    case .failed: .internalServerError
    }
  }
}
