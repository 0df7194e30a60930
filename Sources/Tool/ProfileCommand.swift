import ArgumentParser
import Forge
import ForgeSystem
import ForgeToolSupport

/// Times each step of a network.
struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Times each step of a network.",
    discussion: """
      The share of the peak counts the multiplications of the plain method: a kernel that needs \
      fewer (Winograd's) may be above 100 %. \
      --trace writes the steps of a mean prediction for trace viewers.

      EXAMPLES
        forge profile net.onnx --threads 2
        forge profile mobilenet --trace trace.json
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments
  @OptionGroup var arguments: TimingArguments

  @Option(
    help: ArgumentHelp(
      "Where to write the steps in the trace format of Chrome.", valueName: "json"))
  var trace: String?

  func validate() throws {
    guard (1...100_000).contains(arguments.runs) else {
      throw ValidationError("runs must be 1 to 100000")
    }
  }

  /// Prints the measurements of `--tuning measured`; `*` marks the fastest kernels.
  private func printComparisons(_ tuning: TuningReport, isStored: Bool) {
    guard tuning.way == .measured else { return }
    // The times are those of another process, which nothing holds.
    guard !isStored else {
      return print("the kernels were measured when the network was compiled\n")
    }
    print("best so far   challenger  convolution and kernels")
    for comparison in tuning.comparisons {
      let (champion, challenger) = (comparison.champion, comparison.challenger)
      print(
        String(
          format: "%8.4f ms  %8.4f ms", champion.seconds * 1e3, challenger.seconds * 1e3)
          + (comparison.isWon ? "* " : "  ")
          + "\(comparison.convolution): \(challenger.kernel) for \(champion.kernel)")
    }
    if let seconds = tuning.predictionSeconds {
      print(
        String(
          format: "a prediction: %.4f ms by the cost model, %.4f ms by what won\n",
          seconds.costModel * 1e3, seconds.measured * 1e3))
    } else {
      print("the cost model's choice won everywhere\n")
    }
  }

  func run() throws {
    let compile = arguments.compile
    let network = try self.network.opened(
      importing, NetworkOptions(try compile.options, threads: compile.threads, given: compile.given)
    )
    let compiled = try network.compiled(tellsOfRandom: false)
    BuildWarning.print(for: compiled.report)
    try arguments.save(compiled.report.tuning)
    let steps = try compiled.profile(runs: arguments.runs)
    if let trace { try OutputFile.write(ChromeTrace(steps).json, to: trace) }
    let speed = Device.measuredSpeed(
      threads: compiled.threads, instructionSet: compiled.instructionSet)
    let total = steps.reduce(0) { $0 + $1.seconds }
    printComparisons(
      compiled.report.tuning, isStored: network.isCompiledFile || compiled.isCached)
    print("     ms   share  GFLOP/s  of peak    GB/s  kernel                        layers")
    for step in steps {
      let numbers = String(
        format: "%7.4f  %5.1f%%  %7.1f  %6.0f%% %7.1f  ", step.seconds * 1e3,
        100 * step.seconds / max(total, 1e-12), step.gigaflops,
        100 * step.gigaflops / (speed?.gigaflops ?? .infinity), step.gigabytesPerSecond)
      let kernel = step.kernel.padding(to: 28)
      print(numbers + kernel + "  " + step.layers.map(\.printable).joined(separator: ", "))
    }
    print(String(format: "%7.4f ms in %ld steps", total * 1e3, steps.count))
    if let speed {
      let threads = speed.threads > 1 ? "\(speed.threads) threads" : "1 thread"
      let peak = String(format: "%.1f GFLOP/s", speed.gigaflops)
      let memory = String(format: "%.1f GB/s", speed.gigabytesPerSecond)
      print(
        "measured peak of \(threads): \(peak) (\(speed.instructionSet.rawValue)), "
          + "\(memory) from memory")
    }
  }
}
