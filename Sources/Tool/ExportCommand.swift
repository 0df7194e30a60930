import ArgumentParser
import Forge
import ForgeExporters
import ForgeToolSupport

/// Writes a network as a model file or as Swift source.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a network as a model file, or as Swift source with its weights beside it.",
    discussion: """
      The file extension selects the format: an ONNX, a Keras or a Core ML file with the layers \
      and the weights. Layers that the format does not have are an error, which names all of them.

      With --swift the output is a folder, which gets NAME.swift, in which layers that repeat are \
      loops, and NAME.safetensors. A program that depends on Forge compiles the source and gets \
      bit-identical results. Layers that have no public initializer are an error, which names all \
      of them.

      EXAMPLES
        forge export net.onnx -o net.keras
        forge export net.keras --type f16 -o net.mlmodel
        forge export net.onnx --swift -o Sources/App
        forge export mobileNet --weights weights.h5 --swift --name Pictures -o Sources/App
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Flag(help: "Write Swift source.")
  var swift = false

  @Option(help: "The name of the type and of the files; that of the network if it is left out.")
  var name: String?

  @Option(
    help: ArgumentHelp(
      """
      The type of the weights; i8 has a scale for each output. A Core ML file has f32 or f16, ONNX \
      and Keras files have f32.
      """,
      valueName: "f32|f16|bf16|i8"))
  var type = StoredType.float32

  @Option(help: "The number of examples of an ONNX file; any number if it is left out.")
  var batch: Int?

  @Option(help: "The length of the sequences of a model file, if the network takes any length.")
  var length: Int?

  @Flag(inversion: .prefixedNo, help: "Write layers that repeat as loops.")
  var loops = true

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "The file to write, \(ModelOutput.endings); with --swift an existing folder.",
      valueName: "file|folder"),
    completion: .file())
  var output: String

  func validate() throws {
    guard swift else {
      guard name == nil, loops else {
        throw ValidationError("--name and --no-loops go with --swift")
      }
      return try ModelOutput(path: output).check(choices)
    }
    guard length == nil, batch == nil else {
      throw ValidationError("--length and --batch do not go with --swift")
    }
    if let name { try SwiftNameArgument.check(name) }
  }

  private var choices: ModelOutput.Choices {
    ModelOutput.Choices(batch: batch, length: length, type: type)
  }

  func run() throws {
    let network = try network.network(importing)
    let model = network.weighted
    guard swift else { return try ModelOutput(path: output).write(model, to: output, choices) }
    let title = SwiftNameArgument.name(name, model, title: network.title)
    let options = SwiftOptions(name: title, as: type, hasLoops: loops)
    let paths = try Progress.during("writing to \(output)") {
      try model.write(swift: output, options: options)
    }
    for path in paths { print(path) }
  }
}

/// The name of a type that the tool writes.
enum SwiftNameArgument {
  /// Checks a name that was given.
  static func check(_ name: String) throws {
    let isUsable = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard isUsable, name.first?.isUppercase == true else {
      throw ValidationError("--name is a Swift type: a capital letter, then letters and digits")
    }
  }

  /// The name that was given, that of the model, or that of the file.
  static func name(_ given: String?, _ model: Model, title: String) -> String {
    let file = title.split(separator: "/").last ?? ""
    let stem = file.split(separator: ".").first.map(String.init) ?? ""
    return given ?? model.metadata.name ?? stem
  }
}
