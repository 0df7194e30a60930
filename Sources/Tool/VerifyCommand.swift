import ArgumentParser
import Forge
import ForgeSystem
import ForgeToolSupport

/// Compares a network with the reference executor.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compares the plan of a network with the reference executor on random inputs.",
    discussion: """
      The reference executor computes every layer in double precision, one multiplication at a \
      time: a network of a billion multiply-adds takes minutes. Each sample is compared \
      with numbers of one scale, then with rows and channels of very different scale, and outputs \
      are compared row by row. When the results differ, the layer and the rewrite that are wrong \
      are named, and the exit code is 1.

      EXAMPLES
        forge verify lenet
        forge verify net.onnx --samples 3 --precision half-weights
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(help: "The number of random inputs.")
  var samples = 1

  @Option(help: "The bound of the relative error; by default that of the precision.")
  var bound: Double?

  @Option(help: "float32, half-weights, bfloat16 or int8.")
  var precision = CompileOptions.Precision.float32

  func validate() throws {
    guard (1...1000).contains(samples) else { throw ValidationError("samples must be 1 to 1000") }
    guard bound.map({ $0 > 0 && $0.isFinite }) ?? true else {
      throw ValidationError("bound must be a finite number above 0")
    }
  }

  func run() throws {
    let network = try network.network(importing)
    var options = CompileOptions(
      maximumBatch: 1, verify: .samples(samples), accuracy: bound, precision: precision)
    options.integerInputs = network.imported.integerInputs
    let compiled = try network.compiled(options, tellsOfRandom: true)
    guard let verification = compiled.report.verification else { return }
    print("relative L2  largest difference  output")
    for error in verification.errors {
      print(
        String(format: "%11.2e  %18.2e  ", error.relativeL2, error.maximum) + error.output.printable
      )
    }
    print("bound \(verification.bound), \(LoadError.counted(verification.samples, "sample"))")
  }
}
