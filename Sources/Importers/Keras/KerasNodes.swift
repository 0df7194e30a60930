import Forge
import ForgeLoaders

/// Nodes of ONNX that compute an operation of Keras, whose tensors have the batch as axis 0.
///
/// Arithmetic that ONNX's operators have is so written once.
final class KerasNodes {
  let call: KerasCall
  private var count = 0

  init(_ call: KerasCall) { self.call = call }

  /// A function of one result.
  static func one(
    _ names: String..., body: @escaping @Sendable (KerasNodes) throws -> FileValue
  ) -> KerasFunction {
    KerasFunction(names, activation: .none) { _ throws(KerasFault) in step(body) }
  }

  /// A function of several results.
  static func several(
    _ names: String..., body: @escaping @Sendable (KerasNodes) throws -> [FileValue]
  ) -> KerasFunction {
    KerasFunction(names, activation: .none) { _ throws(KerasFault) in
      KerasStep { call throws(KerasFault) in try run(call, body) }
    }
  }

  /// A step of one result.
  static func step(_ body: @escaping @Sendable (KerasNodes) throws -> FileValue) -> KerasStep {
    KerasStep { call throws(KerasFault) in try run(call) { [try body($0)] } }
  }

  /// The results of nodes, with the name of the call.
  static func run(
    _ call: KerasCall, _ body: (KerasNodes) throws -> [FileValue]
  ) throws(KerasFault) -> [KerasTensor] {
    let nodes = KerasNodes(call)
    do {
      return try body(nodes).enumerated().map { number, value in
        try nodes.tensor(value, name: number == 0 ? call.name : "\(call.name)/\(number)")
      }
    } catch NodeFailure.unsupported(let detail) {
      throw .unsupported(detail)
    } catch NodeFailure.invalid(let text) {
      throw .invalid("the operation does not fit its inputs", received: text)
    } catch let fault as KerasFault {
      throw fault
    } catch let error as ImportError {
      throw .fatal(error)
    } catch let error as LoadError {
      throw .loading(error)
    } catch {
      throw .invalid("the operation cannot be imported", received: "\(error)")
    }
  }

  // MARK: Operands

  /// A tensor as nodes see it.
  static func value(_ tensor: KerasTensor) throws(KerasFault) -> FileValue {
    _ = try tensor.knownSizes("known sizes for an operation")
    return .network(
      FileTensor(
        tensor.tensor, layout: ImportedModel.Port.kerasAxes(rank: tensor.rank),
        rank: tensor.rank + 1))
  }

  /// An argument that is a tensor of the model, or numbers without the batch.
  func operand(_ value: KerasValue?, _ name: String) throws -> FileValue {
    switch value {
    case .tensor(let tensor)?: return try Self.value(tensor)
    case .json(let json)?:
      guard let (sizes, floats) = json.numbers else {
        throw NodeFailure.unsupported("\(name) that is neither a tensor nor numbers")
      }
      return .host(HostTensor(floats: floats, sizes: sizes))
    case .list(let list)?:
      guard let json = KerasValue.list(list).json else {
        throw NodeFailure.unsupported("\(name) of tensors and numbers")
      }
      return try operand(.json(json), name)
    case nil: throw NodeFailure.unsupported("no \(name)")
    }
  }

  /// The tensor of the first argument.
  func first() throws -> FileTensor {
    guard case .network(let tensor) = try operand(call.value("x", "x1", "inputs", at: 0), "x")
    else { throw NodeFailure.unsupported("numbers in place of a tensor of the model") }
    return tensor
  }

  /// Two operands of which one is a tensor.
  func pair() throws -> (FileValue, FileValue) {
    let first = try operand(call.value("x1", "x", at: 0), "x1")
    let second = try operand(
      call.value("x2", "y", at: call.arguments.count > 1 ? 1 : 0), "x2")
    try checkBroadcast([first, second])
    return (first, second)
  }

