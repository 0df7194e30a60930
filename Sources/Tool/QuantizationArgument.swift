import ArgumentParser
import Forge
import Foundation

/// The argument for a table that `forge quantize` has written.
struct QuantizationArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Compute with integers of 8 bits by a table of `forge quantize`.", valueName: "file"))
  var quantization: String?

  /// The most bytes of a table that are read.
  private static let mostBytes = 64 << 20

  /// The table; `nil` if none is given.
  var table: QuantizationTable? {
    get throws {
      guard let path = quantization else { return nil }
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      guard let size, let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
        throw ValidationError("\(path) cannot be read")
      }
      guard size <= Self.mostBytes,
        let table = try? JSONDecoder().decode(QuantizationTable.self, from: data)
      else { throw ValidationError("\(path) is not a table of forge quantize") }
      return table
    }
  }
}
