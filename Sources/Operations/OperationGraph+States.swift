import ForgeShapes

/// The memory of a state.
package struct StateLayout: Hashable, Sendable {
  /// The sizes in memory order.
  package let sizes: [Int]
  /// Whether a prediction appends to the present values where they are.
  package let isInPlace: Bool

  package init(sizes: [Int], isInPlace: Bool) {
    (self.sizes, self.isInPlace) = (sizes, isInPlace)
  }
}

/// A state that is a position in tables, and the room that they leave.
package struct PositionLimit: Hashable, Sendable {
  /// The index of the state that holds the position.
  package let state: Int
  /// The index of the state that a prediction appends rows to in place, if it does.
  package let table: Int?
  /// The positions of one prediction; of a sequence, as many as it is long.
  package var count: Int
  /// The positions that the table has.
  package let capacity: Int
  /// The position of the layer in the model.
  package let layer: Int

  /// Whether a prediction may begin at a position.
  package func admits(_ position: Float) -> Bool {
    isPosition(position) && Int(position) <= capacity - count
  }

  /// Whether a number is one of the positions.
  package func isPosition(_ position: Float) -> Bool {
    position >= 0 && position <= Float(capacity) && position.rounded(.down) == position
  }
}

extension OperationGraph {
  /// The memory of each state.
  package var stateLayouts: [StateLayout] {
    let inPlace = appendedInPlace
    return states.map { state in
      StateLayout(
        sizes: shape(of: state.present).sizes ?? [], isInPlace: inPlace[state.next] != nil)
    }
  }

  /// The results of operations that append to a state where it is, with its present value.
  ///
  /// Nothing else reads the present value.
  package var appendedInPlace: [Value: Value] {
    let candidates = states.filter { $0.isAppendedTo && $0.present != $0.next }
    guard !candidates.isEmpty else { return [:] }
    var uses: [Value: Int] = [:]
    for node in nodes { for operand in operands(of: node) { uses[operand, default: 0] += 1 } }
    for output in outputs { uses[output, default: 0] += 1 }
    var producers: [Value: Node] = [:]
    for node in nodes { producers[node.output] = node }
    var result: [Value: Value] = [:]
    for state in candidates where uses[state.present] == 1 {
      guard let node = producers[state.next], case .appendRows = node.primitive,
        node.inputs[0] == state.present, node.residual == nil, node.activation == .linear
      else { continue }
      result[state.next] = state.present
    }
    return result
  }

  /// What the positions among the states must leave room for; all sizes are known.
  package var positionLimits: [PositionLimit] {
    var places: [Value: Int] = [:]
    for (index, state) in states.enumerated() { places[state.present] = index }
    guard !places.isEmpty else { return [] }
    let inPlace = appendedInPlace
    var limits: [PositionLimit] = []
    for node in nodes {
      let inputs = node.inputs
      let (rows, image, position, table): (Value, Value, Value, Int?)
      switch node.primitive {
      case .appendRows:
        (rows, image, position) = (inputs[0], inputs[1], inputs[2])
        table = inPlace[node.output].flatMap { places[$0] }
      case .rowsFrom: (rows, image, position, table) = (inputs[0], inputs[1], inputs[2], nil)
      case .rotate(let rule) where rule.hasPosition:
        (rows, image, position, table) = (inputs[1], inputs[0], inputs[3], nil)
      default: continue
      }
      guard let state = places[position], let capacity = shape(of: rows).dimensions[0],
        let count = shape(of: image).dimensions[1]
      else { continue }
      let limit = PositionLimit(
        state: state, table: table, count: count, capacity: capacity, layer: node.layers.last ?? 0)
      if !limits.contains(limit) { limits.append(limit) }
    }
    return limits
  }

  /// The inputs whose values choose rows of a table, or places along an axis, with their number.
  ///
  /// Measurements and comparisons give them whole numbers.
  package var indexInputs: [Int: Int] {
    var chosen: [Value: Int] = [:]
    for node in nodes.reversed() {
      let placeAxis: Int? =
        switch node.primitive {
        case .gatherRows(let axis, _), .gatherElements(let axis),
          .scatterElements(let axis, _):
          axis
        default: nil
        }
      if let axis = placeAxis {
        let dimensions = shape(of: node.inputs[0]).dimensions
        let size = dimensions[axis < 0 ? axis + dimensions.count : axis] ?? 1
        chosen[node.inputs[1]] = min(chosen[node.inputs[1]] ?? size, size)
      } else if node.activation == .linear, node.residual == nil, let size = chosen[node.output] {
        for source in node.placeSources {
          chosen[source] = min(chosen[source] ?? size, size)
        }
      }
    }
    var result: [Int: Int] = [:]
    for (index, value) in inputs.enumerated() { result[index] = chosen[value] }
    return result
  }
}

extension OperationGraph.Node {
  /// The operands whose whole numbers this node turns into places of like size.
  ///
  /// Files compute with ids before they read rows: `i + V · (i < 0)` counts those below 0 from the
  /// end, and casts and bounds change nothing. Products, comparisons and other functions of numbers
  /// that need not be ids end the way.
  fileprivate var placeSources: [OperationGraph.Value] {
    if primitive.traits.keepsElements { return [inputs[0]] }
    return switch primitive {
    case .binary(let function):
      switch function {
      case .add, .subtract, .minimum, .maximum: inputs
      default: []
      }
    case .unary(let function):
      switch function {
      case .round, .floor, .ceiling, .truncate, .absolute: [inputs[0]]
      default: []
      }
    case .select: Array(inputs.dropFirst())
    default: []
    }
  }
}
