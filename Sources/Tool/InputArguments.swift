import ArgumentParser
import Forge
import ForgeImporters
import ForgeToolSupport
import FoundationEssentials

/// The arguments of the commands that predict: arrays and pictures for the inputs.
struct InputArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      An array as .npy or a picture (JPEG, PNG, PPM) for an input; the name may be left out when \
      there is one input.
      """, valueName: "[name=]file"))
  var input: [String] = []

  @OptionGroup var pictures: PictureArguments

  /// Whether a picture is among the inputs.
  var hasPicture: Bool {
    input.contains { !PictureArguments.isArray(NamedArgument($0).value) }
  }

  /// The values of the inputs by their names in the file.
  func given(_ network: OpenedNetwork) throws -> [String: NetworkRun.Given] {
    let interface = network.interface
    let names = interface.inputs.map(\.name) + interface.ignoredInputs
    var given: [String: NetworkRun.Given] = [:]
    for text in input {
      let argument = NamedArgument(text, names: names)
      if argument.name == nil, let wrong = NamedArgument(text).name,
        !FileManager.default.fileExists(atPath: text)
      {
        throw ToolError.noInput(wrong, known: names)
      }
      let name: String
      if let givenName = argument.name {
        name = givenName
      } else if names.count == 1, let only = names.first {
        name = only
      } else {
        throw ValidationError(
          "--input \(text.printable) needs NAME= before it: the model has the inputs "
            + names.map { "\"\($0.printable)\"" }.joined(separator: ", "))
      }
      guard given[name] == nil else {
        throw ValidationError("the input \"\(name.printable)\" is given twice")
      }
      guard !interface.ignoredInputs.contains(name) else { continue }
      given[name] = try pictures.values(of: name, argument.value, network)
    }
    return given
  }
}
