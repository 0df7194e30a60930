import Forge

/// One format of model files: how a file is recognized, and which importer reads it.
///
/// Each importer has one conforming type in its folder and one line in ``ModelFile/formats``.
package protocol ModelFormat: Sendable {
  /// The name of the format: `ONNX`.
  static var name: String { get }
  /// The extensions of its files, in lower case and without the dot.
  static var extensions: [String] { get }
  /// The extensions of files that hold the weights apart; empty if the model has them inside.
  static var weightExtensions: [String] { get }

  /// Whether a file with these first bytes has the format; `nil` when the bytes do not tell.
  static func recognizes(_ head: ArraySlice<UInt8>) -> Bool?

  /// Whether a folder with these names in it has the format.
  static func recognizes(folder names: [String], extension: String) -> Bool

  /// Imports a file.
  static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel

  /// What the file says about itself, such as its producer, without importing it.
  static func facts(_ file: ModelFile) throws(ImportError) -> [ModelFact]
}

extension ModelFormat {
  /// By default the weights are inside.
  package static var weightExtensions: [String] { [] }
  /// By default the bytes do not tell.
  package static func recognizes(_ head: ArraySlice<UInt8>) -> Bool? { nil }
  /// By default no folder has the format.
  package static func recognizes(folder names: [String], extension: String) -> Bool { false }
  /// By default a file says nothing of itself.
  package static func facts(_ file: ModelFile) throws(ImportError) -> [ModelFact] { [] }

  /// Whether a file holds the weights of a model of this format, by its extension.
  package static func takesWeights(at path: String) -> Bool {
    weightExtensions.contains { path.lowercased().hasSuffix(".\($0)") }
  }

  /// The name with the extensions: `Keras (.keras, .h5)`.
  static var description: String {
    "\(name) (\(extensions.map { ".\($0)" }.joined(separator: ", ")))"
  }
}

/// One line of what a model file says about itself.
package struct ModelFact: Hashable, Sendable {
  /// What it is: `producer`.
  package let label: String
  /// The value.
  package let text: String

  /// Creates a fact.
  package init(_ label: String, _ text: String) {
    self.label = label
    self.text = text
  }
}
