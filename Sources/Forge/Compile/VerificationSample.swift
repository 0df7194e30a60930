import ForgeOperations
import ForgeShapes

/// One sample of a verification: its inputs and the reference results, each of which is computed
/// when it is first needed.
final class VerificationSample {
  /// The most references with moved inputs; with a few, a floor of a single value is not near 0 by
  /// chance.
  private static let mostMoved = 6
  /// The error of pixels that share one, relative to the root mean square of a channel: times the
  /// quarter of 2²⁴ of a floor it is the bound.
  private static let sharedError = 0x1p-22
  /// The least and the most of an item that long sums lose.
  private static let (leastLoss, mostLoss) = (0x1p-20, 0.01)

  /// The values of the inputs, followed by the states.
  let inputs: [[Float]]
  /// The length of the sequences, if it varies.
  let length: Int?
  /// Whether the inputs have uneven scale.
  let isUneven: Bool
  /// Whether the network keeps a state.
  var hasStates: Bool { !executor.graph.states.isEmpty }

  private let executor: ReferenceExecutor
  private let values: [OperationGraph.Value]
  private let shared: Set<Int>
  private let wholes: [Int: Int]
  private let parameter: (Int) throws -> [Float]
  private var random: SplitMix64

  private var truth: [[Double]] = []
  /// The reference with every result rounded to Float32.
  private lazy var rounded = results(given: inputs, rounding: ReferenceRounding())
  /// The references with moved inputs and parameters so far.
  private var moved: [[[Double]]] = []
  /// The reference with ties rounded the other way; `nil` if nothing is rounded.
  private lazy var flipped: [[Double]]? =
    executor.graph.nodes.contains(where: \.primitive.roundsToNearest)
    ? results(given: inputs, flipsTies: true) : nil
  /// Whether computing the reference again gives the same; a layer of the user need not.
  private lazy var isRepeatable: Bool = {
    let isCustom = executor.graph.nodes.contains { node in
      if case .custom = node.primitive { true } else { false }
    }
    guard isCustom, let again = results(given: inputs) else { return !isCustom }
    return again == truth
  }()

  init(
    _ executor: ReferenceExecutor, _ values: [OperationGraph.Value], length: Int?,
    shared: Set<Int>, inputs: [[Float]], wholes: [Int: Int], seed: UInt64, isUneven: Bool,
    parameter: @escaping (Int) throws -> [Float]
  ) {
    (self.executor, self.values, self.length, self.shared) = (executor, values, length, shared)
    (self.inputs, self.wholes, self.isUneven, self.parameter) = (
      inputs, wholes, isUneven, parameter
    )
    random = SplitMix64(seed: seed)
  }

  /// Computes the reference in double precision, unless it is known.
  func compute() throws {
    guard truth.isEmpty else { return }
    truth = try results(inputs, nil, false, parameter)
  }

  /// The results of the reference; `nil` if it cannot be computed, as with ids that rounding
  /// changes.
  private func results(
    given inputs: [[Float]], rounding: ReferenceRounding? = nil, flipsTies: Bool = false
  ) -> [[Double]]? {
    try? results(inputs, rounding, flipsTies, parameter)
  }

  private func results(
    _ inputs: [[Float]], _ rounding: ReferenceRounding?, _ flipsTies: Bool,
    _ parameter: (Int) throws -> [Float]
  ) throws -> [[Double]] {
    let graph = executor.graph
    let tensors = try zip(graph.inputs, inputs).map { value, floats in
      try ReferenceTensor(sizes: graph.shape(of: value).sizes ?? [], floats: floats)
    }
    let found = try executor.run(
      inputs: tensors, values: values, flipsTies: flipsTies, rounding: rounding,
      parameter: parameter)
    return values.map { value in
      guard let tensor = found[value] else {
        preconditionFailure("the reference gives every value it is asked for")
      }
      return tensor.values
    }
  }

  /// One more reference with moved inputs and parameters; returns whether there is one.
  private func moveAgain() -> Bool {
    guard moved.count < Self.mostMoved else { return false }
    let nearby = inputs.enumerated().map { wholes[$0] == nil ? random.moved($1) : $1 }
    let rounding = ReferenceRounding(
      disturbing: shared, by: Self.sharedError, seed: random.next())
    let found = try? results(nearby, rounding, false) { index in
      random.moved(try parameter(index))
    }
    guard let found else { return false }
    moved.append(found)
    return true
  }

