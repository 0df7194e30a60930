/// One prediction from its submission to its answer, which is sent exactly once.
///
/// The engine uses only this non-generic class, so its loop has no unspecialized generic code,
/// which would look up metadata at run time.
///
/// `@unchecked Sendable`: `phase` and the engine's fields below are guarded by the engine's lock.
/// The rest belongs to the worker that has taken the ticket, or to whoever moved it to `over`.
class Ticket: @unchecked Sendable {
  /// The state of the prediction.
  enum Phase {
    /// Not submitted yet.
    case new
    /// In the queue.
    case waiting
    /// In a slot.
    case taken
    /// Answered, or about to be answered by whoever moved it here.
    case over
  }

  /// The time by which the prediction must finish.
  let deadline: Nanoseconds
  /// The time of submission.
  var submitted: Nanoseconds = 0

  // MARK: Owned by the engine

  final var phase = Phase.new
  /// The slot, while the ticket is in the phase `taken`.
  final var slot: InflightSlot?
  /// The adjacent tickets in the queue.
  final var next: Ticket?
  final unowned(unsafe) var previous: Ticket?

  // MARK: Owned by the worker

  /// The index of its example in the slot.
  final var place = 0
  /// The first error so far.
  final var failure: (any Error)?
  /// Whether the worker sends the answer.
  final var isWorkersToAnswer = false

  init(deadline: Nanoseconds) { self.deadline = deadline }

  /// Writes the input into a slot and releases the input.
  func encode(into slot: InflightSlot) throws {}

  /// Reads the result from a slot.
  func fetch(from slot: InflightSlot) throws {}

  /// Sends `failure`, or the result; called once.
  func answer(_ failure: (any Error)?, latency: Nanoseconds = 0, waited: Nanoseconds = 0) {}
}

/// A ticket of one network.
class NetworkTicket<Network: NeuralNetwork>: Ticket, @unchecked Sendable {
  /// The result that the caller receives.
  typealias Answer = Result<PredictionResult<Network.Prediction, Network.Kept>, any Error>

  final let network: Network
  final var input: Network.Input?
  /// The position of the input in its stream.
  final let index: Int
  final var deliver: (@Sendable (Answer) -> Void)?
  final var result: (prediction: Network.Prediction, kept: Network.Kept)?

  init(_ input: Network.Input, index: Int, network: Network, deadline: Nanoseconds) {
    self.input = input
    self.index = index
    self.network = network
    super.init(deadline: deadline)
  }

  final func takeInput() throws -> Network.Input {
    guard let taken = input.take() else { throw RunnerError.cancelled }
    return taken
  }

  override func encode(into slot: InflightSlot) throws {
    try network.encode(try takeInput(), into: slot.memory(of: network))
  }

  override func fetch(from slot: InflightSlot) throws {
    let memory = slot.memory(of: network)
    result = (try network.fetch(from: memory), try network.kept(in: memory))
  }

  override final func answer(
    _ failure: (any Error)?, latency: Nanoseconds, waited: Nanoseconds
  ) {
    guard let deliver = deliver.take() else { return }
    guard failure == nil, let (prediction, kept) = result.take() else {
      return deliver(.failure(failure ?? RunnerError.cancelled))
    }
    deliver(
      .success(
        PredictionResult(
          prediction: prediction, kept: kept, latency: .nanoseconds(latency),
          waited: .nanoseconds(waited), index: index)))
  }
}

/// A ticket of a network whose slots hold several examples.
final class BatchTicket<Network: BatchNetwork>: NetworkTicket<Network>, @unchecked Sendable {
  override func encode(into slot: InflightSlot) throws {
    try network.encode(try takeInput(), into: slot.memory(of: network), at: place)
  }

  override func fetch(from slot: InflightSlot) throws {
    let memory = slot.memory(of: network)
    result = (try network.fetch(from: memory, at: place), try network.kept(in: memory, at: place))
  }
}
