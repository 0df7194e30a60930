import ForgeOperations
import ForgeRunner
import ForgeShapes
import ForgeSystem

/// The inputs of one prediction as a ``Runner`` hands them to a compiled model.
///
/// A runner converts every form of ``PredictionInput`` to it; only those who call `encode`
/// themselves write it. It is not a ``PredictionInput``, or calls of a runner would be ambiguous
/// between the methods of every network and those of a compiled model.
public struct SlotInput: Sendable {
  let inputs: PredictionInputs
  /// The state of a session that the prediction begins with; `nil` for zeros.
  let state: StateLease?

  /// Converts inputs of any form.
  ///
  /// - Parameters:
  ///   - input: the values of the only input, or of each input by name.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name.
  public init(_ input: some PredictionInput, crops: [String: CropRectangle] = [:]) {
    self.init(input, crops: crops, state: nil)
  }

  init(
    _ input: some PredictionInput, crops: [String: CropRectangle], state: StateLease?
  ) {
    inputs = PredictionInputs(input, crops: crops)
    self.state = state
  }
}

/// The memory of the predictions in one slot of a ``Runner``.
///
/// Each example has its own sizes and crops. It is used by one thread at a time.
public final class PredictionSlot {
  /// One example of the slot.
  private enum Example {
    /// There is none.
    case empty
    /// The inputs have been checked.
    case waiting(CheckedInputs, StateLease?)
    /// The example has been predicted.
    case done(Result<Predictions, PredictionError>)
  }

  /// The compiled model.
  let network: CompiledModel
  private let threads: Int?
  private let memory = ReusableMemory()
  private var examples: [Example]

  /// Allocates the memory, if the inputs have fixed sizes; otherwise the first prediction does.
  init(_ network: CompiledModel, batch: Int, threads: Int?) throws(PredictionError) {
    if let threads, threads < 1 { throw .wrongThreads(threads) }
    try network.check(batch: batch)
    self.network = network
    self.threads = threads
    examples = Array(repeating: .empty, count: batch)
    guard network.inputShapes.allSatisfy(\.isKnown) else { return }
    let executable = try network.executable(for: network.inputShapes)
    _ = try network.memory(executable, in: memory, threads: threads)
  }

  /// Checks the inputs of an example and keeps them.
  func encode(_ input: SlotInput, example: Int) throws(PredictionError) {
    try check(example)
    examples[example] = .empty
    examples[example] = .waiting(try network.checked(input.inputs), input.state)
  }

  /// Predicts the first examples; an error belongs to the example that met it.
  ///
  /// No example waits afterwards, so the slot holds no session's state.
  ///
  /// - Returns: whether all of them ran to the end before `stop` was met.
  func run(batch: Int, until stop: StopCondition) -> Bool {
    var isStopped = false
    for index in examples.indices.prefix(batch) {
      guard case .waiting(let inputs, let state) = examples[index] else { continue }
      examples[index] = .empty
      if isStopped { continue }
      do throws(PredictionError) {
        let predictions = try network.predictions(
          inputs, in: memory, state: state?.memory, threads: threads, until: stop)
        if let predictions {
          state?.hasRun(inputs.executable)
          examples[index] = .done(.success(predictions))
        } else {
          isStopped = true
        }
      } catch {
        examples[index] = .done(.failure(error))
      }
    }
    return !isStopped
  }

  /// The results of an example that has been predicted.
  func results(example: Int) throws(PredictionError) -> Predictions {
    try check(example)
    guard case .done(let result) = examples[example] else {
      throw .notPredicted(example)
    }
    return try result.get()
  }

  private func check(_ example: Int) throws(PredictionError) {
    guard examples.indices.contains(example) else {
      throw .wrongExample(example, count: examples.count, remedy: "makeSlot(batch: …)")
    }
  }
}
