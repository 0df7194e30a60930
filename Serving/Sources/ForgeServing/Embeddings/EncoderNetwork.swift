import Forge
import ForgeHub

/// A text encoder in the slots of a runner.
struct EncoderNetwork: NeuralNetwork {
  /// A text on its way to a vector; one prediction uses it at a time.
  final class Slot {
    var text = ""
    var tokens = 0
    var vector: [Float] = []
  }

  /// The vector of a text.
  struct Embedding: Sendable {
    var vector: [Float]
    /// The tokens of the text, those that are added included.
    var tokens: Int
  }

  let encoder: TextEncoder

  func makeSlot() -> Slot { Slot() }

  func encode(_ text: String, into slot: Slot) throws {
    slot.text = text
    slot.tokens = try encoder.hub.encode(text).count
  }

  func run(_ slot: Slot) throws { slot.vector = try encoder.embed(slot.text) }

  func fetch(from slot: Slot) -> Embedding {
    defer { (slot.text, slot.vector) = ("", []) }
    return Embedding(vector: slot.vector, tokens: slot.tokens)
  }
}
