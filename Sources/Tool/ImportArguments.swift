import ArgumentParser
import Forge
import ForgeImporters
import ForgeToolSupport

/// The arguments of all commands that take a network: its weights, and what its file leaves open.
struct ImportArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file of the weights: Darknet's .weights, or any weight file in place of the model's own.",
      valueName: "file"))
  var weights: String?

  @Option(
    help: ArgumentHelp(
      """
      The sizes of an input in the order of the file, batch included: image=1x3x224x224. In \
      ids=1x..512 each prediction chooses the length, up to 512; in x=1x400..16400/320 \
      one of 400, 720, … 16400; in 'x=1x3x(h:32..960/32)x(w:32..960/32)' it chooses h and \
      w independently.
      """,
      valueName: "name=sizes"))
  var size: [String] = []

  @Option(
    help: ArgumentHelp(
      "An input that becomes a constant of the model, with its values.",
      valueName: "name=npy"))
  var constant: [String] = []

  @Option(
    help: ArgumentHelp(
      "The function of a Core ML package that has several, in place of the default one.",
      valueName: "name"))
  var function: String?

  @Flag(
    help: """
      Trust the file: it may ask for any memory and work, however small it is.
      """)
  var trusted = false

  /// The arguments that are given, without `--trusted`, which changes no network.
  var given: [String] {
    GivenArguments.names([
      "weights": weights, "size": size.first, "constant": constant.first, "function": function,
    ])
  }

  /// The limits of an import.
  var limits: ImportLimits { trusted ? .trusted : ImportLimits() }

  /// The model file with these options.
  func modelFile(_ path: String) throws -> ModelFile {
    var file = ModelFile(path, weights: weights, limits: limits)
    file.options.function = function
    for text in size {
      let argument = NamedArgument(text)
      guard let name = argument.name, let sizes = InputSize.list(argument.value) else {
        throw ValidationError(
          "--size takes NAME=1x3x224x224, NAME=1x..512 or NAME=1x(n:1..512), not \(text.printable)")
      }
      file.options.sizes[name] = sizes
      if let note = NamedArgument.note(onLengthsOf: name, sizes) { Progress.note(note) }
    }
    file.options.style = .tool
    for text in constant {
      let argument = NamedArgument(text)
      guard let name = argument.name else {
        throw ValidationError("--constant takes NAME=x.npy, not \(text.printable)")
      }
      file.options.constants[name] = try StoredTensor(numPy: argument.value)
    }
    return file
  }

  /// Checks that nothing is to be imported differently.
  func checkNothingToImport() throws {
    guard size.isEmpty, constant.isEmpty, function == nil else {
      throw ValidationError("--size, --constant and --function are for model files")
    }
  }
}
