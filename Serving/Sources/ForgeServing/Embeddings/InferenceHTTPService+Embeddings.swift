import Foundation

extension InferenceHTTPService {
  /// Answers `/v1/embeddings`.
  func embeddings(
    _ body: ArraySlice<UInt8>, _ repository: ModelRepository, limit: Duration
  ) async throws(ServingError) -> HTTPAnswer {
    let request = try EmbeddingsRequest(body: body)
    let encoder = try repository.encoder(request.model)
    let width = encoder.encoder.dimensions
    let kept = request.dimensions ?? width
    guard (1...width).contains(kept) else {
      throw .invalid("dimensions is \(kept), and must be from 1 to \(width)")
    }
    var embeddings = try await encoder.embed(request.texts, within: limit)
    if kept < width {
      for index in embeddings.indices {
        embeddings[index].vector = Self.shortened(embeddings[index].vector, to: kept)
      }
    }
    guard embeddings.allSatisfy({ $0.vector.allSatisfy(\.isFinite) }) else {
      throw ServingError(.failed, "a vector has a value that is not finite")
    }
    return HTTPAnswer { writer in
      writer.object { writer in
        writer.list { writer in
          for (index, embedding) in embeddings.enumerated() {
            writer.write(embedding.vector, at: index, isBase64: request.isBase64)
          }
        }
        writer.name("model")
        writer.value(encoder.name)
        writer.name("usage")
        writer.object { writer in
          let tokens = embeddings.reduce(0) { $0 + $1.tokens }
          writer.name("prompt_tokens")
          writer.value(tokens)
          writer.name("total_tokens")
          writer.value(tokens)
        }
      }
    }
  }

  /// The first numbers of a vector, scaled to length 1.
  private static func shortened(_ vector: [Float], to count: Int) -> [Float] {
    let length = vector.prefix(count).reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
    return vector.prefix(count).map { Float(Double($0) / max(length, 1e-12)) }
  }

  /// Answers `/v1/models` and `/v1/models/NAME`.
  func encoders(
    _ name: String?, _ repository: ModelRepository
  ) throws(ServingError) -> HTTPAnswer {
    if let name {
      let encoder = try repository.encoder(name)
      return HTTPAnswer { $0.write(encoder) }
    }
    // The latest version of each answers.
    var latest: [String: ServedEncoder] = [:]
    for case let encoder as ServedEncoder in repository.ready { latest[encoder.name] = encoder }
    return HTTPAnswer { writer in
      writer.object { writer in
        writer.list { writer in
          for (_, encoder) in latest.sorted(by: { $0.key < $1.key }) { writer.write(encoder) }
        }
      }
    }
  }
}

extension ModelRepository {
  /// The text encoder of a name.
  ///
  /// - Throws: ``ServingError``, including for a model of another kind.
  fileprivate func encoder(_ name: String) throws(ServingError) -> ServedEncoder {
    guard let encoder = try model(name) as? ServedEncoder else {
      throw .invalid("the model \"\(name)\" is not a text encoder")
    }
    return encoder
  }
}

extension JSONWriter {
  /// The members of an object that is a list.
  fileprivate mutating func list(_ elements: (inout JSONWriter) -> Void) {
    name("object")
    value("list")
    name("data")
    array(elements)
  }

  fileprivate mutating func write(_ encoder: ServedEncoder) {
    object { writer in
      writer.name("id")
      writer.value(encoder.name)
      writer.name("object")
      writer.value("model")
      writer.name("created")
      writer.value(encoder.loaded)
      writer.name("owned_by")
      writer.value(ServerFacts.name)
    }
  }

  fileprivate mutating func write(_ vector: [Float], at index: Int, isBase64: Bool) {
    object { writer in
      writer.name("object")
      writer.value("embedding")
      writer.name("index")
      writer.value(index)
      writer.name("embedding")
      if isBase64 {
        writer.value(vector.withUnsafeBytes { Data($0).base64EncodedString() })
      } else {
        writer.array { writer in for value in vector { writer.literal("\(value)") } }
      }
    }
  }
}
