import Forge

/// Follows an open size through a graph: that of the batch, or the number of rows of a selection.
///
/// The graph is imported with one size, `base`. Every node that the open size reaches is imported a
/// second time with a larger size: the file's own if it fixes the batch, otherwise a multiple.
/// Comparing the two results shows which axes have the open size, and which numbers depend on it.
/// What a node does to elements of equal sizes is stated by its operator (``ONNXOpenRules``). A
/// uniform node, whose results grow as its inputs do, is not imported again. A node that does not
/// keep examples apart, and one of which that is not known, mixes them; so does everything after
/// it.
struct ONNXOpenAxes {
  /// The open size with which the graph is imported.
  let base: Int
  /// How many times larger the size beside it is.
  let factor: Int
  /// The state of each value that depends on the open size.
  private(set) var states: [String: ONNXOpenState] = [:]
  /// The values with the larger size.
  private var values: [String: LargerValue] = [:]

  init(base: Int, factor: Int = 3) {
    self.base = base
    self.factor = factor
  }

  /// Whether no value has to do with the open size.
  var isEmpty: Bool { states.isEmpty }

  /// Adds a value that has the open size along an axis.
  mutating func add(_ name: String, _ value: FileTensor, along axis: Int) {
    var sizes = value.sizes
    sizes[axis] = sizes[axis].multipliedSaturated(by: factor)
    guard Shape.product(of: sizes) != nil else {
      states[name] = .mixed(ONNXMixture(node: name, type: "input"))
      return
    }
    states[name] = .along(ONNXOpenAxis(axis: axis))
    values[name] = .input(sizes, value.type)
  }

  /// Whether a node reads what has to do with the open size.
  func reaches(_ node: FileNode) -> Bool { node.inputs.contains { states[$0] != nil } }

  /// Follows the open size through a node that has been imported.
  mutating func follow(_ call: ONNXCall) {
    guard reaches(call.node) else { return }
    do throws(ONNXMixture) {
      if let results = try grown(call) { return keep(results) }
      try follow(call, beside: try larger(call))
    } catch {
      for name in call.node.outputs where !name.isEmpty { states[name] = .mixed(error) }
    }
  }

  /// Follows the open size through a node.
  ///
  /// - Parameters:
  ///   - call: the node with its results.
  ///   - larger: the node with the larger size and its results.
  ///   - constants: the constant inputs that are equal for all examples, of which `call` reads one;
  ///     they have the open size from here on.
  /// - Throws: ``ONNXMixture`` if the node combines examples; then nothing is kept.
  mutating func follow(
    _ call: ONNXCall, beside larger: ONNXCall, constants: [Int: ONNXOpenAxis] = [:]
  ) throws(ONNXMixture) {
    keep(try results(call, larger, constants))
    for (index, place) in constants {
      states[call.node.inputs[index]] = .along(place)
      values[call.node.inputs[index]] = larger.inputs[index].map { .value($0) }
    }
  }

  /// States that values combine examples if what chose them follows the open size.
  ///
  /// - Parameters:
  ///   - names: the values.
  ///   - mixture: the node that has chosen.
  ///   - inputs: what its choice depends on.
  mutating func mix(_ names: [String], _ mixture: ONNXMixture, on inputs: [String]) {
    guard let state = inputs.compactMap({ states[$0] }).first else { return }
    var first = mixture
    if case .mixed(let earlier) = state { first = earlier }
    for name in names where !name.isEmpty { states[name] = .mixed(first) }
  }

  /// The call with the larger size, and its results.
  func larger(_ call: ONNXCall) throws(ONNXMixture) -> ONNXCall {
    let here = ONNXMixture(node: call.node.name, type: call.node.type)
    for case .mixed(let mixture)? in call.node.inputs.map({ states[$0] }) { throw mixture }
    var larger = ONNXCall(
      call.node, opset: call.opset,
      inputs: zip(call.node.inputs, call.inputs).map { values[$0]?.value ?? $1 },
      graphOutputs: call.graphOutputs)
    larger.integerBound = call.integerBound
    larger.isUsedAsTruth = call.isUsedAsTruth
    larger.channelBlock = call.channelBlock
    larger.isOutline = true
    do {
      try ONNXOperators.run(&larger)
    } catch {
      // With more than one example the node does not fit its inputs.
      throw here
    }
    return larger
  }

  /// What is known of a result.
  private struct Result {
    let name: String
    let state: ONNXOpenState
    let value: LargerValue
  }

  /// A value with the larger size.
  private enum LargerValue {
    case value(FileValue)
    /// An input of these sizes, which is made when a node reads it.
    case input([Int], ElementType)

    var value: FileValue {
      switch self {
      case .value(let value): value
      case .input(let sizes, let type):
        .network(
          FileTensor(
            Input(shape: sizes), sizes: sizes, layout: FileTensor.fileLayout(sizes), type: type))
      }
    }
  }

  private mutating func keep(_ results: [Result]) {
    for result in results {
      states[result.name] = result.state
      values[result.name] = result.value
    }
  }

