import GRPCCore

/// Passes the bytes of a message on as they are.
struct RawDeserializer: MessageDeserializer {
  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
    bytes.withUnsafeBytes { [UInt8]($0) }
  }
}

/// Passes bytes on as a message.
struct RawSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }
}

extension RPCRouter {
  /// Registers a method of one request and one response.
  ///
  /// - Parameters:
  ///   - method: the name.
  ///   - service: the full name of the service.
  ///   - token: the bearer token that a request must carry.
  ///   - body: answers the bytes of a request.
  mutating func register(
    _ method: String, of service: String, token: BearerToken?,
    _ body: @escaping @Sendable (ArraySlice<UInt8>) async throws(ServingError) -> [UInt8]
  ) {
    registerHandler(
      forMethod: MethodDescriptor(fullyQualifiedService: service, method: method),
      deserializer: RawDeserializer(), serializer: RawSerializer()
    ) { request, _ in
      let start = ContinuousClock.now
      do {
        try token?.check(request.metadata.bearer)
        let single = try await ServerRequest(stream: request)
        // The work is a task of its own, so that it ends when the client goes.
        let result = await RequestEnd.answer(single.message, body)
        return StreamingServerResponse(
          single: ServerResponse(message: try result.get(), metadata: [:]))
      } catch let error as ServingError {
        // gRPC cancels a request whose deadline passes; its client receives that status.
        if error.kind == .cancelled, let timeout = request.metadata.deadline,
          ContinuousClock.now - start >= timeout
        {
          throw ServingError.timeIsOver.rpcError
        }
        throw error.rpcError
      }
    }
  }
}

extension RequestEnd {
  /// Answers a message of an RPC, until its client goes.
  static func answer<Answer: Sendable>(
    _ message: [UInt8],
    _ body: @escaping @Sendable (ArraySlice<UInt8>) async throws(ServingError) -> Answer
  ) async -> Result<Answer, ServingError> {
    let end = RequestEnd()
    return await withRPCCancellationHandler {
      await end.run {
        do throws(ServingError) { return .success(try await body(message[...])) } catch {
          return .failure(error)
        }
      }
    } onCancelRPC: {
      end.cancel()
    }
  }
}

extension Metadata {
  /// The `authorization` of a request.
  var bearer: String? { self[stringValues: "authorization"].first { _ in true } }

  /// The time that the client gives a request, such as `20m` for milliseconds; `nil` without one.
  package var deadline: Duration? {
    guard let text = self[stringValues: "grpc-timeout"].first(where: { _ in true }),
      let unit = text.last, let count = Int64(text.dropLast()), (0...99_999_999).contains(count)
    else { return nil }
    return switch unit {
    case "H": .seconds(count * 3600)
    case "M": .seconds(count * 60)
    case "S": .seconds(count)
    case "m": .milliseconds(count)
    case "u": .microseconds(count)
    case "n": .nanoseconds(count)
    default: nil
    }
  }
}

extension ServingError {
  /// The error with its gRPC status.
  var rpcError: RPCError {
    var metadata = Metadata()
    if let retryAfter {
      metadata.addString("\(retryAfter * 1000)", forKey: "grpc-retry-pushback-ms")
    }
    return RPCError(code: kind.code, message: message, metadata: metadata)
  }
}

extension ServingError.Kind {
  /// The gRPC status.
  var code: RPCError.Code {
    switch self {
    case .invalid, .wrongMethod: .invalidArgument
    case .notFound: .notFound
    case .unauthorized: .unauthenticated
    case .tooLarge, .overloaded: .resourceExhausted
    case .unavailable: .unavailable
    case .timedOut: .deadlineExceeded
    case .cancelled: .cancelled
    case .unsupported: .unimplemented
    case .failed: .internalError
    }
  }
}
