import Forge

/// Follows an open size through a graph: that of the batch, or the number of rows of a selection.
///
/// The graph is imported with one size, `base`. Beside it, every node that the open size reaches is
/// imported once more with a multiple of it, of which only sizes and numbers matter. From the two
/// follows where the open size stands in each result, and which numbers depend on it. What a node
/// does to elements of equal sizes is stated by its operator (``ONNXOpenRules``). A node that does
/// not keep examples apart, and one of which that is not known, mixes them; so does everything
/// after it.
struct ONNXOpenAxes {
  /// The open size with which the graph is imported.
  let base: Int
  /// How many times larger the size beside it is.
  static let factor = 3
  /// What has to do with the open size; other values have not.
  private(set) var states: [String: ONNXOpenState] = [:]
  /// The values with the larger size.
  private var values: [String: FileValue] = [:]

  init(base: Int) { self.base = base }

  /// Whether no value has to do with the open size.
  var isEmpty: Bool { states.isEmpty }

  /// Adds a value that has the open size along an axis.
  mutating func add(_ name: String, _ value: FileTensor, along axis: Int) {
    var sizes = value.sizes
    sizes[axis] = sizes[axis].multipliedSaturated(by: Self.factor)
    guard Shape.product(of: sizes) != nil else {
      states[name] = .mixed(ONNXMixture(node: name, type: "input"))
      return
    }
    let layout = FileTensor.fileLayout(sizes)
    states[name] = .along(ONNXOpenAxis(axis: axis))
    values[name] = .network(
      FileTensor(Input(shape: sizes), sizes: sizes, layout: layout, type: value.type))
  }

  /// Follows the open size through a node that has been imported.
  mutating func follow(_ call: ONNXCall) {
    let names = call.node.inputs
    guard names.contains(where: { states[$0] != nil }) else { return }
    do throws(ONNXMixture) {
      try place(call, try larger(call))
    } catch {
      for name in call.node.outputs where !name.isEmpty { states[name] = .mixed(error) }
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
  private func larger(_ call: ONNXCall) throws(ONNXMixture) -> ONNXCall {
    let here = ONNXMixture(node: call.node.name, type: call.node.type)
    for case .mixed(let mixture)? in call.node.inputs.map({ states[$0] }) { throw mixture }
    var larger = ONNXCall(
      call.node, opset: call.opset,
      inputs: zip(call.node.inputs, call.inputs).map { values[$0] ?? $1 },
      graphOutputs: call.graphOutputs)
    larger.integerBound = call.integerBound
    larger.isUsedAsTruth = call.isUsedAsTruth
    larger.channelBlock = call.channelBlock
    do {
      try ONNXOperators.run(&larger)
    } catch {
      // With more than one example the node does not fit its inputs.
      throw here
    }
    return larger
  }

  /// States the open size of each result.
  private mutating func place(_ call: ONNXCall, _ larger: ONNXCall) throws(ONNXMixture) {
    let here = ONNXMixture(node: call.node.name, type: call.node.type)
    var rule: [ONNXOpenAxis?]?
    for (index, name) in call.node.outputs.enumerated() where !name.isEmpty {
      guard let one = call.outputs[index], let more = larger.outputs[index] else { continue }
      switch (one, more) {
      case (.host(let a), .host(let b)):
        guard let state = state(a, b) else { continue }
        states[name] = state
        values[name] = more
      case (.network, .network):
        if rule == nil { rule = try axes(call, larger) }
        guard let place = rule.flatMap({ $0.indices.contains(index) ? $0[index] : nil }) else {
          throw here
        }
        var sizes = one.sizes
        guard sizes.indices.contains(place.axis) else { throw here }
        guard sizes[place.axis] == place.outer * base * place.inner else { throw here }
        sizes[place.axis] *= Self.factor
        guard sizes == more.sizes else { throw here }
        states[name] = .along(place)
        values[name] = more
      default: throw here
      }
    }
  }

  /// The axes of the results by the operator's rule.
  private func axes(_ call: ONNXCall, _ larger: ONNXCall) throws(ONNXMixture) -> [ONNXOpenAxis?] {
    let here = ONNXMixture(node: call.node.name, type: call.node.type)
    guard case .apart(let rule, let arguments)? = ONNXOperators.find(call.node)?.examples else {
      throw here
    }
    var places: [ONNXOpenAxis?] = []
    for (index, name) in call.node.inputs.enumerated() {
      switch states[name] {
      case .along(let place)?: places.append(place)
      // Numbers that follow the open size may say where elements go, but be no elements.
      case .numbers? where !arguments.contains(index): throw here
      case .numbers?, nil: places.append(nil)
      case .mixed(let mixture)?: throw mixture
      }
    }
    let node = ONNXOpenNode(call: call, larger: larger, places: places, base: base)
    guard let result = try? rule(node) else { throw here }
    return result
  }

  /// The state of a known value that has become another one with the larger size; `nil` if it has
  /// not.
  private func state(_ one: HostTensor, _ more: HostTensor) -> ONNXOpenState? {
    guard one.sizes != more.sizes else { return Self.hasSameValues(one, more) ? nil : .numbers }
    guard one.sizes.count == more.sizes.count else { return .numbers }
    let changed = one.sizes.indices.filter { one.sizes[$0] != more.sizes[$0] }
    guard changed.count == 1, let axis = changed.first, one.sizes[axis] > 0,
      one.sizes[axis].isMultiple(of: base),
      one.sizes[axis].multipliedSaturated(by: Self.factor) == more.sizes[axis],
      let repeated = try? HostTensor.concatenated(
        Array(repeating: one, count: Self.factor), axis: axis),
      Self.hasSameValues(repeated, more)
    else { return .numbers }
    // Equal examples: the elements of one are neighbours.
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
