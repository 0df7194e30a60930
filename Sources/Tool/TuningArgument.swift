import ArgumentParser
import Forge

/// The argument for the choice of kernels: `costModel`, `measured`, or the path of a record.
enum TuningArgument: ExpressibleByArgument {
  case costModel
  case measured
  case recorded(path: String)

  /// The text for help.
  static let help = ArgumentHelp(
    """
    How kernels are chosen: costModel (by default), measured (timed now), or the path of a \
    record from --save-tuning.
    """,
    valueName: "way|file")

  static var allValueStrings: [String] { ["costModel", "measured"] }

  /// Without a dot or slash, it is always a mode, so that a misspelled mode is not read as a path.
  init?(argument: String) {
    switch argument {
    case "costModel": self = .costModel
    case "measured": self = .measured
    case _ where argument.contains { "./".contains($0) }: self = .recorded(path: argument)
    default: return nil
    }
  }

  /// The corresponding option of a compile.
  var tuning: CompileOptions.Tuning {
    get throws {
      switch self {
      case .costModel: return .costModel
      case .measured: return .measured
      case .recorded(let path):
        return .recorded(try ArgumentFile.value(at: path, as: "a tuning record"))
      }
    }
  }
}
