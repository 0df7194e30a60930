import ArgumentParser
import Forge
import ForgeExporters
import ForgeToolSupport

/// Writes the typed interface of a model file.
struct SwiftInterfaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swift-interface",
    abstract: "Writes a Swift structure with the named, typed inputs and outputs of a model file.",
    discussion: """
      The structure opens the file, checks that it still has these inputs, outputs and labels, and \
      predicts. Sizes that are left open are parameters; pictures are prepared where the file \
      states how.

      EXAMPLES
        forge swift-interface net.onnx -o Sources/App/Net.swift
        forge swift-interface net.onnx --size 'ids=1x..512' --name Tagger -o Tagger.swift
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(help: "The name of the type; that of the network if it is left out.")
  var name: String?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The Swift file to write.", valueName: "file"))
  var output: String

  func validate() throws {
    guard case .file = network else {
      throw ValidationError("a ready architecture has no file: name a model file")
    }
    guard importing.constant.isEmpty, importing.function == nil else {
      throw ValidationError("a typed interface opens a file without --constant and --function")
    }
    guard output.hasSuffix(".swift") else {
      throw ValidationError("--output must end with .swift")
    }
    if let name { try SwiftNameArgument.check(name) }
  }

  func run() throws {
    let network = try network.network(importing)
    guard !network.isReady else {
      throw ValidationError("a file of weights has no inputs: name a model file")
    }
    let title = SwiftNameArgument.name(name, network.model, title: network.title)
    var sizes: [String: [InputSize]] = [:]
    if case .file(let path) = self.network { sizes = try importing.modelFile(path).options.sizes }
    let options = SwiftInterfaceOptions(name: title, sizes: sizes)
    try network.model.write(swiftInterface: output, options: options)
    print(output)
  }
}
