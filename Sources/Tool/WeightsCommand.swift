import ArgumentParser
import Forge

/// Writes the weights of a network as a safetensors file.
struct WeightsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weights",
    abstract: "Writes the weights of a network as a safetensors file of any type.",
    discussion: """
      EXAMPLES
        forge weights net.onnx -o net.safetensors
        forge weights net.h5 --type f16 -o half.safetensors
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(
    help: ArgumentHelp(
      "The type of the values; i8 has a scale for each output of a layer.",
      valueName: "f32|f16|bf16|i8"))
  var type = StoredType.float32

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write.", valueName: "file"))
  var output: String

  func run() throws {
    let network = try network.network(importing)
    guard let source = network.model.parameters else {
      throw ValidationError("\(network.title.printable) has no weights")
    }
    try Progress.during("writing \(output)") {
      try SafeTensors.write(network.model, parameters: source, as: type, to: output)
    }
  }
}

extension StoredType: ExpressibleByArgument {
  /// The names of all types.
  public static var allValueStrings: [String] { allCases.map(\.rawValue) }
  /// The name.
  public var defaultValueDescription: String { rawValue }
}
