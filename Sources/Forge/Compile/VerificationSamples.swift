import ForgeGraph
import ForgeLayers
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The samples of a verification, with reference results that all plans of a model are compared
/// with.
///
/// The results do not depend on rewrites and kernels, so those of the first samples are kept while
/// the rewrite to blame is searched.
final class VerificationSamples {
  /// The most samples whose reference results are kept.
  private static let mostKept = 4

  private let compiler: Compiler
  private let seed: UInt64
  private var references: [Reference]?
  private var kept: [Int: VerificationSample] = [:]

  /// The graph before any rewrite, for one length of its sequences.
  private struct Reference {
    let executor: ReferenceExecutor
    let length: Int?
    let inputs: VerificationInputs
    /// The values of the outputs and of the kept layers.
    let values: [OperationGraph.Value]
    /// The operations whose pixels may share an error.
    let shared: Set<Int>
  }

  /// Creates the samples of a model; nothing is computed yet.
  init(_ compiler: Compiler, seed: UInt64) {
    (self.compiler, self.seed) = (compiler, seed)
  }

  /// The shapes to compare on: declared ones, and a small odd size for an unknown one.
  private var shapes: [Shape] {
    compiler.inference.inputs.compactMap { compiler.inference.nodes[$0].shape }.map { shape in
      Shape(shape.dimensions.enumerated().map { axis, size in size ?? (axis == 0 ? 61 : 67) })
    }
  }

  /// The errors of a plan of the model in each of its outputs.
  ///
  /// - Throws: ``CompileError`` when the plan or the reference cannot be computed.
  func errors(
    of network: @autoclosure () throws -> any BackendNetwork, compiledBy compiler: Compiler,
    count: Int
  ) throws(CompileError) -> [Verification.OutputError] {
    var worst: [Verification.OutputError] = []
    do {
      let network = try network()
      let plan = try compiler.executable(of: network, inputs: shapes)
      let memory = try PredictionMemory(plan, batch: 1, threads: network.decisions.threads)
      let sharesScales = compiler.options.precision == .int8
      for index in 0..<count {
        try CompileWatch.check()
        defer { CompileWatch.advance(.verify) }
        for isUneven in sharesScales ? [false] : [false, true] {
          let sample = try sample(index, isUneven: isUneven)
          // The numbers of a state have one scale, and so have those that meet them.
          guard !(isUneven && sample.hasStates), try run(sample, in: memory) else { continue }
          for (output, name) in compiler.outputNames.enumerated() {
            let error = sample.error(
              of: memory.values(ofOutput: output, example: 0), output: output, named: name,
              bound: compiler.options.accuracy, hasItems: !sharesScales)
            if output == worst.count {
              worst.append(error)
            } else {
              worst[output] = worst[output].orWorse(error)
            }
          }
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
      throw CompileError([NetworkFacts(compiler).predictionError(error).problem])
    } catch {
      throw CompileError(
        "the plan could not be verified", cause: error, compiler.lowered, compiler.inference)
    }
    return worst
  }

  /// Predicts a sample; returns whether it can be compared.
  private func run(_ sample: VerificationSample, in memory: PredictionMemory) throws -> Bool {
    if let length = sample.length { memory.set(length: length) }
    let count = memory.executable.inputSizes.count
    for (index, input) in sample.inputs.prefix(count).enumerated() {
      _ = memory.input(index).update(fromContentsOf: input)
    }
    for (index, state) in sample.inputs.dropFirst(count).enumerated() {
      _ = memory.state.values(index, example: 0).update(fromContentsOf: state)
    }
    do throws(LayerFailure) { try memory.run(batch: 1) } catch {
      // Ids that follow from numbers of uneven scale need not be in the vocabulary.
      guard sample.isUneven, error.example != nil else { throw error }
      return false
    }
    try sample.compute()
    return true
  }

  /// A sample with its reference results.
  private func sample(_ index: Int, isUneven: Bool) throws -> VerificationSample {
    let key = 2 * index + (isUneven ? 1 : 0)
    if let known = kept[key] { return known }
    let references = try references ?? allReferences()
    self.references = references
    let reference = references[index % 2]
    // Every sample has a seed of its own, so that plans can be compared on single ones.
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x9e37_79b9_7f4a_7c15)
    let parameters = compiler.parameters
    let sample = VerificationSample(
      reference.executor, reference.values, length: reference.length, shared: reference.shared,
      inputs: reference.inputs.values(&random, isUneven: isUneven),
      wholes: reference.inputs.wholes, seed: random.next(), isUneven: isUneven,
      parameter: parameters.values)
    if kept.count < Self.mostKept { kept[key] = sample }
    return sample
  }

  /// The reference for the longest sequences, and the one that every other sample is compared with,
  /// of shorter sequences if their length varies.
  private func allReferences() throws -> [Reference] {
    let longest = compiler.inference.maximumLength
    return try [longest, longest.map { ($0 * 2 + 2) / 3 }].map { length in
      let lowered =
        length == longest
        ? compiler.lowered : try LoweredModel(compiler.inference, length: length)
      let shapes = length.map { compiler.inference.inputShapes(length: $0) } ?? shapes
      let executor = try ReferenceExecutor(lowered.graph.binding(inputs: shapes))
      let graph = executor.graph
      let shared = compiler.operationsOfPictures(in: graph)
      return Reference(
        executor: executor, length: length,
        inputs: VerificationInputs(
          graph, shared: shared, integers: compiler.options.integerInputs),
        values: Array(graph.modelOutputs)
          + compiler.keptPositions.compactMap { graph.layerOutputs[$0] },
        shared: shared)
    }
  }
}

extension Compiler {
  /// The operations of a graph before any rewrite in which the pixels of an image may share an
  /// error: all convolutions, except those that compute the rows of a product.
  fileprivate func operationsOfPictures(in graph: OperationGraph) -> Set<Int> {
    let rows = Set(
      inference.nodes.filter { $0.layer is LastAxisDense }.map(\.position))
    return Set(
      graph.nodes.indices.filter { index in
        let node = graph.nodes[index]
        guard case .convolution(let geometry, _, _) = node.primitive else { return false }
        guard geometry.isPointwise else { return true }
        // Rows of a product are an image of one row; only a layer for them has others.
        let isOneRow = graph.shape(of: node.output).sizes?.first == 1
        return !isOneRow && !node.layers.contains(where: rows.contains)
      })
  }
}
