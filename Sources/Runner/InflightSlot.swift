import Synchronization

/// One slot of a network with the flag that stops what runs in it.
///
/// `@unchecked Sendable`: the slot need not be, for it is in the engine's list of free ones or in
/// exactly one lease; `wanted` belongs to the engine's lock.
final class InflightSlot<Slot>: @unchecked Sendable {
  let slot: Slot
  /// Not 0 once what runs here is not wanted any more.
  let raised: UnsafeMutablePointer<Atomic<Int32>>
  /// How many of the predictions in the slot somebody still waits for.
  var wanted = 0

  init(_ slot: Slot) {
    self.slot = slot
    raised = .allocate(capacity: 1)
    raised.initialize(to: Atomic(0))
  }

  deinit {
    raised.deinitialize(count: 1).deallocate()
  }
}

/// The right to use one slot, which comes back when the lease ends, however it ends.
struct SlotLease<Network: NeuralNetwork>: ~Copyable {
  private let engine: Engine<Network>
  private let inflight: InflightSlot<Network.Slot>

  init(_ inflight: InflightSlot<Network.Slot>, of engine: Engine<Network>) {
    self.inflight = inflight
    self.engine = engine
  }

  /// The slot.
  var slot: Network.Slot { inflight.slot }

  /// The signal of what runs in it.
  func stopSignal(deadline: Nanoseconds) -> StopSignal {
    StopSignal(raised: inflight.raised, deadline: deadline, time: engine.time)
  }

  /// Gives the slot back.
  consuming func end() {}

  deinit { engine.giveBack(inflight) }
}
