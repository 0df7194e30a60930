import ArgumentParser
import Forge
import ForgeImporters
import ForgeSystem
import ForgeToolSupport

/// Imports, compiles and predicts once, and says what does not work.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Says whether a model works: imports it, compiles it, predicts, compares.",
    discussion: """
      The inputs are seeded random numbers, or ids where an input selects rows of a table. A \
      small network is compared with the reference executor, which computes in double \
      precision, once with numbers of one scale and once with rows and channels of very different \
      scale. The exit code is 1 when something does not work, and the output names it.

      EXAMPLES
        forge check net.onnx
        forge check net.onnx --size image=1x3x224x224
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(
    help: ArgumentHelp(
      "Networks of more multiply-adds, moves and comparisons are not compared.", valueName: "count")
  )
  var compareUpTo = 100_000_000

  func validate() throws {
    guard compareUpTo >= 0 else { throw ValidationError("compare-up-to must be 0 or more") }
  }

  func run() throws {
    let network: Network
    do { network = try self.network.network(importing) } catch let error as ImportError {
      print("\(error)")
      throw ExitCode.failure
    }
    let model = network.model
    print("imported   \(NetworkOutline(Inference(model)).line)")
    let constants = network.imported.constants
    if network.imported.outputs.isEmpty, !constants.isEmpty {
      return print("constant   \(constants.map(\.name.printable).joined(separator: ", "))")
    }
    do {
      let cost = try model.predictionCost()
      let isSmall =
        cost.work <= compareUpTo
        && model.limits.map { cost.allowsReference(within: $0) } ?? true
      var options = CompileOptions()
      if isSmall { options.verify = .samples(1) }
      options.integerInputs = network.imported.integerInputs
      options.maximumBatch = 1
      let compiled = try network.compiled(options)
      print(
        "compiled   \(compiled.report.steps.count) steps, "
          + (network.isRandom ? "seeded random weights" : "its own weights"))
      let outputs = try predict(network.imported, compiled)
      print("predicted  \(outputs.joined(separator: ", "))")
      guard let verification = compiled.report.verification else {
        return print(
          "compared   no: more than \(compareUpTo) multiply-adds, moves and comparisons")
      }
      let worst = verification.errors.map(\.relativeL2).max() ?? 0
      let explained = worst > verification.bound ? ", which rounding to Float32 explains" : ""
      print(
        String(format: "compared   relative L2 %.2e from the reference executor", worst)
          + explained)
    } catch {
      print("\(error)")
      throw ExitCode.failure
    }
  }

  /// Predicts seeded random numbers; returns the outputs in words.
  private func predict(_ imported: ImportedModel, _ network: CompiledModel) throws -> [String] {
    let run = NetworkRun(imported) { network }
    let results = try run.results(run.examples(imported.seededInputs()))
    return try run.arrays(of: results).map { name, array in
      let bad = array.floats.filter { !$0.isFinite }.count
      return "\(name.printable) \(StoredTensor.text(of: array.sizes))"
        + (bad > 0 ? " with \(bad) values that are not finite" : "")
    }
  }
}

extension NetworkOutline {
  /// The numbers of the network in one line.
  var line: String {
    "\(layerCount) layers, \(parameterCount) parameters, \(multiplyAdds) multiply-adds"
  }
}
