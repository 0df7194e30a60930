import ForgeGraph
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The comparison of a plan with the reference executor on seeded random inputs.
///
/// An output passes when ‖plan − reference‖₂ ≤ bound · max(‖reference‖₂, floor), both in double
/// precision. The floor allows for cancellation: a neuron whose products sum to almost or exactly 0
/// cannot be more exact than its inputs. To find the floor, the reference is computed again with
/// every input and parameter moved to the next Float32 above or below. The floor is a quarter of
/// the resulting change in the output, times 2²⁴. Without cancellation it lies below ‖reference‖₂
/// and has no effect.
///
/// Networks that round, such as quantised ones, jump where a number lies in the middle of two whole
/// ones, and the last bit decides. If an output does not pass, the reference is computed again with
/// numbers next to such middles rounded the other way, and four times the change that this makes is
/// taken off the difference.
public struct Verification: Sendable {
  /// The error of one output.
  public struct OutputError: Sendable {
    /// The name of the output or kept layer.
    public let output: String
    /// ‖plan − reference‖₂ / ‖reference‖₂, the largest over all samples.
    public let relativeL2: Double
    /// The largest difference of one value in that sample.
    public let maximum: Double
    /// ‖plan − reference‖₂ / max(‖reference‖₂, floor), less what ties explain; the largest over all
    /// samples.
    ///
    /// It is compared with the bound.
    public private(set) var checked: Double

    /// Whether all numbers of the reference are finite.
    fileprivate let isFinite: Bool

    /// Whether the floor exceeds the norm of the reference.
    fileprivate var usesFloor: Bool { checked < relativeL2 }

    /// What the difference is divided by.
    fileprivate let scale: Double

    /// Takes the changes of the reference at the middles of whole numbers off the difference.
    fileprivate mutating func allow(jumps: [Double]) {
      let allowed = 4 * jumps.reduce(0.0) { $0 + $1 * $1 }.squareRoot()
      if scale > 0, allowed > 0, !checked.isNaN { checked = max(checked - allowed / scale, 0) }
    }
  }

  /// The number of samples compared.
  public let samples: Int
  /// The error of each output.
  public let errors: [OutputError]
  /// The bound that the errors stayed within.
  public let bound: Double

  /// Compares when the options request it.
  ///
  /// - Throws: ``CompileError`` naming the first layer and the rewrite that differ.
  static func run(
    _ compiler: Compiler, _ network: any BackendNetwork
  ) throws(CompileError) -> Verification? {
    CompileWatch.end(.plan)
    if CompileWatch.isCancelled { throw .cancelled }
    guard case .samples(let count, let seed) = compiler.options.verify else { return nil }
    CompileWatch.begin(.verify, of: count)
    let errors = try compare(compiler, network, samples: count, seed: seed)
    let bound = compiler.options.accuracy
    if errors.contains(where: { !$0.isFinite || $0.checked.isNaN }) {
      try LoadStage.checkFinite(
        compiler.parameters, owners: compiler.lowered.owners.map { compiler.inference.nodes[$0] },
        needs: "finite numbers, because verify compares results")
    }
    // `!(a <= b)` rather than `a > b`, so that a NaN fails as well.
    guard let worst = errors.first(where: { !($0.checked <= bound) }) else {
      return Verification(samples: count, errors: errors, bound: bound)
    }
    throw CompileError([
      .verifyFailed(
        output: worst.output, error: worst.relativeL2, bound: "\(bound)",
        layer: try firstLayer(compiler, network, seed: seed, bound: bound),
        rewrite: try guiltyRewrite(compiler, network, samples: count, seed: seed, bound: bound))
    ])
  }

  /// The shapes to compare on: declared ones, and a small odd size for an unknown one.
  private static func shapes(_ compiler: Compiler) -> [Shape] {
    compiler.inference.inputs.compactMap { compiler.inference.nodes[$0].shape }.map { shape in
      Shape(shape.dimensions.enumerated().map { axis, size in size ?? (axis == 0 ? 61 : 67) })
    }
  }

