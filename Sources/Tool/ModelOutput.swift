import ArgumentParser
import Forge
import ForgeExporters
import ForgeToolSupport

/// The kind of a model file that the tool writes, by its extension.
enum ModelOutput: String, CaseIterable {
  case onnx
  case keras
  case coreML = "mlmodel"

  /// The extensions, for help and messages.
  static let endings = ".onnx, .keras or .mlmodel"

  /// What a file may state beside the network.
  struct Choices {
    /// The number of examples; any number if it is `nil`.
    var batch: Int?
    /// The length of sequences, if the network takes any length.
    var length: Int?
    /// The type of the weights.
    var type = StoredType.float32
  }

  /// - Throws: `ValidationError` for another extension.
  init(path: String) throws {
    guard let kind = Self.allCases.first(where: { path.hasSuffix(".\($0.rawValue)") }) else {
      throw ValidationError("the extension of --output selects the format: \(Self.endings)")
    }
    self = kind
  }

  /// Checks that files of this kind have what is chosen.
  func check(_ choices: Choices) throws {
    if choices.batch != nil, self != .onnx {
      throw ValidationError("--batch is for ONNX files")
    }
    switch (choices.type, self) {
    case (.float32, _), (.float16, .coreML): return
    case (_, .coreML): throw ValidationError("the weights of a Core ML file are f32 or f16")
    case (_, .onnx), (_, .keras): throw ValidationError("the weights of this file are f32")
    }
  }

  /// Writes a model.
  func write(_ model: Model, to path: String, _ choices: Choices) throws {
    try Progress.during("writing \(path)") {
      switch self {
      case .onnx:
        let batch = choices.batch.map { ONNXOptions.Batch.exactly($0) } ?? .open
        try model.write(onnx: path, options: ONNXOptions(batch: batch, length: choices.length))
      case .keras:
        try model.write(keras: path, options: KerasOptions(length: choices.length))
      case .coreML:
        let weights: CoreMLOptions.WeightType = choices.type == .float16 ? .float16 : .float32
        try model.write(
          coreML: path, options: CoreMLOptions(weights: weights, length: choices.length))
      }
    }
  }
}
