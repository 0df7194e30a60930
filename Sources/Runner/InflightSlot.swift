import Synchronization

/// One slot of a network with the flag that stops its prediction.
///
/// `@unchecked Sendable`: the slot need not be, because it is either in the engine's free list or
/// with exactly one worker; `wanted` is guarded by the engine's lock.
class InflightSlot: @unchecked Sendable {
  /// Not 0 once nobody waits for the prediction.
  final let raised = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: 1)
  /// The number of predictions in the slot that are still awaited.
  final var wanted = 0

  fileprivate init() { raised.initialize(to: Atomic(0)) }

  deinit { raised.deinitialize(count: 1).deallocate() }

  /// The memory, typed for its network.
  final func memory<Network: NeuralNetwork>(of network: Network) -> Network.Slot {
    // One runner makes the slots and tickets of an engine, for one network.
    unsafeDowncast(self, to: NetworkSlot<Network>.self).memory
  }
}

/// The generic part of a slot: the network's own memory, of which the engine knows nothing.
final class NetworkSlot<Network: NeuralNetwork>: InflightSlot, @unchecked Sendable {
  fileprivate let memory: Network.Slot

  init(_ memory: Network.Slot) { self.memory = memory }
}
