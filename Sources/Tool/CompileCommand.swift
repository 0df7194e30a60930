import ArgumentParser
import Forge

/// Writes a network as a compiled file.
struct CompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Writes a network as a compiled file, from which a program predicts at once.",
    discussion: """
      The file holds the plan and the packed parameters. It belongs to this version of Forge and \
      to processors of the same instruction set, and is refused elsewhere. In a program, \
      CompiledModel(contentsOf:) opens it; forge run, bench, profile, classify, detect and others \
      take it.

      EXAMPLES
        forge compile net.onnx -o net.forge
        forge run net.forge --input x.npy --output y.npy
        forge compile net.onnx --size x=1x3x224x224 --threads 4 -o net.forge
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments
  @OptionGroup var arguments: CompileArguments

  @Option(help: "What the plan is made for: speed or size.")
  var preference = PreferenceArgument.speed

  @Option(help: "The most examples that one prediction may hold.")
  var batch = 1

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write.", valueName: "file"))
  var output: String

  func validate() throws {
    guard (1...4096).contains(batch) else { throw ValidationError("batch must be 1 to 4096") }
  }

  func run() throws {
    let clock = ContinuousClock()
    var options = try arguments.options
    options.maximumBatch = batch
    options.preference = preference.preference
    let start = clock.now
    var choices = NetworkOptions(options)
    choices.takesCompiledFiles = false
    let opened = try network.opened(importing, choices)
    let compiled = try opened.compiled(tellsOfRandom: true)
    let loading = (clock.now - start) / .milliseconds(1)
    BuildWarning.print(for: compiled.report)
    try Progress.during("writing \(output)") { try compiled.write(to: output) }
    let begin = clock.now
    let written = try CompiledModel(contentsOf: output, threads: options.threads)
    let opening = (clock.now - begin) / .milliseconds(1)
    print(
      "\(output): \(written.report.steps.count) steps, "
        + String(format: "%.1f MB", Double(written.memory.packedParameters) * 1e-6)
        + " of packed parameters")
    let work =
      opened.isFromCache
      ? "loading from the cache"
      : compiled.isCached ? "importing and loading from the cache" : "importing and compiling"
    print(work + String(format: " %.1f ms, opening the file %.1f ms", loading, opening))
  }
}
