import ForgeShapes

/// The lengths of a sequence that one executable serves, from 1 to a maximum.
///
/// A length is the place of a size among those that an input may have (``SizeProgression``).
package struct LengthRange: Sendable {
  /// The numbers of lengths that an input may declare.
  ///
  /// Sizes at lengths near the maximum show how an executable follows the length, so there must be
  /// some.
  package static let allowed = 8...(1 << 20)

  /// The largest length.
  package let maximum: Int
  /// The operations for another length; those for a probe have the same nodes in the same order.
  package let graph: @Sendable (_ length: Int) throws(BackendError) -> OperationGraph

  package init(
    maximum: Int, graph: @escaping @Sendable (_ length: Int) throws(BackendError) -> OperationGraph
  ) {
    (self.maximum, self.graph) = (maximum, graph)
  }

  /// The shorter lengths at which sizes are computed: two below the maximum give the polynomials,
  /// the others check them.
  package var probes: [Int] {
    var probes = [maximum - 1, maximum - 2]
    for length in [(maximum + 1) / 2, maximum / 3, 5, 4] where length >= 4 {
      if !probes.contains(length) { probes.append(length) }
    }
    return probes
  }
}

/// A whole number that follows the length of a sequence: a polynomial of degree two at most.
///
/// Newton's form for `k = maximum − length`:
/// `last − k · first + k · (k − 1) / 2 · second`, modulo 2³², so that the halves of a 64-bit number
/// may be taken one by one.
package struct LengthFunction: Sendable {
  let maximum: Int
  private let last, first, second: UInt32

  /// The function with a value at the maximum and values at the probes of a range.
  ///
  /// It is `nil` if the values are not those of such a polynomial.
  package init?(_ range: LengthRange, last: UInt32, probes: [UInt32]) {
    maximum = range.maximum
    self.last = last
    first = last &- probes[0]
    second = last &- 2 &* probes[0] &+ probes[1]
    for (length, value) in zip(range.probes, probes) where self[length] != value { return nil }
  }

  /// The function with ``words`` of another.
  init(words: [UInt32], maximum: Int) {
    (last, first, second) = (words[0], words[1], words[2])
    self.maximum = maximum
  }

  /// What the function consists of, beside the maximum.
  var words: [UInt32] { [last, first, second] }

  /// Whether the value is the same for all lengths.
  package var isConstant: Bool { first == 0 && second == 0 }

  /// The value for a length.
  package subscript(length: Int) -> UInt32 {
    let distance = UInt64(maximum - length)
    let pairs = distance == 0 ? 0 : distance * (distance - 1) / 2
    return last &- UInt32(truncatingIfNeeded: distance) &* first
      &+ UInt32(truncatingIfNeeded: pairs) &* second
  }
}

/// The sizes of an executable's inputs and outputs for each length of a sequence.
package struct SequenceSizes: Sendable {
  /// The largest length.
  package let maximum: Int
  /// The sizes of each input, in memory order.
  let inputs: [[LengthFunction]]
  /// The sizes of each output, in memory order.
  let outputs: [[LengthFunction]]
  /// The positions that a prediction takes of each of the graph's ``PositionLimit``s.
  let positions: [LengthFunction]

  /// The sizes that another executable had.
  init(
    maximum: Int, inputs: [[LengthFunction]], outputs: [[LengthFunction]],
    positions: [LengthFunction]
  ) {
    self.maximum = maximum
    (self.inputs, self.outputs, self.positions) = (inputs, outputs, positions)
  }

  /// The sizes of a graph at the maximum and of its shorter forms at the probes.
  ///
  /// It is `nil` if a size does not follow the length.
  package init?(_ range: LengthRange, longest: OperationGraph, probes: [OperationGraph]) {
    maximum = range.maximum
    func functions(
      _ values: (OperationGraph) -> ArraySlice<OperationGraph.Value>
    )
      -> [[LengthFunction]]?
    {
      let sizes = ([longest] + probes).map { graph in
        values(graph).map { graph.shape(of: $0).sizes ?? [] }
      }
      var result: [[LengthFunction]] = []
      for (index, last) in sizes[0].enumerated() {
        guard sizes.allSatisfy({ $0.count == sizes[0].count && $0[index].count == last.count })
        else { return nil }
        let axes = last.indices.compactMap { axis in
          LengthFunction(
            range, last: UInt32(truncatingIfNeeded: last[axis]),
            probes: sizes.dropFirst().map { UInt32(truncatingIfNeeded: $0[index][axis]) })
        }
        guard axes.count == last.count else { return nil }
        result.append(axes)
      }
      return result
    }
    guard let inputs = functions(\.modelInputs), let outputs = functions(\.modelOutputs) else {
      return nil
    }
    (self.inputs, self.outputs) = (inputs, outputs)
    let limits = probes.map(\.positionLimits)
    var positions: [LengthFunction] = []
    for (index, limit) in longest.positionLimits.enumerated() {
      guard limits.allSatisfy({ $0.count > index }),
        let count = LengthFunction(
          range, last: UInt32(truncatingIfNeeded: limit.count),
          probes: limits.map { UInt32(truncatingIfNeeded: $0[index].count) })
      else { return nil }
      positions.append(count)
    }
    self.positions = positions
  }

  /// The sizes of an input.
  package func sizes(ofInput index: Int, length: Int) -> [Int] {
    inputs[index].map { Int($0[length]) }
  }

  /// The sizes of an output.
  package func sizes(ofOutput index: Int, length: Int) -> [Int] {
    outputs[index].map { Int($0[length]) }
  }

  /// The positions that a prediction takes of a ``PositionLimit``.
  package func count(ofPosition index: Int, length: Int) -> Int { Int(positions[index][length]) }

  /// The number of values of an input; it does not allocate.
  package func count(ofInput index: Int, length: Int) -> Int {
    var count = 1
    for axis in inputs[index].indices { count *= Int(inputs[index][axis][length]) }
    return count
  }

  /// The number of values of an output; it does not allocate.
  package func count(ofOutput index: Int, length: Int) -> Int {
    var count = 1
    for axis in outputs[index].indices { count *= Int(outputs[index][axis][length]) }
    return count
  }
}

extension BackendError {
  /// The error for a layer whose work is not the same for all lengths.
  package static func lengthNotFollowed(by layer: Int?) -> BackendError {
    notFollowed(
      layer,
      layer == nil
        ? "the network does not follow the length of its sequences"
        : "the layer does not follow the length of a sequence",
      needs: "work that grows evenly with the length", remedy: lengthRemedy)
  }

  /// The error for a layer that runs Swift code, which the plans of shorter lengths cannot call.
  package static func customAlongLength(_ layer: Int?) -> BackendError {
    notFollowed(
      layer, "a Custom layer does not follow the length of a sequence",
      needs: "the same sizes in every prediction for Swift code",
      remedy:
        "a fixed size in Input(shape:), or a layer of your own that lowers to Forge's operations")
  }

  private static func notFollowed(
    _ layer: Int?, _ headline: String, needs: String, remedy: String
  ) -> BackendError {
    .problems([
      (layer, Problem(headline: headline, details: [("needs", needs), ("remedy", remedy)]))
    ])
  }

  /// What to do about work that does not follow the length, where strides may be the reason.
  package static let lengthRemedy =
    "state the strides along the sequence, as .stepping(from:through:by:), or a fixed size in "
    + "Input(shape:)"
}
