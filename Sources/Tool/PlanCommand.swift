import ArgumentParser
import Forge
import ForgeSystem
import ForgeToolSupport
import FoundationEssentials

/// Says what a network will need, without reading its weights.
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Says what memory and work a network needs, without reading its weights.",
    discussion: """
      Parameters and multiply-adds follow from the description. The memory is that of a plan which \
      is made with seeded random numbers in place of the weights: the choice of kernels and the \
      places of tensors depend on sizes only.

      EXAMPLES
        forge plan net.onnx
        forge plan resnet50 --batch 8 --precision half-weights --threads 4
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(help: "The examples of one prediction.")
  var batch = 1

  @Option(help: "Threads per prediction.")
  var threads = 1

  @Option(help: "float32, half-weights, bfloat16 or int8.")
  var precision = CompileOptions.Precision.float32

  @Option(help: "What the plan is made for: speed or size.")
  var preference = PreferenceArgument.speed

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    try CompileOptions.Threads.check(threads)
    guard (1...4096).contains(batch) else { throw ValidationError("batch must be 1 to 4096") }
  }

  /// The numbers of a plan.
  private struct Numbers: Encodable {
    let layers, parameters, parameterBytes, multiplyAdds, steps: Int
    let packedParameters, plan, context, arena, withoutSharing, loadingPeak: Int
  }

  func run() throws {
    let network = try network.network(importing)
    let facts = ModelFacts(network.model)
    let options = CompileOptions(
      maximumBatch: batch, preference: preference.preference, threads: .exactly(threads),
      precision: precision)
    let compiled = try Progress.compiling(network.title) {
      try network.model.compile(parameters: RandomParameters(seed: 1), options: options)
    }
    guard compiled.inputShapes.allSatisfy(\.isKnown) else {
      throw ValidationError("an input takes any size; state it with --size")
    }
    let memory = compiled.memory
    let numbers = Numbers(
      layers: facts.layers, parameters: facts.parameters,
      parameterBytes: facts.parameters.multipliedSaturated(by: 4),
      multiplyAdds: facts.multiplyAdds, steps: compiled.report.steps.count,
      packedParameters: memory.packedParameters, plan: memory.plans,
      context: try compiled.workspaceSize(batch: batch), arena: memory.arena,
      withoutSharing: compiled.report.unsharedBytes, loadingPeak: memory.loadingPeak)
    guard !json else {
      let encoder = JSONEncoder()
      encoder.keyEncodingStrategy = .convertToSnakeCase
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return ToolOutput.write(json: try encoder.encode(numbers))
    }
    for (name, shape) in zip(compiled.inputNames, compiled.inputShapes) {
      print("input              \(name.printable) \(shape)")
    }
    for (name, shape) in zip(compiled.outputNames, compiled.outputShapes) {
      print("output             \(name.printable) \(shape)")
    }
    print(
      """
      layers             \(numbers.layers) in \(numbers.steps) steps
      parameters         \(numbers.parameters), \(Self.text(numbers.parameterBytes)) as Float32
      multiply-adds      \(numbers.multiplyAdds) per example
      packed parameters  \(Self.text(numbers.packedParameters)), shared by all predictions
      while loading      \(Self.text(numbers.loadingPeak)) at most
      plan               \(Self.text(numbers.plan))
      each prediction    \(Self.text(numbers.context))\(batch > 1 ? " for \(batch) examples" : "")
      tensors            \(Self.text(numbers.arena)) per example, \
      \(Self.text(numbers.withoutSharing)) if none shared memory
      """)
  }

  /// A number of bytes with a unit.
  static func text(_ bytes: Int) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    guard let (unit, size) = units.first(where: { bytes >= $0.1 }) else {
      return LoadError.bytes(bytes)
    }
    return String(format: "%.1f ", Double(bytes) / Double(size)) + unit
  }
}
