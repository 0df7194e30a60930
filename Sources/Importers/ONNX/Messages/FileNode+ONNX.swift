import Forge

extension FileNode {
  /// Reads a node of ONNX, a `NodeProto`.
  ///
  /// - Throws: ``ImportError``: `malformed`, `tooLarge` or `unreadable`.
  init(_ message: WireMessage) throws(ImportError) {
    try message.file.take(bytes: MemoryLayout<FileNode>.stride)
    var (type, domain, name, overload) = ("", "", "", "")
    var (inputs, outputs): ([String], [String]) = ([], [])
    var attributes: [String: NodeAttribute] = [:]
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: inputs.append(try field.name())
      case 2: outputs.append(try field.name())
      case 3: name = try field.name()
      case 4: type = try field.name()
      case 5:
        let (name, value) = try NodeAttribute.read(try field.message())
        if attributes[name] == nil { attributes[name] = value }
      case 7: domain = try field.name()
      case 8: overload = try field.name()
      default: break
      }
    }
    self.init(
      type, domain: domain, overload: overload, name: name, inputs: inputs, outputs: outputs,
      attributes: attributes)
  }
}

extension NodeAttribute {
  /// Reads an attribute of ONNX, an `AttributeProto`.
  ///
  /// An attribute without a stated type has that of the field which is there.
  ///
  /// - Returns: the name and the value.
  /// - Throws: ``ImportError``: `malformed` where the fields contradict the type; `tooLarge`,
  ///   `unreadable`.
  static func read(_ message: WireMessage) throws(ImportError) -> (String, NodeAttribute) {
    var fields = Fields()
    var name = ""
    var stated: Int32 = 0
    var reference = ""
    try message.forEachField { field throws(ImportError) in
      switch field.number {
      case 1: name = try field.name()
      case 20: stated = try field.int32()
      case 21: reference = try field.name()
      default: try fields.read(field)
      }
    }
    guard reference.isEmpty else { return (name, .reference(reference)) }
    guard let value = fields.value(stated) else { throw message.file.malformed }
    return (name, value)
  }

  /// The types of attributes by their numbers in the file.
  private enum Kind: Int32 {
    case float = 1, int, string, tensor, graph, floats, ints, strings, tensors
    case graphs, sparseTensor, sparseTensors, type, types
  }

  /// The values that the fields of an attribute hold.
  private struct Fields {
    /// The types whose fields are there.
    var kinds: [Kind] = []
    var float: Float = 0
    var int: Int64 = 0
    var string = ""
    var tensor: ONNXTensor?
    var graph: ONNXGraph?
    var floats: [Float] = []
    var ints: [Int64] = []
    var strings: [String] = []
    var tensors: [ONNXTensor] = []

    /// Reads a field; those without a value are left alone.
    mutating func read(_ field: WireField) throws(ImportError) {
      let kind: Kind
      switch field.number {
      case 2: (kind, float) = (.float, try field.float())
      case 3: (kind, int) = (.int, try field.int64())
      case 4: (kind, string) = (.string, try field.text())
      case 5:
        guard tensor == nil else { throw field.file.malformed }
        (kind, tensor) = (.tensor, try ONNXTensor(try field.message()))
      case 6:
        guard graph == nil else { throw field.file.malformed }
        (kind, graph) = (.graph, try ONNXGraph(try field.message()))
      case 7:
        kind = .floats
        try field.append(to: &floats)
      case 8:
        kind = .ints
        try field.append(to: &ints)
      case 9:
        kind = .strings
        strings.append(try field.text())
      case 10:
        kind = .tensors
        tensors.append(try ONNXTensor(try field.message()))
      case 11: kind = .graphs
      case 14: kind = .type
      case 15: kind = .types
      case 22: kind = .sparseTensor
      case 23: kind = .sparseTensors
      default: return
      }
      if !kinds.contains(kind) { kinds.append(kind) }
    }

    /// The value of a stated type, 0 for none; `nil` where the fields do not tell it.
    ///
    /// A writer may leave out numbers that are 0 and lists without elements.
    func value(_ stated: Int32) -> NodeAttribute? {
      let kind: Kind
      if stated != 0 {
        guard let known = Kind(rawValue: stated) else { return .other }
        guard kinds.isEmpty || kinds.contains(known) else { return nil }
        kind = known
      } else {
        guard kinds.count == 1, let only = kinds.first else { return nil }
        kind = only
      }
      return switch kind {
      case .float: .float(float)
      case .int: .int(int)
      case .string: .string(string)
      case .tensor: tensor.map { .tensor($0) }
      case .graph: graph.map { .graph($0) }
      case .floats: .floats(floats)
      case .ints: .ints(ints)
      case .strings: .strings(strings)
      case .tensors: .tensors(tensors)
      case .graphs, .sparseTensor, .sparseTensors, .type, .types: .other
      }
    }
  }
}
