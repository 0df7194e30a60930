import Forge

/// One node of a model file: an operator, the names of what it reads and makes, and its attributes.
///
/// The operators of ONNX read it. Other formats translate their layers and operations to such
/// nodes.
struct FileNode: Sendable {
  /// The operator: `Conv`.
  let type: String
  /// The domain of the operator; empty for ONNX's own.
  let domain: String
  /// Which of several functions of one name the node calls; usually empty.
  let overload: String
  /// The node's name, or that of its first output.
  let name: String
  /// The names of the inputs; empty for one that is left out.
  let inputs: [String]
  /// The names of the outputs; empty for one that nobody reads.
  let outputs: [String]
  /// The attributes by name.
  let attributes: [String: NodeAttribute]

  /// Creates a node.
  ///
  /// - Parameters:
  ///   - type: the operator.
  ///   - domain: its domain; `ai.onnx` is that without a name.
  ///   - overload: which of several functions of one name it calls.
  ///   - name: the node's name; that of its first output if it is empty.
  ///   - inputs: the names of the inputs.
  ///   - outputs: the names of the outputs.
  ///   - attributes: the attributes by name.
  init(
    _ type: String, domain: String = "", overload: String = "", name: String = "",
    inputs: [String] = [], outputs: [String], attributes: [String: NodeAttribute] = [:]
  ) {
    self.type = type
    self.domain = domain == "ai.onnx" ? "" : domain
    self.name = name.isEmpty ? outputs.first { !$0.isEmpty } ?? "" : name
    self.overload = overload
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
  }

  /// Whether the attribute is there.
  func has(_ name: String) -> Bool { attributes[name] != nil }

  /// Whether somebody may read an output.
  func has(output index: Int) -> Bool { index < outputs.count && !outputs[index].isEmpty }

  /// An integer; `absent` if the attribute is not there or has another type.
  func int(_ name: String, _ absent: Int = 0) -> Int {
    if case .int(let value)? = attributes[name] { Int(value) } else { absent }
  }

  /// A list of integers; `nil` if it is not there.
  func ints(_ name: String) -> [Int]? {
    if case .ints(let values)? = attributes[name] { values.map { Int($0) } } else { nil }
  }

  /// A number; `absent` if the attribute is not there or has another type.
  func float(_ name: String, _ absent: Float = 0) -> Float {
    if case .float(let value)? = attributes[name] { value } else { absent }
  }

  /// A list of numbers; `nil` if it is not there.
  func floats(_ name: String) -> [Float]? {
    if case .floats(let values)? = attributes[name] { values } else { nil }
  }

  /// A text; `absent` if the attribute is not there or has another type.
  func string(_ name: String, _ absent: String = "") -> String {
    if case .string(let value)? = attributes[name] { value } else { absent }
  }

  /// A list of texts; `nil` if it is not there.
  func strings(_ name: String) -> [String]? {
    if case .strings(let values)? = attributes[name] { values } else { nil }
  }

  /// A stored tensor; `nil` if it is not there.
  func tensor(_ name: String) -> ONNXTensor? {
    if case .tensor(let value)? = attributes[name] { value } else { nil }
  }

  /// A list of stored tensors; `nil` if it is not there.
  func tensors(_ name: String) -> [ONNXTensor]? {
    if case .tensors(let values)? = attributes[name] { values } else { nil }
  }

  /// A graph; `nil` if it is not there.
  func graph(_ name: String) -> ONNXGraph? {
    if case .graph(let graph)? = attributes[name] { graph } else { nil }
  }
}

/// The value of an attribute.
enum NodeAttribute: Sendable {
  case int(Int64)
  case float(Float)
  case string(String)
  case ints([Int64])
  case floats([Float])
  case strings([String])
  indirect case tensor(ONNXTensor)
  case tensors([ONNXTensor])
  /// A graph, such as a branch of `If`.
  indirect case graph(ONNXGraph)
  /// In a function, the value of the calling node's attribute of this name.
  case reference(String)
  /// A value that Forge does not read, such as a type.
  case other

  /// An integer.
  static func int(_ value: Int) -> NodeAttribute { .int(Int64(value)) }

  /// A list of integers.
  static func ints(_ values: [Int]) -> NodeAttribute { .ints(values.map { Int64($0) }) }

  /// A Boolean.
  static func flag(_ value: Bool) -> NodeAttribute { .int(value ? 1 : 0) }
}
