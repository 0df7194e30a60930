import ArgumentParser
import Forge
import ForgeModels

/// A network as commands take it: the name of a ready architecture, or a file of its weights.
enum NetworkArgument: ExpressibleByArgument {
  case ready(Architecture)
  case weights(path: String)

  /// What help and messages say.
  static let help = ArgumentHelp(
    "The name of a ready architecture, or a weight file of one.",
    valueName: "network|file")

  static var allValueStrings: [String] { Architecture.allCases.map(\.rawValue) }

  /// A word without a dot or slash is a name, which a misspelt one must not turn into a file.
  init?(argument: String) {
    if let architecture = Architecture(rawValue: argument) {
      self = .ready(architecture)
    } else if argument.contains(where: { "./".contains($0) }) {
      self = .weights(path: argument)
    } else {
      return nil
    }
  }

  /// The network, with the file's parameters where it is given by a file.
  var model: Model {
    get throws {
      switch self {
      case .ready(let architecture): architecture.model
      case .weights(let path): try RecognizedModel(weights: path).model
      }
    }
  }
}
