import ArgumentParser
import Forge

/// One line of a list of layers: `NAME KIND WIDTHxHEIGHTxCHANNELS key=value…`.
///
/// Kinds are `convolution`, `depthwise` and `dense`. Keys are `kernel` (3x3 by default),
/// `channels`, `stride`, `dilation`, `groups`, `multiplier`, `padding` (same by default, or valid)
/// and `activation`.
struct LayerLine {
  let name: String
  let model: Model
  /// The bytes of input, output and parameters at the API, each counted once.
  let bytes: Int

  /// Parses the layers of a text; `#` begins a comment.
  static func all(in text: String, path: String) throws -> [LayerLine] {
    try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      number, line in
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
      if words.isEmpty { return nil }
      do { return try LayerLine(words) } catch let error as ValidationError {
        throw ValidationError("\(path):\(number + 1): \(error.message)")
      }
    }
  }

  init(_ words: [String]) throws {
    guard words.count >= 3 else { throw ValidationError("a line is a name, a kind and an input") }
    name = words[0]
    var values: [String: String] = [:]
    for word in words[3...] {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, Self.keys.contains(parts[0]) else {
        throw ValidationError("\"\(word)\" is none of \(Self.keys.joined(separator: "=, "))=")
      }
      values[parts[0]] = parts[1]
    }
    let size = try Self.sizes(words[2], count: 3)
    let input = Input(width: size[0], height: size[1], channels: size[2])
    let output = try Self.layer(words[1], input, values)
    model = Model(input: input, output: output)
    let elements = [input, output].reduce(0) { $0 + ($1.shape?.elementCount ?? 0) }
    bytes = (elements + model.parameterCount) * MemoryLayout<Float>.stride
  }

  private static let keys = [
    "kernel", "channels", "stride", "dilation", "groups", "multiplier", "padding", "activation",
  ]

  private static func layer(
    _ kind: String, _ input: Tensor, _ values: [String: String]
  ) throws -> Tensor {
    let kernel = try sizes(values["kernel"] ?? "3x3", count: 2)
    let stride = try sizes(values["stride"] ?? "1", count: 1)[0]
    let dilation = try sizes(values["dilation"] ?? "1", count: 1)[0]
    let activation = try activation(values["activation"] ?? "linear")
    let padding = try padding(values["padding"] ?? "same")
    let channels = try values["channels"].map { try sizes($0, count: 1)[0] }
    switch kind {
    case "depthwise":
      return input
        --> DepthwiseConvolution(
          kernel: (kernel[0], kernel[1]), stride: (stride, stride), dilation: (dilation, dilation),
          padding: padding, multiplier: try sizes(values["multiplier"] ?? "1", count: 1)[0],
          activation: activation)
    case "convolution":
      guard let channels else { throw ValidationError("a convolution needs channels=") }
      return input
        --> Convolution(
          kernel: (kernel[0], kernel[1]), channels: channels, stride: (stride, stride),
          dilation: (dilation, dilation), padding: padding,
          groups: try sizes(values["groups"] ?? "1", count: 1)[0], activation: activation)
    case "dense":
      guard let channels else { throw ValidationError("a dense layer needs channels=") }
      return input --> Dense(neurons: channels, activation: activation)
    default: throw ValidationError("\"\(kind)\" is no kind: convolution, depthwise, dense")
    }
  }

  private static func padding(_ word: String) throws -> Padding {
    switch word {
    case "same": return .same
    case "valid": return .valid
    default: throw ValidationError("\"\(word)\" is no padding: same, valid")
    }
  }

  private static func activation(_ word: String) throws -> ActivationFunction {
    switch word {
    case "linear": return .linear
    case "relu": return .relu
    case "relu6": return .relu6
    case "leaky": return .leakyReLU(slope: 0.1)
    default: throw ValidationError("\"\(word)\" is no activation: linear, relu, relu6, leaky")
    }
  }

  /// Parses numbers separated by x.
  private static func sizes(_ word: String, count: Int) throws -> [Int] {
    let numbers = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    let sizes = numbers.compactMap(\.self)
    guard numbers.count == count, sizes.count == count, sizes.allSatisfy({ $0 > 0 }) else {
      throw ValidationError("\"\(word)\" is not \(count) positive number\(count > 1 ? "s" : "")")
    }
    return sizes
  }
}
