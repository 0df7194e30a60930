/// Runs predictions of a network, a fixed number at a time, from any number of tasks.
///
/// ```swift
/// let runner = try Runner(network, inflightBuffers: 3)
/// let probabilities = try await runner.predict(pixels)
/// ```
public final class Runner<Network: NeuralNetwork>: Sendable {
  /// The network.
  public let network: Network
  /// The number of predictions that may be in flight.
  public let inflightBuffers: Int

  private let slots: InflightSlots<Network.Slot>

  /// Creates a runner with its slots.
  ///
  /// - Parameters:
  ///   - network: the network to run.
  ///   - inflightBuffers: the number of predictions that may be in flight.
  /// - Throws: ``RunnerError`` when the number is not positive, or what making a slot throws.
  public init(_ network: Network, inflightBuffers: Int = 3) throws {
    guard inflightBuffers > 0 else { throw RunnerError.invalidCount(inflightBuffers) }
    self.network = network
    self.inflightBuffers = inflightBuffers
    nonisolated(unsafe) var made: [Network.Slot] = []
    for _ in 0..<inflightBuffers { made.append(try network.makeSlot()) }
    slots = InflightSlots(made)
  }

  /// The number of slots that no prediction uses.
  public var freeSlots: Int { slots.freeCount }

  /// The number of predictions that wait for a slot.
  package var waitingPredictions: Int { slots.waitingCount }

  /// Whether every slot is free and nothing is remembered of predictions that are over.
  package var isAtRest: Bool { slots.isAtRest(of: inflightBuffers) }

  /// Predicts; suspends, and never blocks, while all slots are taken.
  ///
  /// Safe from any number of tasks at once, which are served in the order they came.
  ///
  /// - Parameter input: what the network is given.
  /// - Returns: what the network gives.
  /// - Throws: ``RunnerError`` when the task is cancelled before its prediction begins, or what the
  ///   network throws; the slot is free again in every case.
  @concurrent
  public func predict(_ input: Network.Input) async throws -> Network.Prediction {
    let lease = try await slots.take()
    if Task.isCancelled { throw RunnerError.cancelled }
    try network.encode(input, into: lease.slot)
    try network.run(lease.slot)
    return try network.fetch(from: lease.slot)
  }
}
