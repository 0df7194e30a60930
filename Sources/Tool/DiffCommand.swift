import ArgumentParser
import Forge
import ForgeImporters
import ForgeSystem
import ForgeToolSupport
import FoundationEssentials

/// Compares two networks layer by layer on the same input.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two networks layer by layer on the same input.",
    discussion: """
      Layers are matched by name; case, separators and \":0\" do not count. Outputs are matched by \
      position. Without --input, seeded random numbers are predicted. The exit code is 1 when an \
      output differs by more than the bound.

      EXAMPLES
        forge diff net.onnx net.h5 --input x.npy
        forge diff net.onnx net.onnx --precision-b int8
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var first: NetworkArgument

  @Argument(help: NetworkArgument.help, completion: .file())
  var second: NetworkArgument

  @OptionGroup var importing: ImportArguments
  @OptionGroup var inputs: InputArguments

  @Option(help: ArgumentHelp("The weights of the second network.", valueName: "file"))
  var weightsB: String?

  @Option(help: "The precision of the second network: float32, half-weights, bfloat16 or int8.")
  var precisionB = CompileOptions.Precision.float32

  @Option(help: "The largest relative difference (L2) of an output.")
  var bound = 1e-3

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard bound >= 0, bound.isFinite else {
      throw ValidationError("bound must be a finite number, 0 or more")
    }
  }

  func run() throws {
    var importingB = importing
    importingB.weights = weightsB
    let (a, b) = (try first.network(importing), try second.network(importingB))
    let difference = NetworkDifference(
      try side(a, .float32), try side(b, precisionB))
    json ? try printObject(difference) : printTable(difference)
    if !(difference.worstOutput <= bound) { throw ExitCode.failure }
  }

  private func side(
    _ network: Network, _ precision: CompileOptions.Precision
  ) throws -> NetworkDifference.Side {
    let given =
      inputs.input.isEmpty
      ? try network.imported.seededInputs() : try inputs.given(OpenedNetwork(network))
    let side = try Progress.compiling(network.title) {
      try NetworkDifference.Side(
        network.imported, options: CompileOptions(maximumBatch: 1, precision: precision),
        parameters: network.parameters, given: given)
    }
    Progress.tell(of: side.precision, inPlaceOf: precision)
    return side
  }

  private func printTable(_ difference: NetworkDifference) {
    print("relative L2  largest difference  layer")
    for row in difference.rows {
      var numbers = "          -                   -  "
      if let relative = row.relativeL2, let maximum = row.maximum {
        numbers = String(format: "%11.2e  %18.2e  ", relative, maximum)
      }
      let names =
        row.other.map { "\(row.layer.printable) and \($0.printable)" } ?? row.layer.printable
      let shapes = row.otherShape.map { "\(row.shape) and \($0)" } ?? row.shape
      print("\(numbers)\(row.isOutput ? "output " : "")\(names)  \(shapes)")
    }
    for (names, which) in [(difference.onlyFirst, "first"), (difference.onlySecond, "second")]
    where !names.isEmpty {
      let more = names.count > 8 ? ", …" : ""
      let shown = names.prefix(8).map(\.printable).joined(separator: ", ")
      print("only in the \(which): \(shown)\(more) (\(names.count))")
    }
  }

  private func printObject(_ difference: NetworkDifference) throws {
    struct Object: Encodable {
      let layers: [NetworkDifference.Row]
      let onlyFirst, onlySecond: [String]
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let object = Object(
      layers: difference.rows, onlyFirst: difference.onlyFirst, onlySecond: difference.onlySecond)
    ToolOutput.write(json: try encoder.encode(object))
  }
}
