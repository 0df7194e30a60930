/// What the engine does with a network, for one example in a slot or for several.
struct Stages<Network: NeuralNetwork>: Sendable {
  let makeSlot: @Sendable () throws -> Network.Slot
  let encode: @Sendable (Network.Input, Network.Slot, Int) throws -> Void
  let run: @Sendable (Network.Slot, Int, borrowing StopSignal) throws -> Void
  let fetch: @Sendable (Network.Slot, Int) throws -> Network.Prediction
  let kept: @Sendable (Network.Slot, Int) throws -> Network.Kept

  /// One example in a slot.
  init(_ network: Network) {
    makeSlot = { try network.makeSlot() }
    encode = { input, slot, _ in try network.encode(input, into: slot) }
    run = { slot, _, stop in try network.run(slot, until: stop) }
    fetch = { slot, _ in try network.fetch(from: slot) }
    kept = { slot, _ in try network.kept(in: slot) }
  }

  /// Up to `batch` examples in a slot.
  init(_ network: Network, batch: Int) where Network: BatchNetwork {
    makeSlot = { try network.makeSlot(batch: batch) }
    encode = { input, slot, index in try network.encode(input, into: slot, at: index) }
    run = { slot, count, stop in try network.run(slot, batch: count, until: stop) }
    fetch = { slot, index in try network.fetch(from: slot, at: index) }
    kept = { slot, index in try network.kept(in: slot, at: index) }
  }
}
