import Forge

/// A tensor of a model's metadata.
package struct TensorFacts: Sendable, Hashable {
  package let name: String
  package let datatype: Datatype
  /// The sizes: −1 for those that a request chooses.
  package let shape: [Int]
}

/// How busy a version of a model is.
package struct ServedLoad: Sendable {
  /// The predictions that may be in flight.
  var slots = 0
  /// The predictions that wait for a slot.
  var waiting = 0
  /// The predictions in slots.
  var inFlight = 0
  /// The open sequences.
  var sequences = 0
}

/// One version of a model that is ready to answer requests, whatever runs it.
package protocol ServedVersion: AnyObject, Sendable {
  /// The name in the repository.
  var name: String { get }
  /// The version in the repository.
  var version: Int { get }
  /// The platform in the metadata: `forge_onnx`.
  var platform: String { get }
  /// How it runs, in one line.
  var plan: String { get }
  /// What it has done.
  var statistics: ModelStatistics { get }
  /// The inputs.
  var inputFacts: [TensorFacts] { get }
  /// The outputs that a prediction computes.
  var outputFacts: [TensorFacts] { get }
  /// The outputs that no input changes.
  var constants: [TensorData] { get }
  /// The batch that a model configuration states; 0 if the first axis counts no examples.
  var configuredBatch: Int { get }
  /// The examples of one prediction; `nil` where several are not run together.
  var preferredBatch: Int? { get }
  /// Whether it keeps states between the requests of a sequence.
  var isStateful: Bool { get }
  /// The requests that may wait or run.
  var capacity: Int { get }
  /// The bytes of packed parameters and plans.
  var byteCount: Int { get }
  /// How busy it is.
  var load: ServedLoad { get }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - limit: the longest time for it, whatever the request says.
  /// - Returns: the response.
  /// - Throws: ``ServingError``.
  func infer(
    _ request: InferenceRequest, limit: Duration
  ) async throws(ServingError) -> InferenceResponse

  /// Answers what has been accepted, and accepts nothing more.
  func shutDown() async
}

extension ServedVersion {
  package var constants: [TensorData] { [] }
  package var preferredBatch: Int? { nil }
  package var isStateful: Bool { false }

  /// Answers a request, unless the queue is full, and counts it with its times.
  ///
  /// - Parameters:
  ///   - time: the longest time for it.
  ///   - body: answers until a deadline, and says how many examples there were. Within a server
  ///     there is no deadline, because ``RequestEnd`` ends the request.
  /// - Returns: the answer.
  /// - Throws: ``ServingError``: `overloaded` when the queue is full, or that of the answer.
  func counted<Answer>(
    within time: Duration,
    _ body: (Deadline?, inout ModelStatistics.Times) async throws -> (Answer, examples: Int)
  ) async throws(ServingError) -> Answer {
    let start = ContinuousClock.now
    let end = RequestEnd.current
    let pending = statistics.began()
    defer { statistics.ended() }
    do {
      guard pending <= capacity else { throw overloaded() }
      var times = ModelStatistics.Times()
      guard time > .zero else { throw ServingError.timeIsOver }
      let moment = start.advanced(by: time)
      end?.expire(at: moment)
      let (answer, examples) = try await body(end == nil ? Deadline.at(moment) : nil, &times)
      statistics.succeeded(times, examples: examples)
      return answer
    } catch {
      var error = ServingError(error)
      if error.kind == .cancelled, let end, end.isOver { error = .timeIsOver }
      statistics.failed(error, after: ContinuousClock.now - start)
      throw error
    }
  }

  /// The refusal of a request that finds the queue full.
  private func overloaded() -> ServingError {
    let values = statistics.current
    let mean = values.run.count > 0 ? values.run.nanoseconds / Int64(values.run.count) : 0
    let rounds = Int64(statistics.pending / max(load.slots, 1))
    let seconds = Int(min(max((mean * rounds + 999_999_999) / 1_000_000_000, 1), 60))
    return ServingError(
      .overloaded, "the queue of the model \"\(name)\" is full", retryAfter: seconds)
  }
}

extension ServedModel: ServedVersion {
  package var inputFacts: [TensorFacts] { inputs.map(\.facts) }
  package var outputFacts: [TensorFacts] { outputs.map(\.facts) }
  package var preferredBatch: Int? { batched?.batch }

  package var load: ServedLoad {
    let (single, several) = (runner.statistics, batched?.statistics)
    return ServedLoad(
      slots: runner.inflightBuffers,
      waiting: single.waitingNow + (several?.waitingNow ?? 0),
      inFlight: single.inFlight + (several?.inFlight ?? 0), sequences: sessions.count)
  }
}

extension ServedPort {
  var facts: TensorFacts { TensorFacts(name: name, datatype: datatype, shape: shape) }
}
