import ArgumentParser
import Forge

/// Prints the layers of a ready architecture.
struct SummaryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary", abstract: "Prints the layers of a ready architecture.")

  @Argument(help: "The architecture.")
  var network: Architecture

  @Flag(help: "Also print inputs, multiply-adds, bytes and the chosen kernels.")
  var detailed = false

  func run() throws {
    guard detailed else {
      print(network.model.summary())
      return
    }
    // Kernels are chosen by sizes alone, so that any parameters will do.
    print(try network.model.compile(parameters: RandomParameters(seed: 1)).summary(.detailed))
  }
}
