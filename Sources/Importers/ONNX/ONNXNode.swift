import Forge
import ForgeMessages
import Foundation

/// A node of an ONNX graph with its attributes by name.
struct ONNXNode {
  /// The operator: `Conv`.
  let type: String
  /// The domain; empty for ONNX's own operators.
  let domain: String
  /// The node's name, or that of its first output.
  let name: String
  /// The names of the inputs; empty for one that is left out.
  let inputs: [String]
  /// The names of the outputs; empty for one that nobody reads.
  let outputs: [String]
  private let attributes: [String: OnnxAttribute]

  init(_ node: OnnxNode) {
    type = node.opType
    domain = node.domain == "ai.onnx" ? "" : node.domain
    inputs = node.input
    outputs = node.output
    name = node.name.isEmpty ? node.output.first { !$0.isEmpty } ?? "" : node.name
    attributes = Dictionary(node.attribute.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Creates a node that stands for a part of another format's operation.
  init(_ type: String, outputs: [String], attributes: [String: OnnxAttribute]) {
    self.type = type
    domain = ""
    inputs = []
    self.outputs = outputs
    name = outputs.first ?? ""
    self.attributes = attributes
  }

  /// Whether the attribute is there.
  func has(_ name: String) -> Bool { attributes[name] != nil }

  /// An integer attribute.
  func int(_ name: String, _ absent: Int = 0) -> Int {
    attributes[name].map { Int($0.i) } ?? absent
  }

  /// A list of integers; `nil` if it is not there.
  func ints(_ name: String) -> [Int]? { attributes[name].map { $0.ints.map { Int($0) } } }

  /// A number.
  func float(_ name: String, _ absent: Float = 0) -> Float { attributes[name]?.f ?? absent }

  /// A list of numbers; `nil` if it is not there.
  func floats(_ name: String) -> [Float]? { attributes[name]?.floats }

  /// A list of texts; `nil` if it is not there.
  func strings(_ name: String) -> [String]? {
    attributes[name].map { $0.strings.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Whether somebody may read an output.
  func has(output index: Int) -> Bool { index < outputs.count && !outputs[index].isEmpty }

  /// A text.
  func string(_ name: String, _ absent: String = "") -> String {
    attributes[name].map { String(decoding: $0.s, as: UTF8.self) } ?? absent
  }

  /// A stored tensor; `nil` if it is not there.
  func tensor(_ name: String) -> OnnxTensor? {
    attributes[name].flatMap { $0.hasT ? $0.t : nil }
  }
}
