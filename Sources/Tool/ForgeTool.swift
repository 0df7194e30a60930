import ArgumentParser
import Forge
import ForgeModels

/// The command-line tool.
@main
struct ForgeTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forge",
    abstract: "Looks at networks and weight files.",
    subcommands: [Summary.self])
}

/// Prints the summary of a ready architecture.
struct Summary: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the layers of a ready architecture.")

  /// The architectures there are.
  enum Network: String, CaseIterable, ExpressibleByArgument {
    case lenet
  }

  @Argument(help: "The architecture.")
  var network: Network

  @Flag(help: "Also print inputs, multiply-adds, bytes and the chosen kernels.")
  var detailed = false

  func run() throws {
    let model =
      switch network {
      case .lenet: Model.leNet()
      }
    guard detailed else {
      print(model.summary())
      return
    }
    // Kernels are chosen by sizes alone, so that any parameters will do.
    print(try model.compile(parameters: RandomParameters(seed: 1)).summary(.detailed))
  }
}
