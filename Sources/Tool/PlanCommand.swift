import ArgumentParser
import Forge
import ForgeSystem
import ForgeToolSupport
import FoundationEssentials

/// Says what a network will need, without reading Float32 weights.
struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Says what memory and work a network needs.",
    discussion: """
      Parameters and multiply-adds follow from the description. The memory is that of a plan which \
      is made with seeded random numbers in place of the weights: the choice of kernels and the \
      places of tensors depend on sizes only. The plan of a quantized network depends on its \
      weights, which are read. For a compiled file, the memory is that of the stored plan; \
      loading it packs nothing.

      EXAMPLES
        forge plan net.onnx
        forge plan resnet50 --batch 8 --precision half-weights --threads 4
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(help: "The number of examples in one prediction.")
  var batch = 1

  @Option(help: "Threads per prediction, 1 by default.")
  var threads: Int?

  @Option(help: "float32 (by default), half-weights, bfloat16 or int8.")
  var precision: CompileOptions.Precision?

  @Option(help: "What the plan is made for: speed (by default) or size.")
  var preference: PreferenceArgument?

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
    let network = try network.opened(
      importing,
      NetworkOptions(
        CompileOptions(
          maximumBatch: batch, preference: preference?.preference ?? .speed,
          threads: .exactly(threads ?? 1), precision: precision ?? .float32),
        threads: threads,
        given: GivenArguments.names(["precision": precision, "preference": preference])))
    try network.check(batch: batch)
    let outline = network.outline
    let compiled = try Progress.compiling(network.title) { try network.planned() }
    guard compiled.inputShapes.allSatisfy(\.isKnown) else {
      throw ValidationError("an input takes any size; state it with --size")
    }
    let memory = compiled.memory
    let numbers = Numbers(
      layers: outline.layerCount, parameters: outline.parameterCount,
      parameterBytes: outline.parameterCount.multipliedSaturated(by: 4),
      multiplyAdds: outline.multiplyAdds, steps: compiled.report.steps.count,
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
