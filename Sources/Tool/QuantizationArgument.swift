import ArgumentParser
import Forge

/// The argument for a table that `forge quantize` has written.
struct QuantizationArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compute with 8-bit integers, using a table from `forge quantize`.", valueName: "file"))
  var quantization: String?

  /// The argument, if it is given.
  var given: [String] { GivenArguments.names(["quantization": quantization]) }

  /// The table; `nil` if none is given.
  var table: QuantizationTable? {
    get throws {
      try quantization.map { try ArgumentFile.value(at: $0, as: "a table of forge quantize") }
    }
  }
}
