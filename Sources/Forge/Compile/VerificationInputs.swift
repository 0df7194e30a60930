import ForgeOperations
import ForgeShapes
import ForgeSystem

/// How the inputs and states of a graph are drawn for a verification.
struct VerificationInputs {
  /// The largest power of ten that a number is scaled by, up or down.
  private static let decades = 6.0

  /// The sizes of each input and state.
  private let sizes: [[Int]]
  /// The inputs and states that hold whole numbers, and how many of them.
  let wholes: [Int: Int]
  /// The inputs that are pictures: their pixels have one scale.
  private let pictures: Set<Int>
  /// The number of inputs; states follow them.
  private let inputCount: Int

  /// Describes the inputs of a graph of known sizes.
  ///
  /// - Parameters:
  ///   - graph: the graph before any rewrite.
  ///   - shared: the operations whose pixels may share an error.
  ///   - integers: the inputs that hold 0 and 1 unless they hold ids.
  init(_ graph: OperationGraph, shared: Set<Int>, integers: Set<Int>) {
    sizes = graph.inputs.map { graph.shape(of: $0).sizes ?? [] }
    inputCount = graph.modelInputs.count
    var wholes = graph.indexInputs
    for index in integers { wholes[index] = wholes[index] ?? 2 }
    for limit in graph.positionLimits {
      let index = graph.modelInputs.count + limit.state
      let count = limit.capacity - limit.count + 1
      wholes[index] = min(wholes[index] ?? count, count)
    }
    self.wholes = wholes
    pictures = Set(
      graph.inputs.indices.filter { Self.isPicture(graph.inputs[$0], in: graph, shared) })
  }

  /// Whether an image reaches an operation over pictures as an image.
  private static func isPicture(
    _ input: OperationGraph.Value, in graph: OperationGraph, _ shared: Set<Int>
  ) -> Bool {
    guard graph.shape(of: input).isImage else { return false }
    var reached: Set<OperationGraph.Value> = [input]
    for (index, node) in graph.nodes.enumerated()
    where node.inputs.contains(where: reached.contains) {
      if shared.contains(index) { return true }
      if graph.shape(of: node.output).isImage { reached.insert(node.output) }
    }
    return false
  }

  /// Random values of every input and state; ids and positions are whole numbers.
  func values(_ random: inout SplitMix64, isUneven: Bool) -> [[Float]] {
    var values = sizes.enumerated().map { index, sizes in
      (0..<sizes.reduce(1, *)).map { _ in
        wholes[index].map { Float(random.next() % UInt64(max($0, 1))) } ?? random.nextSymmetric()
      }
    }
    guard isUneven else { return values }
    for index in values.indices.prefix(inputCount) where wholes[index] == nil {
      scale(&values[index], ofInput: index, &random)
    }
    return values
  }

  /// Multiplies the entries of every axis by powers of ten of their own.
  ///
  /// The first axis longer than 1 has the most decades: its entries are the items of a batch or a
  /// sequence.
  private func scale(_ values: inout [Float], ofInput index: Int, _ random: inout SplitMix64) {
    let sizes = sizes[index]
    var axes = sizes.indices.filter { sizes[$0] > 1 }
    if pictures.contains(index) { axes.removeAll { $0 < sizes.count - 1 } }
    var exponents = [Double](repeating: 0, count: values.count)
    for (axis, decades) in zip(axes, Self.decades(axes, last: sizes.count - 1)) {
      let own = (0..<sizes[axis]).map { _ in decades * Double(random.nextSymmetric()) }
      let stride = sizes[(axis + 1)...].reduce(1, *)
      for element in exponents.indices {
        exponents[element] += own[element / stride % sizes[axis]]
      }
    }
    for element in values.indices { values[element] *= Float(exp(exponents[element] * log(10))) }
  }

  /// The decades of each axis: 2 of the channels, 1 of all axes in between, the rest of the first.
  private static func decades(_ axes: [Int], last: Int) -> [Double] {
    guard let first = axes.first else { return [] }
    let between = axes.dropFirst().filter { $0 < last }.count
    let rest = decades - (axes.count > 1 && axes.last == last ? 2 : 0) - (between > 0 ? 1 : 0)
    return axes.map { axis in
      axis == first ? rest : axis == last ? 2 : 1 / Double(between)
    }
  }
}