  /// The results of a uniform node, whose values with the larger size are inputs of their sizes;
  /// `nil` for other nodes.
  private func grown(_ call: ONNXCall) throws(ONNXMixture) -> [Result]? {
    guard case .apart(_, _, _, uniform: true)? = ONNXOperators.find(call.node)?.examples,
      call.node.inputs.allSatisfy({ states[$0]?.isNumbers != true }),
      // A known result may have nothing to do with the examples.
      call.outputs.allSatisfy({ output in if case .host? = output { false } else { true } })
    else { return nil }
    let places = try axes(call, call, [:])
    var results: [Result] = []
    for (index, name) in call.node.outputs.enumerated() where !name.isEmpty {
      guard let one = call.outputs[index] else { continue }
      guard case .network(let tensor) = one, places.indices.contains(index),
        let place = places[index], tensor.sizes.indices.contains(place.axis),
        tensor.sizes[place.axis] == place.outer * base * place.inner
      else { return nil }
      var sizes = tensor.sizes
      sizes[place.axis] = sizes[place.axis].multipliedSaturated(by: factor)
      guard Shape.product(of: sizes) != nil else { return nil }
      results.append(
        Result(name: name, state: .along(place), value: .input(sizes, tensor.type)))
    }
    return results
  }

  /// The open size of each result that has to do with it.
  private func results(
    _ call: ONNXCall, _ larger: ONNXCall, _ constants: [Int: ONNXOpenAxis]
  ) throws(ONNXMixture) -> [Result] {
    let here = ONNXMixture(node: call.node.name, type: call.node.type)
    var rule: [ONNXOpenAxis?]?
    var results: [Result] = []
    for (index, name) in call.node.outputs.enumerated() where !name.isEmpty {
      guard let one = call.outputs[index], let more = larger.outputs[index] else { continue }
      switch (one, more) {
      case (.host(let a), .host(let b)):
        guard let state = state(a, b) else { continue }
        results.append(Result(name: name, state: state, value: .value(more)))
      case (.network, .network):
        if rule == nil { rule = try axes(call, larger, constants) }
        guard let place = rule.flatMap({ $0.indices.contains(index) ? $0[index] : nil }) else {
          throw here
        }
        var sizes = one.sizes
        guard sizes.indices.contains(place.axis) else { throw here }
        guard sizes[place.axis] == place.outer * base * place.inner else { throw here }
        sizes[place.axis] *= factor
        guard sizes == more.sizes else { throw here }
        results.append(Result(name: name, state: .along(place), value: .value(more)))
      default: throw here
      }
    }
    return results
  }

  /// The axes of the results by the operator's rule.
  private func axes(
    _ call: ONNXCall, _ larger: ONNXCall, _ constants: [Int: ONNXOpenAxis]
  ) throws(ONNXMixture) -> [ONNXOpenAxis?] {
    let here = ONNXMixture(node: call.node.name, type: call.node.type)
    guard case .apart(let rule, let arguments, _, _)? = ONNXOperators.find(call.node)?.examples
    else { throw here }
    var places: [ONNXOpenAxis?] = []
    for (index, name) in call.node.inputs.enumerated() {
      switch states[name] {
      case .along(let place)?: places.append(place)
      // Numbers that follow the open size may say where elements go without being elements.
      case .numbers? where !arguments.contains(index): throw here
      case .numbers?, nil: places.append(constants[index])
      case .mixed(let mixture)?: throw mixture
      }
    }
    let node = ONNXOpenNode(call: call, larger: larger, places: places, base: base)
    guard let result = try? rule(node) else { throw here }
    return result
  }

  /// The state of a known value that differs at the larger size; `nil` if it is the same.
  func state(_ one: HostTensor, _ more: HostTensor) -> ONNXOpenState? {
    guard one.sizes != more.sizes else { return Self.hasSameValues(one, more) ? nil : .numbers }
    guard one.sizes.count == more.sizes.count else { return .numbers }
    let changed = one.sizes.indices.filter { one.sizes[$0] != more.sizes[$0] }
    guard changed.count == 1, let axis = changed.first, one.sizes[axis] > 0,
      one.sizes[axis].isMultiple(of: base),
      one.sizes[axis].multipliedSaturated(by: factor) == more.sizes[axis],
      let repeated = try? one.reshaped(Array(one.sizes[..<axis]) + [1] + one.sizes[axis...])
        .expanded(to: Array(one.sizes[..<axis]) + [factor] + one.sizes[axis...]),
      Self.hasSameValues(repeated.reshaped(more.sizes), more)
    else { return .numbers }
    // Equal examples: the elements of one are neighbors.
    return .along(ONNXOpenAxis(axis: axis, inner: one.sizes[axis] / base))
  }

  private static func hasSameValues(_ a: HostTensor, _ b: HostTensor) -> Bool {
    if case .repeated(let x) = a.storage, case .repeated(let y) = b.storage {
      return x.bitPattern == y.bitPattern
    }
    if a.isInteger {
      guard let x = try? a.integers(), let y = try? b.integers() else { return false }
      return x == y
    }
    guard let x = try? a.floats(), let y = try? b.floats() else { return false }
    return x.elementsEqual(y) { $0.bitPattern == $1.bitPattern }
  }
}
