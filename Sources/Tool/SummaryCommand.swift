import ArgumentParser
import Forge
import ForgeModels

/// Prints the layers of a ready architecture or of the one that a weight file matches.
struct SummaryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "summary",
    abstract: "Prints the layers of a ready architecture, or of the one a weight file belongs to.",
    discussion: """
      A weight file is told by the names, shapes and number of its parameters, with a classifier \
      or without, and loaded: every parameter of the network has one in the file, and the other \
      way round.
      """)

  @Argument(help: NetworkArgument.help)
  var network: NetworkArgument

  @Flag(help: "Also print inputs, multiply-adds, bytes and the chosen kernels.")
  var detailed = false

  func run() throws {
    switch network {
    case .ready(let architecture):
      let model = architecture.model
      guard detailed else { return print(model.summary()) }
      // The choice of kernels depends only on sizes, so any parameters will do.
      print(try model.compile(parameters: RandomParameters(seed: 1)).summary(.detailed))
    case .weights(let path):
      let recognized = try RecognizedModel(weights: path)
      let compiled = try recognized.model.compile()
      print("\(path): \(recognized.name)\n")
      print(compiled.summary(detailed ? .detailed : .standard))
    }
  }
}
