/// A node of an ONNX graph to write.
struct ONNXNodeRecord {
  /// The value of an attribute.
  enum Attribute {
    case int(Int)
    case float(Float)
    case text(String)
    case ints([Int])
    case floats([Float])
    case texts([String])
  }

  let type: String
  var name: String
  var inputs: [String]
  var outputs: [String]
  var attributes: [(name: String, value: Attribute)]

  /// The node as a message, with other names for some values.
  func message(renaming names: [String: String]) -> [UInt8] {
    var node = WireWriter()
    for input in inputs { node.text(1, names[input] ?? input) }
    for output in outputs { node.text(2, names[output] ?? output) }
    node.text(3, name)
    node.text(4, type)
    for (name, value) in attributes {
      node.message(5) { attribute in
        attribute.text(1, name)
        value.write(to: &attribute)
      }
    }
    return node.bytes
  }
}

extension ONNXNodeRecord.Attribute {
  /// Writes the value and the number of its type.
  fileprivate func write(to attribute: inout WireWriter) {
    let type: Int64
    switch self {
    case .float(let value):
      attribute.float(2, value)
      type = 1
    case .int(let value):
      attribute.integer(3, Int64(value))
      type = 2
    case .text(let value):
      attribute.text(4, value)
      type = 3
    case .floats(let values):
      for value in values { attribute.float(7, value) }
      type = 6
    case .ints(let values):
      for value in values { attribute.integer(8, Int64(value)) }
      type = 7
    case .texts(let values):
      for value in values { attribute.text(9, value) }
      type = 8
    }
    attribute.integer(20, type)
  }
}
