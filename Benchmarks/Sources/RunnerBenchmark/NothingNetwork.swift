import Forge

/// A network that does nothing, so that what is measured is the runner.
struct NothingNetwork: NeuralNetwork {
  func makeSlot() {}
  func encode(_ input: Int, into slot: Void) {}
  func run(_ slot: Void) {}
  func fetch(from slot: Void) -> Int { 1 }
}
