import ForgeGraph
import ForgeOperations
import ForgeShapes

/// What a prediction takes, by the sizes of the lowered operations alone.
///
/// Nothing is allocated to find it out, so that a compile can refuse a network that asks for more
/// than it may.
package struct PredictionCost: Sendable, Hashable {
  /// The most bytes of values that exist at the same time, inputs, outputs and states included.
  package private(set) var bytes = 0
  /// The work in units of a multiply-add: multiply-adds, elements moved, comparisons.
  package private(set) var work = 0

  /// Adds up the costs of a graph on a back end; values of unknown size cost nothing.
  init(_ graph: OperationGraph, on backend: any Backend) {
    func bytes(_ shape: Shape) -> Int {
      backend.storedCount(of: shape).multipliedSaturated(by: MemoryLayout<Float>.size)
    }
    var lastUses: [OperationGraph.Value: Int] = [:]
    for (index, node) in graph.nodes.enumerated() {
      for operand in graph.operands(of: node) { lastUses[operand] = index }
    }
    for value in graph.outputs { lastUses[value] = .max }
    var live = 0
    var isConstant = graph.origins.map { if case .constant = $0 { true } else { false } }
    for value in graph.inputs { live = live.addingSaturated(bytes(graph.shape(of: value))) }
    self.bytes = live
    for (index, node) in graph.nodes.enumerated() {
      let operands = graph.operands(of: node)
      let shapes = operands.map { graph.shape(of: $0) }
      let output = graph.shape(of: node.output)
      work = work.addingSaturated(
        node.primitive.operation.work(
          for: shapes, output: output, stored: backend.storedCount))
      live = live.addingSaturated(bytes(output))
      self.bytes = max(self.bytes, live)
      // What follows from constants alone is computed once and kept.
      if operands.allSatisfy({ isConstant[$0.index] }) {
        isConstant[node.output.index] = true
        continue
      }
      for operand in Set(operands) where lastUses[operand] == index && !isConstant[operand.index] {
        live -= bytes(graph.shape(of: operand))
      }
      if lastUses[node.output] == nil { live -= bytes(output) }
    }
  }

  /// The cost of the reference executor, which computes with arrays of doubles and without vectors.
  private var reference: (bytes: Int, work: Int) {
    (bytes.multipliedSaturated(by: 3), work.multipliedSaturated(by: 8))
  }

  /// Whether the reference executor may run the network too.
  package func allowsReference(within limits: PredictionLimits) -> Bool {
    reference.bytes <= limits.bytes && reference.work <= limits.work
  }

  /// The problems of a cost beyond limits.
  func problems(beyond limits: PredictionLimits, isVerified: Bool) -> [Problem] {
    let what =
      isVerified
      ? "a comparison of the network with the reference executor" : "a prediction of the network"
    let (bytes, work) = isVerified ? reference : (self.bytes, self.work)
    var problems: [Problem] = []
    func add(_ headline: String, _ received: String, _ needs: String, _ limit: String) {
      var problem = Problem(
        headline: headline,
        details: [
          ("received", received), ("needs", needs),
          (
            "remedy",
            "for a file that you trust, raise \(limit) in ImportLimits, or forge --trusted"
          ),
        ])
      problem.path = limits.path
      problems.append(problem)
    }
    if bytes > limits.bytes {
      add(
        "\(what) takes more memory than the file may ask for",
        "\(bytes) bytes", "at most \(limits.bytes)", "predictionBytes")
    }
    if work > limits.work {
      add(
        "\(what) takes more work than the file may ask for",
        "\(work) multiply-adds, moves and comparisons", "at most \(limits.work)", "predictionWork")
    }
    return problems
  }
}

extension CompileOptions {
  /// Checks what one prediction of a model takes, if it is from a file.
  ///
  /// - Throws: `CompileError` when it takes more than the file may ask for.
  func checkCost(
    of lowered: LoweredModel, within limits: PredictionLimits?, isVerified: Bool
  ) throws(CompileError) {
    guard let limits else { return }
    let problems = PredictionCost(lowered.graph, on: device)
      .problems(beyond: limits, isVerified: isVerified)
    guard problems.isEmpty else { throw CompileError(problems) }
  }
}

extension Model {
  /// What one prediction on the processor takes.
  ///
  /// - Throws: `CompileError` with every mistake of the model.
  package func predictionCost() throws(CompileError) -> PredictionCost {
    let inference = Inference(self)
    guard inference.problems.isEmpty else { throw CompileError(inference.problems) }
    return PredictionCost(try LoweredModel(inference).graph, on: CompileOptions().device)
  }
}
