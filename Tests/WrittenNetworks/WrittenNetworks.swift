import Forge
import ForgeExporters
import ForgeTestSupport
import Foundation

/// Writes the networks of all layer cases as ONNX, Keras or Core ML files, with inputs and Forge's
/// own results, for Scripts/checks/onnx-files, keras-files and coreml-files, which run them
/// elsewhere.
///
/// Arguments: the folder to write to, and the format, `onnx` if it is left out.
@main
struct WrittenNetworks {
  /// One network for the script.
  struct Record: Codable {
    let name: String
    let file: String
    /// The sizes of the network's input and outputs, without examples.
    let input: [Int]
    let outputs: [String: [Int]]
    /// Whether it computes with integers.
    var isQuantized = false
    /// Why it was refused.
    let refused: String?
  }

  static let examples = 2
  /// The formats of files.
  enum Format: String { case onnx, keras, coreml }

  static let sizes = [(5, 4, 6), (1, 1, 6), (3, 7, 1)]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let folder = arguments.first,
      let format = Format(rawValue: arguments.dropFirst().first ?? "onnx")
    else { fatalError("WrittenNetworks FOLDER [onnx|keras|coreml]") }
    var records: [Record] = []
    for (index, layer) in LayerCase.all.enumerated() {
      for (place, (name, network)) in layer.networks.enumerated() {
        for (number, (width, height, channels)) in sizes.enumerated() {
          let title = "\(layer) \(name) \(width)×\(height)×\(channels)"
          let file = "\(index)_\(place)_\(number)"
          let input = Input(width: width, height: height, channels: channels, name: "x")
          var model = Model(input: input, output: network(input, channels, 5))
          guard (try? model.check()) != nil else { continue }
          model.parameters = RandomParameters(seed: UInt64(index))
          records.append(try record(model, title, file, as: format, in: folder))
        }
      }
    }
    for (index, seed) in (0..<4).enumerated() where format == .onnx {
      records.append(try quantized(seed: UInt64(seed), "quantized_\(index)", in: folder))
    }
    let json = try JSONEncoder().encode(records)
    try json.write(to: URL(fileURLWithPath: folder + "/networks.json"))
    print("\(records.count) networks, of which \(records.count { $0.refused != nil }) are refused")
  }

  static func record(
    _ model: Model, _ title: String, _ file: String, as format: Format, in folder: String
  ) throws -> Record {
    let shape = model.inputs[0].shape ?? Shape([])
    let sizes = shape.sizes ?? []
    do {
      switch format {
      case .onnx: try model.write(onnx: "\(folder)/\(file).onnx")
      case .keras: try model.write(keras: "\(folder)/\(file).keras")
      case .coreml: try model.write(coreML: "\(folder)/\(file).mlmodel")
      }
    } catch let error as ExportError {
      let reasons = error.problems.compactMap(\.received)
      return Record(
        name: title, file: file, input: sizes, outputs: [:],
        refused: reasons.joined(separator: "; "))
    }
    let network = try model.compile()
    var values: [Float] = []
    var results: [String: [Float]] = [:]
    var outputs: [String: [Int]] = [:]
    for example in 0..<examples {
      let input = seededValues(count: sizes.reduce(1, *), seed: UInt64(example) + 3)
      values += input
      let result = try network.predict(["x": input])
      for tensor in model.tensors where tensor.isOutput {
        results[tensor.name, default: []] += result[tensor.name]?.values ?? []
        outputs[tensor.name] = tensor.shape?.sizes ?? []
      }
    }
    try write(values, to: "\(folder)/\(file).x.raw")
    for (name, values) in results { try write(values, to: "\(folder)/\(file).\(name).raw") }
    return Record(name: title, file: file, input: sizes, outputs: outputs, refused: nil)
  }

  /// A network of integers by calibration, with Forge's results on integers.
  static func quantized(seed: UInt64, _ file: String, in folder: String) throws -> Record {
    let sizes = [[11, 13, 3], [7, 5, 16], [23, 9, 1], [8, 8, 5]][Int(seed) % 4]
    let count = sizes.reduce(1, *)
    let input = Input(width: sizes[1], height: sizes[0], channels: sizes[2], name: "x")
    let first =
      input --> Convolution(kernel: 3, channels: 17, activation: .relu)
      --> BatchNormalization()
    let left =
      first --> DepthwiseConvolution(kernel: 3) --> Activation(seed == 0 ? .swish : .relu6)
      --> Convolution(kernel: 1, channels: 17)
    let output =
      [left, first] --> Add() --> MaxPooling(2)
      --> Convolution(kernel: 3, channels: 29, stride: 2, activation: .leakyReLU(slope: 0.1))
      --> GlobalAveragePooling() --> Dense(neurons: 7, name: "classes")
    var model = Model(input: input, output: output)
    model.parameters = RandomParameters(seed: seed)
    let inputs = (0..<examples).map { seededValues(count: count, seed: seed * 10 + UInt64($0)) }
    let quantized = try model.compile().quantized(
      calibration: inputs + [seededValues(count: count, seed: 99)], bound: 1, onlyFaster: false)
    try model.write(
      onnx: "\(folder)/\(file).onnx", options: ONNXOptions(quantization: quantized.table))
    try write(inputs.flatMap(\.self), to: "\(folder)/\(file).x.raw")
    try write(
      try quantized.network.predict(batch: inputs).flatMap(\.self),
      to: "\(folder)/\(file).classes.raw")
    return Record(
      name: "quantized network \(seed)", file: file, input: sizes, outputs: ["classes": [7]],
      isQuantized: true, refused: nil)
  }

  static func write(_ values: [Float], to path: String) throws {
    try values.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
  }
}