  /// Refuses operands that broadcast along the batch: tensors of several numbers of axes, and
  /// numbers for each example.
  func checkBroadcast(_ values: [FileValue]) throws {
    let ranks = Set(
      values.compactMap { value in
        if case .network(let tensor) = value { tensor.rank } else { nil }
      })
    guard ranks.count == 1, let rank = ranks.first else {
      throw NodeFailure.unsupported("tensors of several numbers of axes")
    }
    for case .host(let host) in values
    where host.sizes.count > rank || (host.sizes.count == rank && host.sizes[0] != 1) {
      throw NodeFailure.unsupported("numbers for each example of a batch")
    }
  }

  /// An axis of a tensor of `rank` axes, counted from 0, which must not be the batch.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    guard -rank..<rank ~= axis else {
      throw NodeFailure.invalid("axis \(axis) of \(rank) axes")
    }
    let positive = axis < 0 ? axis + rank : axis
    guard positive != 0 else { throw NodeFailure.unsupported("axis \(axis), which is the batch") }
    return positive
  }

  /// The axis among the arguments.
  func axis(_ rank: Int, at position: Int = 1, default usual: Int? = nil) throws -> Int {
    guard let value = call.value("axis", at: position) else {
      guard let usual else { throw NodeFailure.unsupported("all axes, the batch included") }
      return try axis(usual, rank: rank)
    }
    return try axis(try call.integer(value, default: 0), rank: rank)
  }

  /// The axes among the arguments.
  func axes(_ rank: Int, at position: Int = 1) throws -> [Int] {
    guard let axes = try call.integers(call.value("axis", at: position)), !axes.isEmpty else {
      throw NodeFailure.unsupported("all axes, the batch included")
    }
    return Set(try axes.map { try axis($0, rank: rank) }).sorted()
  }

  // MARK: Nodes

  /// The results of a node.
  func all(
    _ type: String, _ inputs: [FileValue?], _ attributes: [String: NodeAttribute] = [:],
    outputs: Int = 1
  ) throws -> [FileValue] {
    count += 1
    let name = "\(call.name)/\(type)\(count)"
    let names = [name] + (1..<max(outputs, 1)).map { "\(name):\($0)" }
    var onnx = ONNXCall(
      FileNode(type, outputs: names, attributes: attributes), opset: 24, inputs: inputs,
      graphOutputs: [])
    if try !ONNXLengths.run(&onnx) { try ONNXOperators.run(&onnx) }
    try ONNXLengths.check(onnx)
    call.layer.file.made.withLock { $0.merge(onnx.parameters) { first, _ in first } }
    return try onnx.outputs.map { value in
      guard let value else { throw NodeFailure.unsupported("a result that is left out") }
      return value
    }
  }

  /// The only result of a node.
  func callAsFunction(
    _ type: String, _ inputs: FileValue?..., with attributes: [String: NodeAttribute] = [:]
  ) throws -> FileValue {
    try all(type, inputs, attributes)[0]
  }

  /// The result as a tensor of Keras.
  private func tensor(_ value: FileValue, name: String) throws -> KerasTensor {
    guard case .network(let file) = value else {
      throw NodeFailure.unsupported("a result that no input changes")
    }
    guard file.rank >= 2, file.sizes[0] == 1 else {
      throw NodeFailure.unsupported("a result without axes besides the batch")
    }
    let rank = file.rank - 1
    let tensor = file.tensor(as: ImportedModel.Port.kerasAxes(rank: rank))
    return KerasTensor(tensor: try call.apply(Identity(name: name), to: tensor), rank: rank)
  }
}

extension JSONValue {
  /// Numbers with their sizes: one number, regular lists of numbers, or an array of NumPy.
  var numbers: (sizes: [Int], values: [Float])? {
    if let kind = self["class_name"]?.text, kind == "__numpy__" || kind == "__tensor__" {
      return self["config"]?["value"]?.numbers
    }
    if let flag { return ([], [flag ? 1 : 0]) }
    guard let array else { return float.map { ([], [$0]) } }
    var sizes: [Int]?
    var values: [Float] = []
    for element in array {
      guard let (inner, numbers) = element.numbers, sizes == nil || sizes == inner else {
        return nil
      }
      sizes = inner
      values += numbers
    }
    return sizes.map { ([array.count] + $0, values) }
  }
}
