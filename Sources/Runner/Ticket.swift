/// One prediction from its submission to its answer, which it gets exactly once.
///
/// The engine knows this class only, so that nothing in its loop is generic: unspecialised generic code
/// looks up metadata at every turn, which cost 8 of 10 µs per prediction.
///
/// `@unchecked Sendable`: `phase` and what is beside it belong to the engine's lock; the rest to the
/// worker that has taken the ticket, or to whoever moved it to `over`.
class Ticket: @unchecked Sendable {
  /// Where the prediction is.
  enum Phase {
    /// Not submitted yet.
    case new
    /// In the line.
    case waiting
    /// In a slot.
    case taken
    /// Answered, or about to be by whoever moved it here.
    case over
  }

  /// When the prediction must be there.
  let deadline: Nanoseconds
  /// When it was submitted.
  var submitted: Nanoseconds = 0

  // MARK: The engine's

  final var phase = Phase.new
  /// Why it was over before it was submitted.
  final var refusal: StopSignal.Reason?
  /// Ends it when the deadline comes.
  final var timer: Task<Void, Never>?
  /// The slot it is in, while it is taken.
  final var slot: InflightSlot?
  /// Its neighbours in the line, which holds it alive meanwhile.
  final var next: Unmanaged<Ticket>?
  final var previous: Unmanaged<Ticket>?

  // MARK: The worker's

  /// Which example of the slot it is.
  final var place = 0
  /// What went wrong, so far.
  final var failure: (any Error)?
  /// Whether it is the worker that answers.
  final var isWorkersToAnswer = false

  init(deadline: Nanoseconds) { self.deadline = deadline }

  /// Writes the input into a slot, and forgets it.
  func encode(into slot: InflightSlot) throws {}

  /// Reads the result out of a slot.
  func fetch(from slot: InflightSlot) throws {}

  /// Answers with `failure`, or with the result; called once.
  func answer(_ failure: (any Error)?, latency: Nanoseconds, waited: Nanoseconds) {}
}

/// A ticket of one network.
class NetworkTicket<Network: NeuralNetwork>: Ticket, @unchecked Sendable {
  /// What the caller gets.
  typealias Answer = Result<PredictionResult<Network.Prediction, Network.Kept>, any Error>

  final let network: Network
  final var input: Network.Input?
  final var deliver: (@Sendable (Answer) -> Void)?
  final var prediction: Network.Prediction?
  final var kept: Network.Kept?

  init(_ input: Network.Input, network: Network, deadline: Nanoseconds) {
    self.input = input
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
    prediction = try network.fetch(from: memory)
    kept = try network.kept(in: memory)
  }

  override final func answer(
    _ failure: (any Error)?, latency: Nanoseconds, waited: Nanoseconds
  ) {
    guard let deliver = deliver.take() else { return }
    guard failure == nil, let prediction = prediction.take(), let kept = kept.take() else {
      return deliver(.failure(failure ?? RunnerError.cancelled))
    }
    deliver(
      .success(
        PredictionResult(prediction: prediction, kept: kept, latency: latency, waited: waited)))
  }
}

/// A ticket of a network whose slots hold several examples.
final class BatchTicket<Network: BatchNetwork>: NetworkTicket<Network>, @unchecked Sendable {
  override func encode(into slot: InflightSlot) throws {
    try network.encode(try takeInput(), into: slot.memory(of: network), at: place)
  }

  override func fetch(from slot: InflightSlot) throws {
    let memory = slot.memory(of: network)
    prediction = try network.fetch(from: memory, at: place)
    kept = try network.kept(in: memory, at: place)
  }
}