  private static func compare(
    _ compiler: Compiler, _ network: @autoclosure () throws -> any BackendNetwork, samples: Int,
    seed: UInt64
  ) throws(CompileError) -> [OutputError] {
    let shapes = shapes(compiler)
    // Sequences are compared at their largest length and, in every other sample, at a shorter one.
    let longest = compiler.inference.maximumLength
    var worst: [OutputError] = []
    do {
      let network = try network()
      let plan = try compiler.executable(of: network, inputs: shapes)
      let references = try [longest, longest.map { ($0 * 2 + 2) / 3 }].map { length in
        let lowered =
          length == longest
          ? compiler.lowered : try LoweredModel(compiler.inference, length: length)
        let shapes = length.map { compiler.inference.inputShapes(length: $0) } ?? shapes
        return (
          executor: try ReferenceExecutor(lowered.graph.binding(inputs: shapes)), length: length
        )
      }
      let memory = try PredictionMemory(plan, batch: 1, threads: network.decisions.threads)
      var random = SplitMix64(seed: seed)
      for sample in 0..<samples {
        try CompileWatch.check()
        defer { CompileWatch.advance(.verify) }
        let reference = references[longest == nil ? 0 : sample % 2].executor
        let graph = reference.graph
        if let length = references[sample % 2].length { memory.set(length: length) }
        // The values of the outputs in the graph before any rewrite.
        let kept = compiler.keptPositions.compactMap { graph.layerOutputs[$0] }
        let values = Array(graph.modelOutputs) + kept
        let sizes = graph.inputs.map { graph.shape(of: $0).sizes ?? [] }
        let tensors = { (inputs: [[Float]]) in
          try zip(inputs, sizes).map { try ReferenceTensor(sizes: $1, floats: $0) }
        }
        // The inputs and states that hold whole numbers, and how many of them.
        var wholes = graph.indexInputs
        for limit in graph.positionLimits {
          let index = graph.modelInputs.count + limit.state
          let count = limit.capacity - limit.count + 1
          wholes[index] = min(wholes[index] ?? count, count)
        }
        // States are random numbers, too; ids and positions are whole numbers.
        let inputs = sizes.enumerated().map { index, sizes in
          (0..<sizes.reduce(1, *)).map { _ in
            wholes[index].map { Float(random.next() % UInt64(max($0, 1))) }
              ?? random.nextSymmetric()
          }
        }
        for (index, input) in inputs.prefix(plan.inputSizes.count).enumerated() {
          _ = memory.input(index).update(fromContentsOf: input)
        }
        for (index, state) in inputs.dropFirst(plan.inputSizes.count).enumerated() {
          _ = memory.state.values(index, example: 0).update(fromContentsOf: state)
        }
        try memory.run(batch: 1)
        let given = try tensors(inputs)
        let expected = try reference.run(
          inputs: given, values: values, parameter: compiler.parameters.values)
        let nearby = try tensors(
          inputs.enumerated().map { wholes[$0] == nil ? random.moved($1) : $1 })
        let moved = try reference.run(inputs: nearby, values: values) {
          random.moved(try compiler.parameters.values($0))
        }
        // An output of a layer that is not deterministic has no floor.
        lazy var repeated = try? reference.run(
          inputs: given, values: values, parameter: compiler.parameters.values)
        lazy var flipped =
          graph.nodes.contains(where: \.primitive.roundsToNearest)
          ? try? reference.run(
            inputs: given, values: values, flipsTies: true,
            parameter: compiler.parameters.values) : nil
        for (index, name) in compiler.outputNames.enumerated() {
          guard let truth = expected[values[index]], let other = moved[values[index]] else {
            preconditionFailure("the reference gives every value it is asked for")
          }
          let output = memory.values(ofOutput: index, example: 0)
          var error = difference(output, truth.values, moved: other.values, name: name)
          if error.usesFloor, repeated?[values[index]]?.values != truth.values {
            error = difference(output, truth.values, moved: truth.values, name: name)
          }
          if !(error.checked <= compiler.options.accuracy), let other = flipped?[values[index]] {
            error.allow(jumps: zip(other.values, truth.values).map { $0 - $1 })
          }
          if index == worst.count { worst.append(error) }
          // A NaN is the worst error and is never replaced.
          let known = worst[index].checked
          if !known.isNaN, !(error.checked <= known) { worst[index] = error }
        }
      }
    } catch let error as CompileError {
      throw error
    } catch let error as BackendError {
      throw error.compileError(compiler)
    } catch let error as NoMemory {
      throw CompileError([PredictionError.noMemory(error).problem])
    } catch let error as LayerFailure where error.example != nil {
      // The model computes ids from its inputs, which are random.
      throw CompileError([compiler.predictionError(error).problem])
    } catch {
      throw CompileError(
        "the plan could not be verified", cause: error, compiler.lowered, compiler.inference)
    }
    return worst
  }

