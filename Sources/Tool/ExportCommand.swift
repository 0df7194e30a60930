import ArgumentParser
import Forge
import ForgeExporters
import ForgeToolSupport

/// Writes a network as Swift source or as a Core ML file.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a network as Swift source with its weights beside it, or as a Core ML file.",
    discussion: """
      With --swift the folder gets NAME.swift, in which layers that repeat are loops, and \
      NAME.safetensors. A program that has Forge as a package compiles the source and predicts the \
      same bits. Layers that have no public initializer are an error, which names all of them.

      With --coreml one file has the layers, the weights, the metadata and the labels. Layers that \
      Core ML does not have are an error, which names all of them.

      EXAMPLES
        forge export net.onnx --swift -o Sources/App
        forge export mobileNet --weights weights.h5 --swift --name Pictures -o Sources/App
        forge export net.onnx --coreml --type f16 -o net.mlmodel
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Flag(help: "Write Swift source.")
  var swift = false

  @Flag(help: "Write a Core ML file.")
  var coreml = false

  @Option(help: "The name of the type and of the files; that of the network if it is left out.")
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The type of the weights; i8 has a scale for each output. A Core ML file has f32 or f16.",
      valueName: "f32|f16|bf16|i8"))
  var type = StoredType.float32

  @Option(help: "The length of the sequences of a Core ML file, if the network takes any length.")
  var length: Int?

  @Flag(inversion: .prefixedNo, help: "Write layers that repeat as loops.")
  var loops = true

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "An existing folder; with --coreml the file to write.", valueName: "folder|file"),
    completion: .file())
  var output: String

  func validate() throws {
    guard swift != coreml else {
      throw ValidationError("--swift or --coreml says what to write; forge edit writes ONNX")
    }
    if coreml { return try CoreMLOutput.check(self) }
    guard length == nil else { throw ValidationError("--length goes with --coreml") }
    if let name { try SwiftNameArgument.check(name) }
  }

  func run() throws {
    let network = try network.network(importing)
    let model = network.weighted
    if coreml {
      let weights: CoreMLOptions.WeightType = type == .float16 ? .float16 : .float32
      return try CoreMLOutput.write(
        model, to: output, CoreMLOptions(weights: weights, length: length))
    }
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
