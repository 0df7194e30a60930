import Forge

/// The batch that a file fixes, such as 32 in inputs of [32, 3, 320, 320].
///
/// Such a file is imported as if the first size of its inputs were open: the network computes one
/// example. Every node is imported once more with all examples (``ONNXOpenAxes``), which is what
/// the file says, so that what is not the same for each example is found. Numbers that stand for
/// the batch are read for one example where the two agree only then. If the examples do not stay
/// apart up to the outputs, the file is imported as it is.
enum ONNXFileBatch {
  /// The number of examples in the inputs of a graph; `nil` if it has none, or one.
  ///
  /// All inputs are images or, if convolutions read them, sequences, with the same first size above
  /// 1, which is also the first size of the outputs.
  ///
  /// - Parameters:
  ///   - graph: the graph of a model.
  ///   - options: the options of the import; stated sizes are kept.
  /// - Returns: the size.
  static func size(of graph: ONNXGraph, _ options: ImportOptions) -> Int? {
    guard options.sizes.isEmpty else { return nil }
    let weighted = graph.nodes.filter { convolutions.contains($0.type) }
    let read = Set(weighted.compactMap(\.inputs.first))
    let known = Set(graph.initializers.map(\.name)).union(options.constants.keys)
    var size: Int?
    for input in graph.inputs where !known.contains(input.name) {
      guard case .tensor(_, let shape?)? = input.type, let first = shape.first?.size, first > 1,
        size ?? first == first,
        shape.count == 4 || (shape.count == 3 && read.contains(input.name))
      else { return nil }
      size = first
    }
    guard let size, !weighted.isEmpty else { return nil }
    for output in graph.outputs {
      guard case .tensor(_, let shape)? = output.type else { return nil }
      if let shape, shape.first?.size != size { return nil }
    }
    return size
  }

  private static let convolutions: Set = [
    "Conv", "ConvTranspose", "FusedConv", "ConvInteger", "QLinearConv",
  ]

  /// What ends the import of one example; the file is then imported as it is.
  static let isMixed = ImportError(.unsupported, "the file combines the examples of its batch")
}

extension ONNXGraphImport {
  /// Imports a node for one example of the file's batch.
  ///
  /// - Parameters:
  ///   - stated: the node as the file states it, with inputs of one example.
  ///   - found: its operator.
  /// - Returns: the node with its results.
  /// - Throws: ``ONNXFileBatch/isMixed`` if the node does not keep examples apart.
  mutating func importExample(_ stated: ONNXCall, by found: ONNXOperator) throws -> ONNXCall {
    guard let larger = try? batch.larger(stated) else { throw ONNXFileBatch.isMixed }
    for reading in batch.readings(of: stated) {
      guard let result = try? imported(reading.call, by: found) else { continue }
      var call = reading.call
      call.outputs = result.outputs
      guard (try? batch.follow(call, beside: larger, constants: reading.constants)) != nil else {
        continue
      }
      for index in reading.constants.keys { values[call.node.inputs[index]] = call.inputs[index] }
      return result
    }
    throw ONNXFileBatch.isMixed
  }

  /// States the batch that the file fixes in the ports.
  ///
  /// - Throws: ``ONNXFileBatch/isMixed`` if an output does not have all examples along its first
  ///   axis.
  mutating func stateBatch(
    _ size: Int, _ outputs: inout [ImportedModel.Port], _ constants: [ImportedModel.Constant]
  ) throws(ImportError) {
    for output in graph.outputs {
      guard let state = batch.states[output.name] else {
        guard constants.contains(where: { $0.name == output.name }) else {
          throw ONNXFileBatch.isMixed
        }
        continue
      }
      guard case .along(ONNXOpenAxis(axis: 0)) = state else { throw ONNXFileBatch.isMixed }
    }
    for index in ports.indices { ports[index].batchSize = size }
    for index in outputs.indices { outputs[index].batchSize = size }
  }
}

/// A node of a file that fixes a batch, as it is for one example.
struct ONNXExampleReading {
  /// The node with other inputs.
  var call: ONNXCall
  /// The constant inputs that are equal for all examples, of which the node reads one.
  var constants: [Int: ONNXOpenAxis] = [:]
}

extension ONNXOpenAxes {
  /// The ways to read a node for one example, as it is stated first.
  ///
  /// A size in a constant that states the sizes of the result may count examples, and a constant
  /// with equal parts along the axis of the examples may have one for each.
  func readings(of call: ONNXCall) -> [ONNXExampleReading] {
    let stated = ONNXExampleReading(call: call)
    guard case .apart(_, let arguments, let target, _)? = ONNXOperators.find(call.node)?.examples
    else { return [stated] }
    var readings = [stated]
    if let target { readings += smaller(call, target) }
    let constants = equalExamples(call, except: arguments)
    guard !constants.isEmpty else { return readings }
    var reading = stated
    for (index, one) in constants {
      reading.call.inputs[index] = .host(one.value)
      reading.constants[index] = one.place
    }
    return readings + [reading]
  }

  /// The node with one of the sizes that a constant states divided by the number of examples.
  private func smaller(_ call: ONNXCall, _ target: Int) -> [ONNXExampleReading] {
    guard let host = call.host(target), states[call.node.inputs[target]] == nil, host.isInteger,
      host.count <= Shape.maximumRank, let sizes = try? host.integers()
    else { return [] }
    let count = Int64(base.multipliedSaturated(by: factor))
    return sizes.indices.compactMap { index in
      guard sizes[index] > 0, sizes[index].isMultiple(of: count) else { return nil }
      var (other, reading) = (sizes, ONNXExampleReading(call: call))
      other[index] /= count
      reading.call.inputs[target] = .host(
        HostTensor(integers: other, sizes: host.sizes, type: host.type))
      return reading
    }
  }

  /// One example of each constant that has equal ones along the axis of the other inputs.
  private func equalExamples(
    _ call: ONNXCall, except arguments: Set<Int>
  ) -> [Int: (value: HostTensor, place: ONNXOpenAxis)] {
    var first: (axis: Int, rank: Int)?
    for (name, value) in zip(call.node.inputs, call.inputs) where first == nil {
      guard case .along(let place)? = states[name], place == ONNXOpenAxis(axis: place.axis),
        let value
      else { continue }
      first = (place.axis, value.sizes.count)
    }
    guard let first else { return [:] }
    var constants: [Int: (value: HostTensor, place: ONNXOpenAxis)] = [:]
    for (index, name) in call.node.inputs.enumerated() where !arguments.contains(index) {
      guard !name.isEmpty, states[name] == nil, let host = call.host(index) else { continue }
      let axis = first.axis - first.rank + host.sizes.count
      guard host.sizes.indices.contains(axis),
        host.sizes[axis] == base.multipliedSaturated(by: factor),
        let one = try? host.sliced(axis: axis, start: 0, count: base, step: 1),
        case .along(let place)? = state(one, host), place == ONNXOpenAxis(axis: axis)
      else { continue }
      constants[index] = (one, place)
    }
    return constants
  }
}
