import ArgumentParser
import Forge
import ForgeSystem
import ForgeToolSupport
import FoundationEssentials

/// Draws a network.
struct GraphCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "graph",
    abstract: "Draws a network as .svg, or writes it as .dot for Graphviz.",
    discussion: """
      A box shows the type, the name and the output shape (width×height×channels) of a layer. \
      Inputs are green, layers with parameters blue, layers that take several tensors orange; \
      outputs have a thick border.

      EXAMPLES
        forge graph net.onnx -o net.svg
        forge graph inceptionv3 -o inception.dot
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write.", valueName: "svg|dot"))
  var output: String

  func validate() throws {
    guard [".svg", ".dot"].contains(where: output.lowercased().hasSuffix) else {
      throw ValidationError("the output must end in .svg or .dot")
    }
  }

  func run() throws {
    let network = try network.opened(importing, NetworkOptions(CompileOptions()))
    let graph = NetworkGraph(network.outline, title: network.title)
    let text = Progress.during("drawing \(network.title)") {
      output.lowercased().hasSuffix(".svg") ? graph.svg : graph.dot
    }
    try OutputFile.write(Data(text.utf8), to: output)
  }
}

/// Files that the tool writes.
enum OutputFile {
  /// Writes a file, replacing an existing one.
  static func write(_ data: Data, to path: String) throws {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(LoadError) in try FileReplacement.replace(path, with: [bytes]) }
    }
    try result.get()
  }
}
