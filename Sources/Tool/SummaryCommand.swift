import ArgumentParser
import Forge
import ForgeToolSupport

/// Prints the layers of a network.
struct SummaryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary",
    abstract: "Prints the layers of a model file, or of a ready architecture or its weight file.",
    discussion: """
      A weight file is recognized by the names, shapes and number of its parameters, with a \
      classifier or without, and loaded: every parameter of the network is in the file, and the \
      network uses every parameter in the file.

      EXAMPLES
        forge summary net.onnx
        forge summary inceptionv3 --detailed
        forge summary mobilenet.h5
        forge summary net.forge --detailed
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Flag(help: "Also print inputs, multiply-adds, bytes and the chosen kernels.")
  var detailed = false

  @Flag(help: "Print one row for all layers of a module or scope.")
  var nested = false

  func validate() throws {
    guard !(detailed && nested) else {
      throw ValidationError("--detailed and --nested cannot be used together")
    }
  }

  func run() throws {
    let network = try network.opened(importing, NetworkOptions(CompileOptions()))
    let detail: SummaryDetail = detailed ? .detailed : nested ? .nested : .standard
    if case .file = self.network { print("\(network.title.printable)\n") }
    // The weights of a recognized architecture are read, so that the summary tells they fit.
    guard detailed || network.isRecognized else { return print(network.summary(detail)) }
    // The choice of kernels depends only on sizes, so any parameters will do.
    print(try network.compiled(tellsOfRandom: false).summary(detail))
  }
}
