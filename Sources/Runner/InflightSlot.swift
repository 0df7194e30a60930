import Synchronization

/// One slot of a network with the flag that stops its prediction.
///
/// `@unchecked Sendable`: the slot need not be, because it is either in the engine's free list or
/// in exactly one lease; `wanted` is guarded by the engine's lock.
final class InflightSlot: @unchecked Sendable {
  /// The network's own memory, type-erased so that the engine need not be generic.
  private let storage: AnyObject
  /// Not 0 once nobody waits for the prediction.
  let raised: UnsafeMutablePointer<Atomic<Int32>>
  /// The number of predictions in the slot that are still awaited.
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

  /// The memory, typed for its network.
  func memory<Network: NeuralNetwork>(of network: Network) -> Network.Slot {
    // One runner makes the slots and tickets of an engine, for one network.
    unsafeDowncast(storage, to: Storage<Network.Slot>.self).memory
  }
}

/// Exclusive use of one slot, which is returned when the lease ends in any way.
struct SlotLease: ~Copyable {
  private let engine: Engine
  /// The slot.
  let slot: InflightSlot

  init(_ slot: InflightSlot, of engine: Engine) {
    self.slot = slot
    self.engine = engine
  }

  /// The stop signal of the slot's prediction.
  func stopSignal(deadline: Nanoseconds) -> StopSignal {
    StopSignal(raised: slot.raised, deadline: deadline, time: engine.time)
  }

  /// Puts back the slot.
  consuming func end() {}

  deinit { engine.giveBack(slot) }
}
