import Forge

/// What is read of a function that the file defines, its `FunctionProto`.
///
/// A node whose domain, type and overload are those of the function stands for its nodes.
/// Attributes of these nodes may be ``NodeAttribute/reference(_:)``: they take the value that the
/// calling node gives, or ``defaults``.
struct ONNXFunction: Sendable {
  private(set) var name = ""
  /// The domain; empty for ONNX's own.
  private(set) var domain = ""
  private(set) var overload = ""
  private(set) var inputs: [String] = []
  private(set) var outputs: [String] = []
  /// The names of the attributes without a default.
  private(set) var attributes: [String] = []
  /// The attributes with a default, by name.
  private(set) var defaults: [String: NodeAttribute] = [:]
  private(set) var nodes: [FileNode] = []
  private(set) var operatorSets: [ONNXOperatorSet] = []

  init(_ message: WireMessage) throws(ImportError) {
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: name = try field.name()
      case 4: inputs.append(try field.name())
      case 5: outputs.append(try field.name())
      case 6: attributes.append(try field.name())
      case 7: nodes.append(try FileNode(try field.message()))
      case 9: operatorSets.append(try ONNXOperatorSet(try field.message()))
      case 10: domain = try field.name()
      case 11:
        let (name, value) = try NodeAttribute.read(try field.message())
        if defaults[name] == nil { defaults[name] = value }
      case 13: overload = try field.name()
      default: break
      }
    }
    if domain == "ai.onnx" { domain = "" }
  }
}
