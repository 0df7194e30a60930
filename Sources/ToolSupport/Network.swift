import Forge
import ForgeImporters

/// A model with its weights, and its inputs and outputs in the world of its file: what commands
/// take that read or change layers.
package struct Network: Sendable {
  /// The model, inputs and outputs.
  package let imported: ImportedModel
  /// What the network is called in messages: the architecture or the path.
  package let title: String
  /// Whether it is a ready architecture.
  package let isReady: Bool

  /// The model.
  package var model: Model { imported.model }
  /// Whether seeded random values stand for the weights.
  package var isRandom: Bool { model.parameters == nil && model.parameterCount > 0 }
  /// The weights, or seeded random values.
  package var parameters: any ParameterSource { model.parameters ?? RandomParameters(seed: 1) }

  /// Describes a model.
  package init(imported: ImportedModel, title: String, isReady: Bool) {
    (self.imported, self.title, self.isReady) = (imported, title, isReady)
  }
}
