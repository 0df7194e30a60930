import ArgumentParser
import Forge
import ForgeExporters
import ForgeToolSupport

/// Changes a network and writes it as a model file.
struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Cuts, renames and changes a network, and writes it as a model file.",
    discussion: """
      Without an output it lists the tensors of the changed network with their shapes. The changes \
      are made in this order: rename, add outputs, extract (--from, --to), cut, remove. Each \
      change uses the tensor names that the earlier changes left.

      EXAMPLES
        forge edit net.onnx
        forge edit net.h5 -o net.onnx
        forge edit net.onnx -o net.keras
        forge edit net.onnx --cut after=pool5 --rename Input3=image -o features.onnx
        forge edit net.onnx --from pool1 --to pool5 -o middle.onnx
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(
    help: ArgumentHelp("A new name for a layer or an input.", valueName: "old=new"))
  var rename: [String] = []

  @Option(
    help: ArgumentHelp("A tensor that becomes an additional output.", valueName: "name"))
  var addOutput: [String] = []

  @Option(
    help: ArgumentHelp(
      "A tensor that becomes an input: what computes it is left out.", valueName: "name"))
  var from: [String] = []

  @Option(
    help: ArgumentHelp(
      "A tensor that becomes the output, with --from.", valueName: "name"))
  var to: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where the network ends: after a layer, which may be given several times, or before one.",
      valueName: "after=name|before=name"))
  var cut: [String] = []

  @Option(help: ArgumentHelp("A layer to leave out.", valueName: "name"))
  var remove: [String] = []

  @Option(help: "The number of examples of the file; any number if it is left out.")
  var batch: Int?

  @Option(help: "The length of the sequences of the file, if the network takes any length.")
  var length: Int?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write, \(ModelOutput.endings).", valueName: "file"))
  var output: String?

  func validate() throws {
    guard to.isEmpty || !from.isEmpty else { throw ValidationError("--to goes with --from") }
    guard let output else { return }
    try ModelOutput(path: output).check(ModelOutput.Choices(batch: batch, length: length))
  }

  func run() throws {
    let network = try network.network(importing)
    let model = try edited(network.weighted)
    guard let output else {
      for tensor in model.tensors { print(tensor.description.printable) }
      return
    }
    try ModelOutput(path: output).write(
      model, to: output, ModelOutput.Choices(batch: batch, length: length))
  }

  /// The model with all changes.
  private func edited(_ model: Model) throws -> Model {
    var model = model
    var names: [String: String] = [:]
    for text in rename {
      let argument = NamedArgument(text)
      guard let old = argument.name else {
        throw ValidationError("--rename takes OLD=NEW, not \(text.printable)")
      }
      names[old] = argument.value
    }
    if !names.isEmpty { model = try model.renaming(names) }
    for name in addOutput { model = try model.adding(outputs: name) }
    if !from.isEmpty { model = try model.part(from: from, to: to.isEmpty ? nil : to) }
    var ends: [String] = []
    for text in cut {
      let argument = NamedArgument(text)
      switch argument.name {
      case "after": ends.append(argument.value)
      case "before" where cut.count == 1: model = try model.cut(before: argument.value)
      default:
        throw ValidationError("--cut takes after=NAME, any number of times, or before=NAME once")
      }
    }
    if !ends.isEmpty { model = try model.cut(after: ends) }
    if !remove.isEmpty { model = try model.removing(remove) }
    return model
  }
}
