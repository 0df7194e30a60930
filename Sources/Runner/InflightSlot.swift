import Synchronization

/// One slot of a network, with a flag that stops its prediction.
///
/// `@unchecked Sendable`: a slot is either in the engine's free list or used by exactly one worker;
/// `wanted` is guarded by the engine's lock.
class InflightSlot: @unchecked Sendable {
  /// The stop reason; 0 while any caller still waits for the prediction.
  final let raised = UnsafeMutablePointer<Atomic<Int32>>.allocate(capacity: 1)
  /// The number of predictions in the slot that are still awaited.
  final var wanted = 0

  fileprivate init() { raised.initialize(to: Atomic(0)) }

  deinit { raised.deinitialize(count: 1).deallocate() }

  /// The memory, typed for its network.
  final func memory<Network: NeuralNetwork>(of network: Network) -> Network.Slot {
    // All slots and tickets of an engine are created by one runner, for one network.
    unsafeDowncast(self, to: NetworkSlot<Network>.self).memory
  }
}

/// The generic part of a slot: the network's own memory, which the engine does not access.
final class NetworkSlot<Network: NeuralNetwork>: InflightSlot, @unchecked Sendable {
  fileprivate let memory: Network.Slot

  init(_ memory: Network.Slot) { self.memory = memory }
}