  private static func difference(
    _ actual: UnsafeMutableBufferPointer<Float>, _ expected: [Double], moved: [Double], name: String
  ) -> OutputError {
    var squares = 0.0
    var norm = 0.0
    var maximum = 0.0
    var change = 0.0
    var isFinite = true
    for (index, truth) in expected.enumerated() {
      isFinite = isFinite && truth.isFinite
      // Random inputs may lie outside of a function's domain, such as that of a logarithm.
      guard truth.isFinite || !isSame(actual[index], truth) else { continue }
      let difference = Double(actual[index]) - truth
      squares += difference * difference
      norm += truth * truth
      let step = moved[index] - truth
      if step.isFinite { change += step * step }
      if !(abs(difference) <= maximum) { maximum = abs(difference) }
    }
    let relative = norm > 0 ? (squares / norm).squareRoot() : squares.squareRoot()
    let floor = change.squareRoot() * 0x1p24 / 4
    let scale = max(norm.squareRoot(), floor)
    return OutputError(
      output: name, relativeL2: relative, maximum: maximum,
      checked: scale > 0 ? squares.squareRoot() / scale : squares.squareRoot(),
      isFinite: isFinite, scale: scale)
  }

  /// Whether a number that is not finite is what the reference has.
  private static func isSame(_ actual: Float, _ truth: Double) -> Bool {
    truth.isNaN ? actual.isNaN : Double(actual) == truth
  }

  /// The first layer whose own output is out of bounds.
  private static func firstLayer(
    _ compiler: Compiler, _ network: any BackendNetwork, seed: UInt64, bound: Double
  ) throws(CompileError) -> String? {
    let kept = try compiler.keepingAllLayers()
    let errors = try compare(kept, try kept.network(like: network), samples: 1, seed: seed)
    return errors.dropFirst(kept.ownOutputCount).first { !($0.checked <= bound) }?.output
  }

  /// The rewrite whose removal brings the error within bounds.
  private static func guiltyRewrite(
    _ compiler: Compiler, _ network: any BackendNetwork, samples: Int, seed: UInt64, bound: Double
  ) throws(CompileError) -> String? {
    let names = compiler.options.rewriteNames
    for name in names where !compiler.options.disabledRewrites.contains(name) {
      var options = compiler.options
      options.disabledRewrites.insert(name)
      let without = try compiler.with(options)
      let errors = try compare(
        without, try without.network(like: network), samples: samples, seed: seed)
      if errors.allSatisfy({ $0.checked <= bound }) { return name }
    }
    return nil
  }
}

extension Compiler {
  /// The same model, compiled from stage 4 on with other options.
  func with(_ options: CompileOptions) throws(CompileError) -> Compiler {
    try Compiler(inference: inference, lowered: lowered, parameters: parameters, options: options)
  }

  /// The same model with every layer kept.
  func keepingAllLayers() throws(CompileError) -> Compiler {
    var options = options
    options.keep = inference.nodes.filter { !$0.isInput }.map(\.name)
    return try with(options)
  }
}

extension SplitMix64 {
  /// Numbers moved to the next one above or below.
  fileprivate mutating func moved(_ values: [Float]) -> [Float] {
    values.map { next() & 1 == 0 ? $0.nextUp : $0.nextDown }
  }
}
