import ForgeOperations
import ForgeShapes

extension Planner {
  /// Chooses the kernels of convolutions before any plan is made, as the options request.
  ///
  /// - Returns: the choices and how they were made.
  /// - Throws: ``BackendError`` if a record does not fit the model or no plan can be made.
  mutating func tune() throws(BackendError) -> TuningReport {
    var bound = graph
    var entries: [TunableConvolutions.Entry] = []
    // Only plans for inputs of known sizes are tuned.
    if settings.sizesAreFixed {
      do { bound = try graph.binding(inputs: graph.inputs.map { graph.shape(of: $0) }) } catch {
        throw .unfit(error.error, layer: 0)
      }
      try checkAxes(of: bound)
      entries = try planning { () throws in
        TunableConvolutions(bound, try ConvolutionPlan(bound, settings)).entries
      }
    }
    var tuner: Tuner?
    switch options.tuning {
    case .costModel: break
    case .recorded(let record): tuned = try choices(of: record, for: entries)
    case .measured where entries.isEmpty: break
    case .measured: tuner = try Tuner(measuring: self, on: bound, entries)
    }
    if let tuner { tuned = tuner.champions }
    return report(entries, tuner)
  }

  private func report(
    _ entries: [TunableConvolutions.Entry], _ tuner: Tuner? = nil
  ) -> TuningReport {
    let kernels = entries.map { tuned[$0.convolution] ?? $0.candidates.best }
    let record = TuningRecord(
      instructionSet: instructionSet.rawValue, threads: threads,
      choices: zip(entries, kernels).compactMap { entry, kernel in
        kernel.map { TuningRecord.Choice(convolution: entry.convolution, kernel: $0) }
      })
    let way = TuningReport.Way(options.tuning)
    return TuningReport(
      way: way, record: record,
      fallbacks: way == .costModel
        ? [] : entries.map(\.convolution).filter { tuned[$0] == nil },
      differences: zip(entries, kernels).filter { $0.candidates.best != $1 }.map(\.0.convolution),
      comparisons: tuner?.comparisons ?? [], predictionSeconds: tuner?.predictionSeconds)
  }

  /// Returns the recorded kernels for the convolutions of the model.
  ///
  /// - Throws: ``BackendError`` with every mismatch.
  private func choices(
    of record: TuningRecord, for entries: [TunableConvolutions.Entry]
  ) throws(BackendError) -> [TuningRecord.Convolution: TuningRecord.Kernel] {
    guard record.version == TuningRecord.currentVersion else {
      throw .problems([
        (nil, .recordOfVersion(record.version, needs: TuningRecord.currentVersion))
      ])
    }
    guard record.instructionSet == instructionSet.rawValue else {
      throw .problems([
        (
          nil, .recordOfInstructionSet(record.instructionSet, needs: instructionSet.rawValue)
        )
      ])
    }
    let recorded = Dictionary(grouping: record.choices, by: \.convolution)
    var result: [TuningRecord.Convolution: TuningRecord.Kernel] = [:]
    var problems: [(layer: Int?, problem: Problem)] = []
    for entry in entries {
      let kernels = Set(recorded[entry.convolution, default: []].map(\.kernel))
      guard let kernel = kernels.first else { continue }
      if kernels.count > 1 {
        problems.append(
          (
            entry.layer,
            .contradictoryRecord(
              entry.convolution, kernels: kernels.map(\.description).sorted())
          ))
      } else if entry.candidates.variant(kernel) != nil {
        result[entry.convolution] = kernel
      } else {
        problems.append(
          (
            entry.layer,
            .impossibleKernel(
              entry.convolution, kernel: kernel, possible: entry.candidates.possible)
          ))
      }
    }
    guard problems.isEmpty else { throw .problems(problems) }
    return result
  }
}

extension TuningReport.Way {
  fileprivate init(_ tuning: CompileOptions.Tuning) {
    switch tuning {
    case .costModel: self = .costModel
    case .measured: self = .measured
    case .recorded: self = .recorded
    }
  }
}
