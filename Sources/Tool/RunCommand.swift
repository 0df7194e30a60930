import ArgumentParser
import Forge
import ForgeImporters
import ForgeSystem
import ForgeToolSupport
import FoundationEssentials

/// Predicts from arrays or pictures, in the axes and element types of the file.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Predicts from .npy arrays or pictures, with the axes and types of the model file.",
    discussion: """
      Inputs have the sizes of the file, with or without the axis of the batch, or the order \
      height × width × channels if these do not fit. Outputs have the sizes, the axis order and \
      the element type of the file. Without --output, a line per output is printed.

      EXAMPLES
        forge run net.onnx --input x.npy --output y.npy
        forge run net.onnx --input image=x.npy --input size=s.npy --output results/
        forge run net.h5 --input cat.jpg --preset caffe --labels imagenet.txt
        forge run net.forge --input x.npy --output y.npy
        forge run yolo.cfg --weights yolo.weights --input dog.jpg --preset unitRange --output y.npy
      """)

  @Argument(help: NetworkArgument.openedHelp, completion: .file())
  var network: NetworkArgument?

  @OptionGroup var importing: ImportArguments
  @OptionGroup var inputs: InputArguments
  @OptionGroup var integers: QuantizationArgument
  @OptionGroup var caching: CacheArguments

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Where to write the only output as .npy, or a folder that gets NAME.npy for each.",
      valueName: "npy|folder"))
  var output: String?

  @Flag(help: "The first axis of the inputs counts examples.")
  var batch = false

  @Option(help: "Threads per prediction; may exceed the number of cores.")
  var threads: Int?

  @Option(help: LabelsFile.help)
  var labels: String?

  @Option(help: "How many of the largest values of a class output to print.")
  var top = 5

  @Option(help: .hidden)
  var list: String?

  func validate() throws {
    try CompileOptions.Threads.check(threads)
    guard (network == nil) != (list == nil) else { throw ValidationError("give a network") }
    guard top >= 0 else { throw ValidationError("top must be 0 or more") }
  }

  private var options: CompileOptions {
    get throws {
      var options = CompileOptions(
        quantization: try integers.table, cache: caching.cache)
      if let threads { options.threads = .exactly(threads) }
      return options
    }
  }

  func run() throws {
    if let list { return try runAll(of: list) }
    guard let argument = network else { return }
    let network = try argument.opened(
      importing,
      NetworkOptions(try options, threads: threads, given: integers.given + caching.given))
    let given = try inputs.given(network)
    // Mistakes in the inputs are reported before the weights are read.
    let names = try labels.map { try LabelsFile.names(at: $0) } ?? network.metadata.labels
    let files = try output.map { path in
      try OutputFiles(at: path, for: network.interface.outputNames)
    }
    let run = try NetworkRun(network.interface, metadata: network.metadata) {
      try network.compiled(tellsOfRandom: true)
    }
    if let labels { try run.checkLabels(names.count, of: labels) }
    if let files { try Self.prepare(files) }
    let examples = try run.examples(given, isBatch: batch)
    var results: [[TensorValues]] = []
    for (index, example) in examples.enumerated() {
      results += try run.results([example])
      if examples.count > 1 { Progress.count(index + 1, of: examples.count, "example") }
    }
    let arrays = try run.arrays(of: results, isBatch: batch)
    if let files { try Self.write(arrays, to: files) }
    if output == nil || inputs.hasPicture || labels != nil {
      describe(arrays, results, labels: names)
    }
  }

  // MARK: Results

  /// Creates the folder of the outputs, if they go to one.
  private static func prepare(_ files: OutputFiles) throws {
    guard let folder = files.folder else { return }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw ToolError(
        .wrongOutput, "the folder \(folder) cannot be created",
        received: FileManager.default.isWritableFile(atPath: parent(of: folder))
          ? "a path through a file" : "no permission to write in \(parent(of: folder))")
    }
  }

  /// The nearest folder above a path that exists.
  private static func parent(of path: String) -> String {
    var parts = path.split(separator: "/").map(String.init)
    let root = path.hasPrefix("/") ? "/" : "./"
    while !parts.isEmpty {
      parts.removeLast()
      let parent = root + parts.joined(separator: "/")
      if FileManager.default.fileExists(atPath: parent) { return parent }
    }
    return root
  }

  private static func write(
    _ arrays: [(name: String, array: StoredTensor)], to files: OutputFiles
  ) throws {
    for (file, (_, array)) in zip(files.files, arrays) {
      try array.write(to: file.path)
      if file.isRenamed { Progress.note("\(file.path) holds the output \"\(file.output)\"") }
    }
  }

  private func describe(
    _ arrays: [(name: String, array: StoredTensor)], _ results: [[TensorValues]], labels: [String]
  ) {
    for (index, (name, array)) in arrays.enumerated() {
      let values = array.floats
      let mean = values.reduce(0) { $0 + Double($1) } / Double(max(values.count, 1))
      let range = values.isEmpty ? "" : "  \(values.min() ?? 0) to \(values.max() ?? 0)"
      let middle = values.isEmpty ? "" : "  mean \(Float(mean))"
      print(
        "\(name.printable)  \(StoredTensor.text(of: array.sizes))  "
          + "\(array.elementType.rawValue)\(range)\(middle)")
      for (example, values) in results.enumerated() where values.indices.contains(index) {
        let sizes = values[index].shape.sizes ?? []
        // Only vectors are outputs of classes.
        guard sizes.filter({ $0 > 1 }).count == 1 else { continue }
        if results.count > 1 { print("  example \(example)") }
        let fitting = labels.count == values[index].values.count ? labels : []
        for ranked in values[index].top(k: top, labels: fitting) { print("  \(ranked)") }
      }
    }
  }

  // MARK: Lists

  /// Runs every case of a list and prints one JSON object per case.
  private func runAll(of path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ValidationError("\(path.printable) cannot be read")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let cases = try CaseList(json: data).cases
    for (index, entry) in cases.enumerated() {
      let outcome = CaseList.run(entry, options: try options, limits: importing.limits)
      ToolOutput.write(json: try encoder.encode(outcome))
      StandardOutput.flush()
      Progress.count(index + 1, of: cases.count, "case")
    }
  }
}
