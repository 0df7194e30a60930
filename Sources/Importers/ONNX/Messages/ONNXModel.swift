import Forge

/// What is read of a model in ONNX, its `ModelProto`.
///
/// Source: ONNX, `onnx.proto`.
struct ONNXModel: Sendable {
  /// The program that wrote the file, and its version.
  private(set) var producerName = ""
  private(set) var producerVersion = ""
  /// The domain of the model, a reversed host name.
  private(set) var domain = ""
  /// The version of the model; 0 if it is not stated.
  private(set) var version = 0
  private(set) var docString = ""
  private(set) var graph = ONNXGraph()
  /// The operator sets that the graph uses.
  private(set) var operatorSets: [ONNXOperatorSet] = []
  /// The model's own keys and values.
  private(set) var properties: [ONNXProperty] = []
  /// The functions that the file defines.
  private(set) var functions: [ONNXFunction] = []

  /// Reads a model.
  ///
  /// - Throws: ``ImportError``: `malformed`, `tooLarge` or `unreadable`.
  init(_ message: WireMessage) throws(ImportError) {
    var hasGraph = false
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 2: producerName = try field.string()
      case 3: producerVersion = try field.string()
      case 4: domain = try field.string()
      case 5: version = try field.int()
      case 6: docString = try field.string()
      case 7:
        // Protocol Buffers would merge two graphs.
        guard !hasGraph else { throw message.file.malformed }
        graph = try ONNXGraph(try field.message())
        hasGraph = true
      case 8: operatorSets.append(try ONNXOperatorSet(try field.message()))
      case 14: properties.append(try ONNXProperty(try field.message()))
      case 25: functions.append(try ONNXFunction(try field.message()))
      default: break
      }
    }
    guard !graph.outputs.isEmpty else {
      throw ImportError(
        .malformed, "the file is not an ONNX model", path: message.file.path,
        received: "no graph with outputs")
    }
  }
}

/// A version of the operators of a domain.
struct ONNXOperatorSet: Sendable {
  /// The domain; empty for ONNX's own.
  private(set) var domain = ""
  private(set) var version = 0

  init(_ message: WireMessage) throws(ImportError) {
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: domain = try field.name()
      case 2: version = try field.int()
      default: break
      }
    }
    if domain == "ai.onnx" { domain = "" }
  }

  /// The versions by domain; of several of one domain the first counts.
  static func versions(_ sets: [ONNXOperatorSet]) -> [String: Int] {
    Dictionary(sets.map { ($0.domain, $0.version) }) { first, _ in first }
  }
}

/// A key with its value, a `StringStringEntryProto`.
struct ONNXProperty: Sendable {
  private(set) var key = ""
  private(set) var value = ""

  init(_ message: WireMessage) throws(ImportError) {
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: key = try field.name()
      case 2: value = try field.string()
      default: break
      }
    }
  }
}
