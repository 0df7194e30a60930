import ArgumentParser
import Forge
import ForgeExporters
import ForgeHub
import ForgeImporters
import ForgeToolSupport
import FoundationEssentials

/// Finds the layers that may compute with integers, from samples, and writes them as a table or as
/// a model file.
struct QuantizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quantize",
    abstract: "Finds from samples which layers can compute with 8-bit integers.",
    discussion: """
      The samples are .npy arrays or pictures in a folder if the model has one input, otherwise \
      folders with NAME.npy for each input. For a folder of the Hub that takes texts, they can be \
      the lines of a file. Layers stay in Float32 if they are not faster on integers here, or if \
      they would move the outputs beyond the bound. The output is an ONNX file with integers in \
      place of floats, which runs everywhere, or a table in JSON for --quantization of the other \
      commands and for CompileOptions in Swift. Of a folder of the Hub, only a table can be \
      written.

      EXAMPLES
        forge quantize net.onnx --calibrate photos/ --preset torch -o net.int8.onnx
        forge quantize net.onnx --calibrate photos/ --preset torch --bound 0.02 -o net.int8.json
        forge run net.onnx --quantization net.int8.json --input cat.jpg --preset torch
        forge quantize all-MiniLM-L6-v2 --lines texts.txt --bound 0.02 -o int8.json
        forge embed all-MiniLM-L6-v2 "Swallows leave." --quantization int8.json
      """)

  @Argument(help: NetworkArgument.help, completion: .file())
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments
  @OptionGroup var pictures: PictureArguments

  @Option(
    help: ArgumentHelp("The folder of the samples.", valueName: "folder"), completion: .directory)
  var calibrate: String?

  @Option(
    help: ArgumentHelp(
      "A file with a sample text on each line, for a folder of the Hub.", valueName: "file"),
    completion: .file())
  var lines: String?

  @Option(help: "The largest relative L2 error of an output, over all samples.")
  var bound = 0.01

  @Option(help: CalibrationArgument.help)
  var method = CalibrationArgument(method: .minimumAndMaximum)

  @Flag(help: "Use integers even in layers that are not faster with them.")
  var evenIfSlower = false

  @Option(help: "Threads per prediction; may exceed the number of cores.")
  var threads = 1

  @Option(help: "The largest number of samples to use.")
  var most = 100

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Where to write the network, NAME.onnx, or the table as JSON.", valueName: "file"))
  var output: String?

  func validate() throws {
    try CompileOptions.Threads.check(threads)
    guard (calibrate == nil) != (lines == nil) else {
      throw ValidationError("give --calibrate with a folder of samples, or --lines with texts")
    }
    guard bound > 0, bound.isFinite else { throw ValidationError("bound must be above 0") }
    guard most > 0 else { throw ValidationError("most must be 1 or more") }
  }

  func run() throws {
    let network = try self.network.network(importing)
    let files = try calibrate.map { try sampleFiles(in: $0) } ?? []
    let compiled = try network.compiled(
      CompileOptions(threads: .exactly(threads)), tellsOfRandom: true)
    let opened = OpenedNetwork(network)
    let run = NetworkRun(network.imported) { compiled }
    var samples = try lines.map { try inputs(ofTextsIn: $0) } ?? []
    for (index, file) in files.prefix(most).enumerated() {
      samples += try run.examples(try given(in: file, opened))
      Progress.count(index + 1, of: min(files.count, most), "sample")
    }
    let quantized = try Progress.during("quantizing") {
      try compiled.quantized(
        calibration: samples, bound: bound, method: method.method, onlyFaster: !evenIfSlower)
    }
    print(quantized)
    if let output { try write(quantized.table, of: network, to: output) }
  }

  private func write(
    _ table: QuantizationTable, of network: Network, to output: String
  ) throws {
    guard output.hasSuffix(".onnx") else {
      return try ArgumentFile.write(table, to: output)
    }
    var model = network.model
    model.parameters = network.parameters
    try Progress.during("writing \(output)") {
      try model.write(onnx: output, options: ONNXOptions(quantization: table))
    }
  }

  /// The inputs of the network for the first texts of a file.
  ///
  /// - Throws: `ValidationError` if the network is not that of a folder of the Hub; `HubError`,
  ///   including for a network that does not take texts.
  private func inputs(ofTextsIn file: String) throws -> [[String: TensorValues]] {
    guard case .file(let path) = network, ArgumentFile.isHubFolder(path) else {
      throw ValidationError("--lines is for folders of the Hub")
    }
    let hub = try HubModel(contentsOf: path)
    return try TextArguments.lines(of: file).prefix(most).map { text in
      let encoded = try hub.encode(text)
      func values(_ numbers: [Int32]) -> TensorValues {
        TensorValues(shape: Shape(sizes: [numbers.count]), values: numbers.map(Float.init))
      }
      var inputs = ["input_ids": values(encoded.ids)]
      if hub.inputs.contains(.types) { inputs["token_type_ids"] = values(encoded.typeIDs) }
      return inputs
    }
  }

  /// The files and folders of the samples, in the order of their names.
  private func sampleFiles(in calibrate: String) throws -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: calibrate) else {
      throw ValidationError("\(calibrate.printable) is not a folder that can be read")
    }
    let paths = names.filter { !$0.hasPrefix(".") }.sorted().map { "\(calibrate)/\($0)" }
    let samples = paths.filter { path in
      let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
      return ["npy", "jpg", "jpeg", "png", "ppm"].contains(ending) || ArgumentFile.isFolder(path)
    }
    guard !samples.isEmpty else {
      throw ValidationError(
        "\(calibrate.printable) has no .npy file, no picture and no folder of them")
    }
    return samples
  }

  /// The inputs of a sample.
  private func given(
    in path: String, _ network: OpenedNetwork
  ) throws -> [String: NetworkRun.Given] {
    let names = network.interface.inputs.map(\.name)
    guard ArgumentFile.isFolder(path) else {
      guard names.count == 1, let name = names.first else {
        throw ValidationError(
          "the model has \(names.count) inputs, so a sample is a folder with NAME.npy for each"
        )
      }
      return [name: try pictures.values(of: name, path, network)]
    }
    var given: [String: NetworkRun.Given] = [:]
    for name in names {
      let file = "\(path)/\(name).npy"
      // The name of an input may lead out of the folder.
      guard !name.contains("/"), FileManager.default.fileExists(atPath: file) else { continue }
      given[name] = try pictures.values(of: name, file, network)
    }
    return given
  }
}

/// The argument for how ranges follow from samples.
struct CalibrationArgument: ExpressibleByArgument {
  static let help = ArgumentHelp(
    "How ranges follow from samples: minmax, entropy, or a percentile such as 99.9.",
    valueName: "minmax|entropy|percentile")

  static let allValueStrings = ["minmax", "entropy", "99.99"]

  let method: CalibrationMethod

  var defaultValueDescription: String { "minmax" }

  init(method: CalibrationMethod) { self.method = method }

  init?(argument: String) {
    switch argument {
    case "minmax": method = .minimumAndMaximum
    case "entropy": method = .entropy
    default:
      guard let share = Double(argument), share > 0, share <= 100 else { return nil }
      method = .percentile(share)
    }
  }
}
