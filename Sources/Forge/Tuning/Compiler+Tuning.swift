import ForgeOperations
import ForgeShapes

extension Compiler {
  /// Settles the kernels of convolutions before any plan is made, in the way the options ask for.
  ///
  /// - Returns: what was chosen, and how.
  /// - Throws: ``CompileError`` for a record that does not fit, and for what keeps a plan from
  ///   being made.
  mutating func tune(constants: PackedConstants) throws(CompileError) -> TuningReport {
    switch options.tuning {
    case .costModel: return try report(.costModel)
    case .recorded(let record):
      tuned = try record.choices(for: self)
      return try report(.recorded)
    case .measured:
      guard let shapes = fixedInputShapes else { return try report(.measured) }
      let tuner: Tuner
      do throws(PlanError) {
        tuner = try Tuner.measuring(self, inputs: shapes, constants: constants)
      } catch {
        throw CompileError([error.problem(self)])
      }
      tuned = tuner.champions
      return try report(.measured, tuner)
    }
  }

  /// The shapes of the inputs, when all are known.
  private var fixedInputShapes: [Shape]? {
    let shapes = graph.inputs.map { graph.shape(of: $0) }
    return shapes.allSatisfy(\.isKnown) ? shapes : nil
  }

  /// The convolutions of which there is something to choose; none where sizes come with the inputs.
  func tunableConvolutions() throws(PlanError) -> [TunableConvolutions.Entry] {
    guard let shapes = fixedInputShapes else { return [] }
    let (graph, settings) = (try bound(inputs: shapes), planSettings)
    do {
      let plan = try ConvolutionPlan(graph, settings)
      return TunableConvolutions(graph, plan).entries
    } catch is NoConvolutionAlgorithm {
      throw .noKernels
    } catch {
      throw .parameters(error)
    }
  }

  private func report(
    _ way: TuningReport.Way, _ tuner: Tuner? = nil
  ) throws(CompileError)
    -> TuningReport
  {
    let entries: [TunableConvolutions.Entry]
    do throws(PlanError) { entries = try tunableConvolutions() } catch {
      throw CompileError([error.problem(self)])
    }
    let choices = entries.compactMap { entry -> TuningRecord.Choice? in
      (tuned[entry.convolution] ?? entry.candidates.best).map {
        TuningRecord.Choice(convolution: entry.convolution, kernel: $0)
      }
    }
    let set = CompileOptions.InstructionSet.allCases.first { $0.level == level } ?? .scalar
    return TuningReport(
      way: way,
      record: TuningRecord(instructionSet: set.rawValue, threads: threads, choices: choices),
      fallbacks: way == .costModel
        ? [] : entries.map(\.convolution).filter { tuned[$0] == nil },
      differences: entries.filter {
        (tuned[$0.convolution] ?? $0.candidates.best) != $0.candidates.best
      }
      .map(\.convolution),
      comparisons: tuner?.comparisons ?? [], predictionSeconds: tuner?.predictionSeconds)
  }
}

extension TuningRecord {
  /// The kernels a record has for the convolutions of a model.
  ///
  /// - Throws: ``CompileError`` with all that does not fit.
  func choices(for compiler: Compiler) throws(CompileError) -> [Convolution: Kernel] {
    let set =
      CompileOptions.InstructionSet.allCases.first { $0.level == compiler.level } ?? .scalar
    guard version == Self.currentVersion else {
      throw CompileError([.recordOfVersion(version, needs: Self.currentVersion)])
    }
    guard instructionSet == set.rawValue else {
      throw CompileError([.recordOfInstructionSet(instructionSet, needs: set.rawValue)])
    }
    let entries: [TunableConvolutions.Entry]
    do throws(Compiler.PlanError) { entries = try compiler.tunableConvolutions() } catch {
      throw CompileError([error.problem(compiler)])
    }
    let recorded = Dictionary(grouping: choices, by: \.convolution)
    var result: [Convolution: Kernel] = [:]
    var problems: [Problem] = []
    for entry in entries {
      let kernels = Set(recorded[entry.convolution, default: []].map(\.kernel))
      guard let kernel = kernels.first else { continue }
      let node = compiler.inference.nodes.first { $0.position == entry.layer && !$0.isInput }
      if kernels.count > 1 {
        problems.append(
          .contradictoryRecord(
            at: node?.place, node?.reference, entry.convolution,
            kernels: kernels.map(\.description).sorted()))
      } else if entry.candidates.variant(kernel) != nil {
        result[entry.convolution] = kernel
      } else {
        problems.append(
          .impossibleKernel(
            at: node?.place, node?.reference, entry.convolution, kernel: kernel,
            possible: entry.candidates.possible))
      }
    }
    guard problems.isEmpty else { throw CompileError(problems) }
    return result
  }
}
