import Forge
import ForgeExporters
import ForgeImporters
import ForgeModels
import ForgeTestSupport
import Foundation

/// Writes networks as Swift source, with inputs and Forge's own results, for
/// Scripts/checks/swift-source, which compiles and runs all of them.
///
/// Arguments: the folder of the source, the folder of the weights and numbers, the folder of the
/// fixtures of the importers, and how many of those files stand for one that is compiled.
@main
struct WrittenSources {
  let sources: String
  let data: String
  let fixtures: String
  let every: Int
  /// The lines of the list of networks.
  var cases: [String] = []
  /// What was refused, by its reason.
  var refusals: [String: Int] = [:]
  /// How many files of each kind were read, can be written, and are compiled.
  var counts: [String: (read: Int, written: Int, compiled: Int)] = [:]
  /// The lines of the function that checks interfaces, and functions beside it.
  var interfaces: [String] = []
  var helpers: [String] = []
  var interfaceCount = 0

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let every = Int(arguments[4]), every > 0 else {
      fatalError("WrittenSources SOURCES DATA FIXTURES EVERY")
    }
    var run = WrittenSources(
      sources: arguments[1], data: arguments[2], fixtures: arguments[3], every: every)
    try run.ownNetworks()
    try run.layerCases()
    try run.readyNetworks()
    try run.files()
    try run.finish()
  }

  // MARK: Networks

  mutating func ownNetworks() throws {
    let image = Input(width: 28, height: 28, channels: 1, name: "image")
    try add(
      "LeNet",
      Model(
        input: image,
        output: image --> Convolution(kernel: 5, channels: 20, activation: .relu, name: "conv1")
          --> MaxPooling(2) --> Convolution(kernel: 5, channels: 50, name: "conv2")
          --> ReLU() --> MaxPooling(2) --> Dense(neurons: 320, activation: .relu, name: "fc1")
          --> Dense(neurons: 10, name: "fc2") --> Softmax()))
    try add("Residual", Self.residual())
    let tokens = Input(shape: [12, 16], name: "tokens")
    var encoder = tokens --> PositionalEncoding()
    for index in 0..<12 {
      encoder = encoder --> TransformerEncoder(heads: 4, hidden: 24).named("layer\(index)")
    }
    try add("Encoder", Model(input: tokens, output: encoder --> LayerNormalization(name: "norm")))
    let steps = Input(shape: [.upTo(9), 5], name: "steps")
    try add(
      "Reader",
      Model(
        input: steps,
        output: steps --> LSTM(units: 6, returnSequences: true, peepholes: true, name: "first")
          --> Bidirectional(GRU(units: 4, form: .pytorch), merge: .average, name: "second")
          --> Dense(neurons: 3, name: "out")))
    // One layer in two places, names that must be escaped, and two outputs.
    let (a, b) = (Input(shape: [4], name: "a \"quoted\""), Input(shape: [4], name: "class"))
    let shared = Dense(neurons: 3, name: "shared \\ \u{202E}layer")
    let (x, y) = (a --> shared, b --> shared)
    try add(
      "Sharing", Model(inputs: [a, b], outputs: [x + y, [x, y] --> Concatenate(name: "in")]))
  }

  static func residual() -> Model {
    let image = Input(width: 16, height: 16, channels: 3, name: "image")
    var x = image --> Convolution(kernel: 3, channels: 8, name: "stem")
    for index in 1...6 {
      let y =
        x --> Convolution(kernel: 3, channels: 8, useBias: false, name: "block\(index).conv1")
        --> BatchNormalization(name: "block\(index).norm1") --> ReLU()
        --> Convolution(kernel: 3, channels: 8, useBias: false, name: "block\(index).conv2")
        --> BatchNormalization(name: "block\(index).norm2")
      x = [x, y] --> Add() --> ReLU()
    }
    return Model(
      input: image,
      output: x --> GlobalAveragePooling() --> Dense(neurons: 5, name: "classes") --> Softmax())
  }

  mutating func layerCases() throws {
    for (index, layer) in LayerCase.all.enumerated() {
      for (place, (_, network)) in layer.networks.enumerated() {
        let image = Input(width: 5, height: 4, channels: 6, name: "x")
        let model = Model(input: image, output: network(image, 6, 5))
        guard (try? model.check()) != nil else { continue }
        try add("Case\(index)Number\(place)", model, kind: "layer cases")
      }
    }
  }

  mutating func readyNetworks() throws {
    let models: [(String, Model)] = [
      ("MobileNetOne", .mobileNetV1(alpha: 0.25, size: 96, classes: 11)),
      ("MobileNetTwo", .mobileNetV2(alpha: 0.35, size: 96, classes: 11)),
      ("SqueezeNetOne", .squeezeNet()), ("TinyYolo", .tinyYOLOV2()),
    ]
    for (name, model) in models { try add(name, model, kind: "ready architectures") }
    // Too large to run for a check; their source is made.
    for (_, model) in [("", Model.resNet50()), ("", .inceptionV3()), ("", .vgg16())] {
      count("ready architectures", isWritten: (try? model.swiftSource()) != nil)
    }
  }

  mutating func files() throws {
    guard let all = FileManager.default.enumerator(atPath: fixtures) else { return }
    let paths = all.compactMap { $0 as? String }.sorted()
    for (index, path) in paths.enumerated() {
      let kind = (path as NSString).pathExtension
      guard ["onnx", "keras", "h5", "json", "mlmodel", "mlpackage", "cfg"].contains(kind),
        !path.contains(".mlpackage/"),
        let imported = try? ModelFile(fixtures + "/" + path).imported()
      else { continue }
      let name = "File\(index)"
      try add(name, imported.model, kind: kind, isCompiled: index.isMultiple(of: every))
      if index.isMultiple(of: 8 * every) || path.hasPrefix("CoreML/") {
        try addInterface("Interface\(index)", imported.model, path)
      }
    }
  }

  /// Writes the typed interface of a file, and a function that compares its results.
  mutating func addInterface(_ name: String, _ model: Model, _ path: String) throws {
    let options = SwiftInterfaceOptions(name: name)
    guard let text = try? model.swiftInterface(options: options),
      let network = try? model.compile(), network.stateNames.isEmpty
    else { return }
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(sources)/\(name).swift"))
    // The properties of the inputs, in order.
    let inputs = text.components(separatedBy: "struct Inputs: Sendable {")[1]
      .components(separatedBy: "    /// Creates inputs")[0]
    let properties = inputs.split(separator: "\n").filter { $0.hasPrefix("    var ") }
      .map { $0.dropFirst("    var ".count).components(separatedBy: ": ") }
    var place = 0
    let arguments = properties.filter { $0[1].hasPrefix("[") }.map { property in
      defer { place += 1 }
      let values = property[1] == "[Int]" ? "values[\(place)].map { Int($0) }" : "values[\(place)]"
      return "\(property[0]): \(values)"
    }
    let integers = properties.filter { $0[1].hasPrefix("[") }.enumerated()
      .filter { $0.element[1] == "[Int]" }
      .map { "    values[\($0.offset)] = values[\($0.offset)].map { $0.rounded(.towardZero) }" }
    let literal = String(reflecting: path)
    // Open sizes are the largest ones.
    let inference = try model.inferred()
    let sizes = inference.inputs.map { index in
      (inference.nodes[index].shape?.dimensions ?? []).map { $0 ?? 1 }
    }
    interfaces += [
      "  failures += await check(\(literal), \(sizes)) { path, values in",
      "    let net = try \(name)(contentsOf: path)",
      "    \(integers.isEmpty ? "let" : "var") values = try values(\(sizes))",
    ]
    interfaces += integers
    interfaces += [
      "    let inputs = \(name).Inputs(\(arguments.joined(separator: ", ")))",
      "    return (net.network, values, try direct(net, inputs), try await awaited(net, inputs))",
      "  }",
    ]
    helpers += [
      "private func direct(_ net: \(name), _ inputs: \(name).Inputs) throws -> Any {",
      "  try net.predict(inputs)", "}",
      "private func awaited(_ net: \(name), _ inputs: \(name).Inputs) async throws -> Any {",
      "  try await net.predict(inputs)", "}",
    ]
    interfaceCount += 1
  }

  // MARK: Writing

  mutating func count(_ kind: String, isWritten: Bool, isCompiled: Bool = false) {
    counts[kind, default: (0, 0, 0)].read += 1
    if isWritten { counts[kind, default: (0, 0, 0)].written += 1 }
    if isCompiled { counts[kind, default: (0, 0, 0)].compiled += 1 }
  }

  /// Writes one network with its inputs and results.
  mutating func add(
    _ name: String, _ model: Model, kind: String = "networks", isCompiled: Bool = true
  ) throws {
    var model = model
    if model.parameters == nil { model.parameters = RandomParameters(seed: 3) }
    do {
      _ = try model.swiftSource()
    } catch let error as ExportError {
      for problem in error.problems {
        let reason = problem.details.first { $0.label == "received" }?.text ?? problem.headline
        let type = problem.layer.map { " (\($0.typeName))" } ?? ""
        refusals["\(kind): \(reason)\(type)", default: 0] += 1
      }
      count(kind, isWritten: false)
      return
    } catch is CompileError {
      return
    }
    guard isCompiled, let (inputs, outputs) = try? results(model) else {
      count(kind, isWritten: true)
      return
    }
    count(kind, isWritten: true, isCompiled: true)
    let options = SwiftOptions(name: name)
    let paths = try model.write(swift: data, options: options)
    let source = "\(sources)/\(name).swift"
    try? FileManager.default.removeItem(atPath: source)
    try FileManager.default.moveItem(atPath: paths[0], toPath: source)
    try write(inputs, to: "\(data)/\(name).inputs")
    try write(outputs, to: "\(data)/\(name).outputs")
    let hasWeights = paths.count > 1
    cases.append(
      hasWeights
        ? "  Case(\"\(name)\") { try \(name).compiled(weights: $0 + \"/\(name).safetensors\") },"
        : "  Case(\"\(name)\") { _ in try \(name).compiled() },")
  }

  /// The values of all inputs and outputs, one after the other.
  func results(_ model: Model) throws -> (inputs: [Float], outputs: [Float]) {
    let network = try model.compile()
    var seed: UInt64 = 5
    var error: any Error = CancellationError()
    // What stands for indices must be whole and small.
    for scale in [0, 3, 1] as [Float] {
      var inputs: [String: TensorValues] = [:]
      var all: [Float] = []
      for (name, shape) in zip(network.inputNames, network.inputShapes) {
        guard let count = shape.elementCount, count < 1 << 20 else { throw error }
        seed += 1
        var values = seededValues(count: count, seed: seed)
        if scale > 0 {
          values = values.map { ($0 * 100).rounded().truncatingRemainder(dividingBy: scale) }
          values = values.map(abs)
        }
        inputs[name] = TensorValues(shape: shape, values: values)
        all += values
      }
      do {
        let predictions = try network.predict(inputs)
        return (all, network.outputNames.flatMap { predictions[$0]?.values ?? [] })
      } catch let failure {
        error = failure
      }
    }
    throw error
  }

  func write(_ values: [Float], to path: String) throws {
    let bytes = values.withUnsafeBytes { Data($0) }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  func finish() throws {
    let list = ["let cases: [Case] = ["] + cases + ["]", ""]
    try Data(list.joined(separator: "\n").utf8)
      .write(to: URL(fileURLWithPath: sources + "/Cases.swift"))
    let checks =
      ["func checkInterfaces(_ fixtures: String) async throws -> Int {", "  var failures = 0"]
      + interfaces.map { $0.replacingOccurrences(of: "check(\"", with: "check(fixtures + \"/") }
      + [
        "  print(\"\(interfaceCount) typed interfaces, \\(failures) differ\")", "  return failures",
      ]
      + ["}", ""] + helpers + [""]
    try Data(checks.joined(separator: "\n").utf8)
      .write(to: URL(fileURLWithPath: sources + "/Interfaces.swift"))
    for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
      print(
        "\(kind): \(count.read) read, \(count.written) can be written, \(count.compiled) compiled")
    }
    for (reason, count) in refusals.sorted(by: { $0.value > $1.value }) {
      print("  refused \(count)  \(reason)")
    }
  }
}
