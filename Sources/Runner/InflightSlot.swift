import Synchronization

/// One slot of a network with the flag that stops what runs in it.
///
/// `@unchecked Sendable`: the slot need not be, for it is in the engine's list of free ones or in
/// exactly one lease; `wanted` belongs to the engine's lock.
final class InflightSlot: @unchecked Sendable {
  /// The network's own memory; an existential, so that the engine need not be generic.
  private let storage: AnyObject
  /// Not 0 once what runs here is not wanted any more.
  let raised: UnsafeMutablePointer<Atomic<Int32>>
  /// How many of the predictions in the slot somebody still waits for.
  var wanted = 0

  private final class Storage<Memory> {
    let memory: Memory

    init(_ memory: Memory) { self.memory = memory }
  }

  init<Network: NeuralNetwork>(_ memory: Network.Slot, of network: Network) {
    storage = Storage(memory)
    raised = .allocate(capacity: 1)
    raised.initialize(to: Atomic(0))
  }

  deinit {
    raised.deinitialize(count: 1).deallocate()
  }

  /// The memory, for the network it was made for.
  func memory<Network: NeuralNetwork>(of network: Network) -> Network.Slot {
    // Slots and tickets of an engine are made by the same runner, for the same network.
    unsafeDowncast(storage, to: Storage<Network.Slot>.self).memory
  }
}

/// The right to use one slot, which comes back when the lease ends, however it ends.
struct SlotLease: ~Copyable {
  private let engine: Engine
  /// The slot.
  let slot: InflightSlot

  init(_ slot: InflightSlot, of engine: Engine) {
    self.slot = slot
    self.engine = engine
  }

  /// The signal of what runs in it.
  func stopSignal(deadline: Nanoseconds) -> StopSignal {
    StopSignal(raised: slot.raised, deadline: deadline, time: engine.time)
  }

  /// Gives the slot back.
  consuming func end() {}

  deinit { engine.giveBack(slot) }
}
