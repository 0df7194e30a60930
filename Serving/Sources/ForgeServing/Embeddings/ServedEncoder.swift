import Forge
import ForgeHub
import Foundation

/// A text encoder that is ready to answer requests.
///
/// In the Open Inference Protocol it has the input `text`, BYTES of any number, and the output
/// `embedding`, FP32 with a row for each text.
package final class ServedEncoder: ServedVersion {
  package let name: String
  package let version: Int
  package let plan: String
  package let statistics = ModelStatistics()
  package let capacity: Int
  package let byteCount: Int
  /// The encoder.
  let encoder: TextEncoder
  /// When it was loaded, in seconds since 1970.
  let loaded: Int
  private let runner: Runner<EncoderNetwork>
  private let maximumBatch: Int

  /// The most texts of a request that asks for embeddings.
  static let maximumTexts = 2048

  /// Reads a folder of the Hub, and compiles and warms up its network.
  ///
  /// - Throws: `HubError`, or what a runner throws.
  package init(
    _ name: String, version: Int, path: String, configuration: ModelConfiguration,
    options: ModelOptions
  ) throws {
    self.name = name
    self.version = version
    encoder = try TextEncoder(
      contentsOf: path, threads: 1, options: CompileOptions(maximumBatch: 1, threads: 1))
    runner = try Runner(
      EncoderNetwork(encoder: encoder), inflightBuffers: configuration.instances ?? options.slots)
    let slots = runner.inflightBuffers
    capacity = slots + (configuration.queueSize ?? options.queue)
    maximumBatch =
      configuration.maximumBatch > 0 ? configuration.maximumBatch : options.maximumBatch
    byteCount = encoder.hub.model.parameterCount * MemoryLayout<Float>.size
    loaded = Int(Date().timeIntervalSince1970)
    let start = ContinuousClock.now
    _ = try encoder.embed("warm")
    plan =
      "\(slots) slots of 1 thread, texts of up to \(encoder.maximumLength) tokens; "
      + "a short one takes \((ContinuousClock.now - start).short)"
  }

  package var platform: String { "forge_hub" }
  package var configuredBatch: Int { 0 }

  package var inputFacts: [TensorFacts] {
    [TensorFacts(name: "text", datatype: .bytes, shape: [-1])]
  }

  package var outputFacts: [TensorFacts] {
    [TensorFacts(name: "embedding", datatype: .float32, shape: [-1, encoder.dimensions])]
  }

  package var load: ServedLoad {
    let statistics = runner.statistics
    return ServedLoad(
      slots: runner.inflightBuffers, waiting: statistics.waitingNow,
      inFlight: statistics.inFlight)
  }

  package func shutDown() async { await runner.shutDown() }

  package func infer(
    _ request: InferenceRequest, limit: Duration
  ) async throws(ServingError) -> InferenceResponse {
    guard request.inputs.count == 1, let input = request.inputs.first, input.name == "text" else {
      throw .invalid("the model \"\(name)\" has one input, \"text\"")
    }
    guard input.datatype == .bytes else {
      throw .invalid(
        "the input \"text\" has the datatype \(input.datatype.rawValue), and the model takes BYTES")
    }
    for output in request.outputs where output.name != "embedding" || output.classes > 0 {
      throw .invalid("the model \"\(name)\" has the output \"embedding\", without classes")
    }
    let count = try TensorData.elementCount(of: input.shape, name: input.name)
    guard count <= maximumBatch else {
      throw .invalid(
        "the request has \(count) texts, and the model \"\(name)\" takes \(maximumBatch) at once")
    }
    let texts = try input.strings(count).map { (bytes) throws(ServingError) in
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .invalid("a text of the input \"text\" is not UTF-8")
      }
      return text
    }
    let vectors = try await embed(texts, within: min(try request.timeout ?? limit, limit))
    var content: [UInt8] = []
    content.reserveCapacity(4 * count * encoder.dimensions)
    for embedding in vectors {
      embedding.vector.withUnsafeBytes { content.append(contentsOf: $0) }
    }
    let tensor = TensorData(
      name: "embedding", datatype: .float32, shape: input.shape + [encoder.dimensions],
      content: content[...])
    return InferenceResponse(
      modelName: name, modelVersion: "\(version)", id: request.id, outputs: [tensor],
      isBinary: [request.outputs.first?.isBinary ?? request.isBinaryOutput])
  }

  /// The vectors of texts, in their order.
  ///
  /// - Parameters:
  ///   - texts: the texts.
  ///   - time: the longest time for all of them.
  /// - Returns: a vector for each text.
  /// - Throws: ``ServingError``.
  func embed(
    _ texts: [String], within time: Duration
  ) async throws(ServingError) -> [EncoderNetwork.Embedding] {
    try await counted(within: time) { deadline, times in
      let start = ContinuousClock.now
      let results = try await withThrowingTaskGroup(
        of: (Int, PredictionResult<EncoderNetwork.Embedding, Void>).self
      ) { group in
        for (index, text) in texts.enumerated() {
          group.addTask { (index, try await self.runner.result(for: text, deadline: deadline)) }
        }
        var results: [PredictionResult<EncoderNetwork.Embedding, Void>?] =
          Array(repeating: nil, count: texts.count)
        for try await (index, result) in group { results[index] = result }
        return results.compactMap(\.self)
      }
      times.queue = results.map(\.waited).max() ?? .zero
      times.run = max(ContinuousClock.now - start - times.queue, .zero)
      return (results.map(\.prediction), examples: texts.count)
    }
  }
}
