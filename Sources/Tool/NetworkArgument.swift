import ArgumentParser
import Forge
import ForgeModels

/// A network argument: the name of a ready architecture, or a file of its weights.
enum NetworkArgument: ExpressibleByArgument {
  case ready(Architecture)
  case weights(path: String)

  /// The text for help and messages.
  static let help = ArgumentHelp(
    "The name of a ready architecture, or a weight file of one.",
    valueName: "network|file")

  static var allValueStrings: [String] { Architecture.allCases.map(\.rawValue) }

  /// Without a dot or slash, it is always a name, so that a misspelt name is not read as a path.
  init?(argument: String) {
    if let architecture = Architecture(rawValue: argument) {
      self = .ready(architecture)
    } else if argument.contains(where: { "./".contains($0) }) {
      self = .weights(path: argument)
    } else {
      return nil
    }
  }

  /// The network, with the parameters of the file if one is given.
  var model: Model {
    get throws {
      switch self {
      case .ready(let architecture): architecture.model
      case .weights(let path): try RecognizedModel(weights: path).model
      }
    }
  }
}
