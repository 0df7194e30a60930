import ForgeOperations
import ForgeShapes

extension Planner {
  /// Chooses the kernels of convolutions before any plan is made, as the options request.
  ///
  /// - Returns: the choices and how they were made.
  /// - Throws: ``BackendError`` if a record does not fit the model or no plan can be made.
  mutating func tune() throws(BackendError) -> TuningReport {
    var bound = graph
    var entries: [TunableConvolution] = []
    // Only plans for inputs of known sizes are tuned.
    if settings.sizesAreFixed {
      do { bound = try graph.binding(inputs: graph.inputs.map { graph.shape(of: $0) }) } catch {
        throw .unfit(error.error, layer: 0)
      }
      try checkAxes(of: bound)
      entries = try planning { () throws in
        TunableConvolution.all(in: bound, try ConvolutionPlan(bound, settings))
      }
    }
    var tuner: Tuner?
    let way: TuningReport.Way
    switch options.tuning {
    case .costModel:
      way = .costModel
    case .recorded(let record):
      way = .recorded
      tuned = try choices(of: record, for: entries)
    case .measured:
      way = .measured
      if !entries.isEmpty { tuner = try Tuner(measuring: self, on: bound, entries) }
      tuned = tuner?.champions ?? [:]
    }
    let kernels = entries.map { tuned[$0.sizes] ?? $0.candidates.best }
    let record = TuningRecord(
      instructionSet: instructionSet.rawValue, threads: threads,
      choices: zip(entries, kernels).compactMap { entry, kernel in
        kernel.map { TuningRecord.Choice(convolution: entry.sizes, kernel: $0) }
      })
    return TuningReport(
      way: way, record: record,
      fallbacks: way == .costModel
        ? [] : entries.map(\.sizes).filter { tuned[$0] == nil },
      differences: zip(entries, kernels).filter { $0.candidates.best != $1 }.map(\.0.sizes),
      comparisons: tuner?.comparisons ?? [], predictionSeconds: tuner?.predictionSeconds)
  }

  /// Returns the recorded kernels for the convolutions of the model.
  ///
  /// - Throws: ``BackendError`` with every mismatch.
  private func choices(
    of record: TuningRecord, for entries: [TunableConvolution]
  ) throws(BackendError) -> TunedKernels {
    guard record.version == TuningRecord.currentVersion else {
      throw .problems([
        (nil, .recordOfVersion(record.version, needs: TuningRecord.currentVersion))
      ])
    }
    guard record.instructionSet == instructionSet.rawValue else {
      let needed = instructionSet.rawValue
      throw .problems([(nil, .recordOfInstructionSet(record.instructionSet, needs: needed))])
    }
    let recorded = Dictionary(grouping: record.choices, by: \.convolution)
    var result: TunedKernels = [:]
    var problems: [(layer: Int?, problem: Problem)] = []
    for entry in entries {
      let kernels = Set(recorded[entry.sizes, default: []].map(\.kernel))
      guard let kernel = kernels.first else { continue }
      if kernels.count > 1 {
        let problem = Problem.contradictoryRecord(
          entry.sizes, kernels: kernels.map(\.description).sorted())
        problems.append((entry.layer, problem))
      } else if entry.candidates.variant(kernel) != nil {
        result[entry.sizes] = kernel
      } else {
        let problem = Problem.impossibleKernel(
          entry.sizes, kernel: kernel, possible: entry.candidates.possible)
        problems.append((entry.layer, problem))
      }
    }
    guard problems.isEmpty else { throw .problems(problems) }
    return result
  }
}
