import Forge

/// The options of an import that are Swift code.
struct ImportCode: Sendable, Encodable {
  var externalData: (@Sendable (_ name: String) throws -> ExternalData)?
  var onnxOperators: [String: ImportOptions.ONNXOperatorBuilder] = [:]
  var coreMLLayers: [String: CoreMLLayerBuilder] = [:]
  var kerasLayers: [String: ImportOptions.KerasLayerBuilder] = [:]

  private var isEmpty: Bool {
    externalData == nil && onnxOperators.isEmpty && coreMLLayers.isEmpty && kerasLayers.isEmpty
  }

  /// Throws unless there is none: Swift code has no encoding.
  func encode(to encoder: any Encoder) throws {
    guard isEmpty else { throw ContentKey.Unkeyed(Self.self) }
  }
}
