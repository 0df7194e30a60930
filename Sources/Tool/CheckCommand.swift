import ArgumentParser
import Forge
import ForgeImporters
import ForgeToolSupport
import Foundation

/// Imports, compiles and predicts once, and says what does not work.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Says whether a model works: imports it, compiles it, predicts, compares.",
    discussion: """
      The prediction is of seeded random numbers. A small network is compared with the reference \
      executor, which computes in double precision. The exit code is 1 when something does not \
      work, and the lines name it.

      EXAMPLES
        forge check net.onnx
        forge check net.onnx --size image=1x3x224x224
      """)

  @Argument(help: NetworkArgument.help)
  var network: NetworkArgument

  @OptionGroup var importing: ImportArguments

  @Option(
    help: ArgumentHelp(
      "Networks of more multiply-adds than this are not compared.", valueName: "count"))
  var compareUpTo = 100_000_000

  func run() throws {
    let network: Network
    do { network = try self.network.network(importing) } catch let error as ImportError {
      print("\(error)")
      throw ExitCode.failure
    }
    let model = network.model
    print("imported   \(ModelFacts(model).line)")
    do {
      let isSmall = model.multiplyAdds <= compareUpTo
      var options = CompileOptions()
      if isSmall { options.verify = .samples(1) }
      options.maximumBatch = 1
      let compiled = try network.compiled(options)
      print(
        "compiled   \(compiled.report.steps.count) steps, "
          + (network.isRandom ? "seeded random weights" : "its own weights"))
      let outputs = try predict(compiled)
      print("predicted  \(outputs.joined(separator: ", "))")
      guard let verification = compiled.report.verification else {
        return print("compared   not: more than \(compareUpTo) multiply-adds")
      }
      let worst = verification.errors.map(\.relativeL2).max() ?? 0
      print(String(format: "compared   relative L2 %.2e of the reference executor", worst))
    } catch {
      print("\(error)")
      throw ExitCode.failure
    }
  }

  /// Predicts seeded random numbers; returns the outputs in words.
  private func predict(_ network: CompiledModel) throws -> [String] {
    let predictions = try network.predict(try SeededInputs.values(for: network))
    return network.outputNames.compactMap { name in
      predictions[name].map { tensor in
        let bad = tensor.values.filter { !$0.isFinite }.count
        return "\(name) \(tensor.shape)"
          + (bad > 0 ? " with \(bad) values that are not finite" : "")
      }
    }
  }
}

/// The numbers of a model in one line or several.
struct ModelFacts {
  let layers: Int
  let parameters: Int
  let multiplyAdds: Int

  init(_ model: Model) {
    let inference = Inference(model)
    layers = inference.nodes.filter { !$0.isInput }.count
    parameters = inference.parameterCount
    multiplyAdds = inference.multiplyAdds
  }

  var line: String {
    "\(layers) layers, \(parameters) parameters, \(multiplyAdds) multiply-adds"
  }
}

/// Seeded random values for the inputs of a network.
enum SeededInputs {
  /// The size of an axis that takes any.
  private static let anySize = 64

  /// Values in −1…1 for each input by its name; sizes that are not known get a usual one.
  static func values(for network: CompiledModel) throws -> [String: TensorValues] {
    var random = SplitMix64(seed: 1)
    var values: [String: TensorValues] = [:]
    for (name, shape) in zip(network.inputNames, network.inputShapes) {
      let sizes = shape.dimensions.map { $0 ?? anySize }
      guard let count = Shape.product(of: sizes) else {
        throw ValidationError("the input \"\(name)\" is too large")
      }
      values[name] = TensorValues(
        shape: Shape(sizes: sizes), values: (0..<count).map { _ in random.nextSymmetric() })
    }
    return values
  }
}