  // MARK: Comparison

  /// The error of an output of a plan.
  func error(
    of actual: UnsafeMutableBufferPointer<Float>, output: Int, named name: String, bound: Double,
    hasItems: Bool
  ) -> Verification.OutputError {
    let expected = truth[output]
    let sizes = executor.graph.shape(of: values[output]).sizes ?? []
    let items = VerificationItems(sizes: hasItems ? sizes : [], count: expected.count)
    let exact = items.compare(actual, expected)
    var errors = exact.map { item in
      item.norm > 0 ? item.difference / item.norm : item.difference
    }
    let failing = errors.indices.filter { !(errors[$0] <= bound) }
    if !failing.isEmpty, isRepeatable {
      explain(&errors, failing, exact, actual, items, output: output, bound: bound)
    }
    let worst =
      errors.indices.max { a, b in
        errors[a].isNaN ? false : errors[b].isNaN || errors[a] < errors[b]
      } ?? 0
    let norm = exact.reduce(0) { $0 + $1.norm * $1.norm }.squareRoot()
    let difference = exact.reduce(0) { $0 + $1.difference * $1.difference }.squareRoot()
    let item = exact.indices.contains(worst) ? exact[worst] : ItemDifference()
    return Verification.OutputError(
      output: name, relativeL2: norm > 0 ? difference / norm : difference,
      maximum: exact.reduce(0) { $1.maximum <= $0 ? $0 : $1.maximum },
      checked: errors.isEmpty ? 0 : errors[worst], item: items.count > 1 ? worst : nil,
      itemRelativeL2: item.norm > 0 ? item.difference / item.norm : item.difference,
      isUneven: isUneven, isFinite: expected.allSatisfy(\.isFinite))
  }

  /// Reduces the errors of items by what Float32 itself loses.
  private func explain(
    _ errors: inout [Double], _ failing: [Int], _ exact: [ItemDifference],
    _ actual: UnsafeMutableBufferPointer<Float>, _ items: VerificationItems, output: Int,
    bound: Double
  ) {
    let expected = truth[output]
    let float = rounded.map { items.compare(actual, $0[output], skipsOverflow: true) }
    let lost = rounded.map { items.compare($0[output], expected) }
    let jumps = flipped.map { items.compare($0[output], expected) }
    var rest = failing
    var squares = [Double](repeating: 0, count: items.count)
    var count = 0
    repeat {
      if count < moved.count, let rounded {
        for (item, change) in items.compare(moved[count][output], rounded[output]).enumerated() {
          squares[item] += change.difference * change.difference
        }
        count += 1
      }
      rest = rest.filter { item in
        let floor = (squares[item] / Double(max(count, 1))).squareRoot() * 0x1p24 / 4
        let own = exact[item]
        let loss = lost.map { $0[item].difference } ?? 0
        let jump = 4 * (jumps.map { $0[item].difference } ?? 0)
        // Ordinary networks lose less, and what loses more means something else in Float32.
        let isLong = loss > own.norm * Self.leastLoss && loss <= own.norm * Self.mostLoss
        let allowed = jump + (isLong ? 4 * loss : 0)
        func error(_ difference: ItemDifference, less allowed: Double) -> Double {
          let scale = max(difference.norm, floor)
          let left =
            difference.difference.isNaN ? .nan : max(difference.difference - allowed, 0)
          return scale > 0 ? left / scale : left
        }
        errors[item] = error(own, less: allowed)
        if let other = float?[item] {
          let second = error(other, less: jump)
          if !(errors[item] <= second) { errors[item] = second }
        }
        return !(errors[item] <= bound)
      }
    } while !rest.isEmpty && (count < moved.count || (rounded != nil && moveAgain()))
  }
}

extension SplitMix64 {
  /// Numbers moved to the next one above or below.
  fileprivate mutating func moved(_ values: [Float]) -> [Float] {
    values.map { next() & 1 == 0 ? $0.nextUp : $0.nextDown }
  }
}
