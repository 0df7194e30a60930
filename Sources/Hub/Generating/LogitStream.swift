import Forge
import ForgeShapes

/// The network of a text in progress, which keeps what it has read.
protocol LogitStream: Sendable {
  /// The numbers of all tokens after some, which come after those of earlier calls.
  ///
  /// - Throws: what the runner throws; `CancellationError`.
  mutating func logits(behind ids: [Int32]) async throws -> [Float]
}

/// The compiled networks of a ``Generator``.
enum WritingNetworks: Sendable {
  /// A decoder, which reads the prompt in parts.
  case decoder(Runner<CompiledModel>, partLength: Int)
  /// An encoder that reads the prompt, and a decoder that begins with a token of its own.
  case pair(encoder: Runner<CompiledModel>, decoder: Runner<CompiledModel>, start: Int32)

  /// The tokens with which the text of a prompt begins.
  func beginning(_ prompt: [Int32]) -> [Int32] {
    switch self {
    case .decoder: prompt
    case .pair(_, _, let start): [start]
    }
  }

  /// A stream for a text.
  ///
  /// - Throws: `PredictionError` when there is not enough memory.
  func stream(_ prompt: [Int32]) throws -> any LogitStream {
    switch self {
    case .decoder(let runner, let partLength):
      DecoderStream(session: try runner.session(), partLength: partLength)
    case .pair(let encoder, let decoder, _):
      PairedStream(encoder: encoder, session: try decoder.session(), prompt: prompt)
    }
  }
}

/// A text of a network that is only a decoder.
private struct DecoderStream: LogitStream {
  let session: StreamSession
  let partLength: Int

  func logits(behind ids: [Int32]) async throws -> [Float] {
    var logits: [Float] = []
    for start in stride(from: 0, to: ids.count, by: partLength) {
      try Task.checkCancellation()
      let part = ids[start..<min(start + partLength, ids.count)]
      logits = try await session.predict(part.map { Float($0) })
    }
    return logits
  }
}

/// A text of a network with an encoder, which reads the prompt once, and a decoder.
private struct PairedStream: LogitStream {
  let encoder: Runner<CompiledModel>
  let session: StreamSession
  let prompt: [Int32]
  /// The keys and values of the prompt, by the names of the decoder's inputs.
  private var sources: [String: TensorValues]?
  private var position = 0

  init(encoder: Runner<CompiledModel>, session: StreamSession, prompt: [Int32]) {
    (self.encoder, self.session, self.prompt) = (encoder, session, prompt)
  }

  mutating func logits(behind ids: [Int32]) async throws -> [Float] {
    try Task.checkCancellation()
    var inputs: [String: TensorValues]
    if let sources {
      inputs = sources
    } else {
      inputs = try await encoder.predict(["input_ids": prompt.map { Float($0) }]).outputs
      sources = inputs
    }
    var logits: [Float] = []
    for id in ids {
      try Task.checkCancellation()
      inputs["input_ids"] = TensorValues(shape: Shape(sizes: [1]), values: [Float(id)])
      inputs["position"] = TensorValues(shape: Shape(sizes: [1]), values: [Float(position)])
      logits = try await session.predict(inputs)["logits"]?.values ?? []
      position += 1
    }
    return logits
  }
}
