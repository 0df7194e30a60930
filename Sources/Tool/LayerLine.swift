import ArgumentParser
import Forge
import ForgeSystem

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

  /// Parses the layers of a file; `#` begins a comment.
  static func all(path: String) throws -> [LayerLine] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ValidationError("\(path.printable) cannot be read as text")
    }
    return try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap
    {
      number, line in
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
      if words.isEmpty { return nil }
      do { return try LayerLine(words) } catch let error as ValidationError {
        throw ValidationError("\(path.printable):\(number + 1): \(error.message)")
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
        throw ValidationError(
          "unknown \"\(word.printable)\"; needs one of \(Self.keys.joined(separator: "=, "))=")
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
    func number(_ key: String) throws -> Int { try sizes(values[key] ?? "1", count: 1)[0] }
    let kernel = try sizes(values["kernel"] ?? "3x3", count: 2)
    let stride = try number("stride")
    let dilation = try number("dilation")
    let activation: ActivationFunction = try choice(
      "activation", values["activation"] ?? "linear",
      ["linear": .linear, "relu": .relu, "relu6": .relu6, "leaky": .leakyReLU(slope: 0.1)])
    let padding: Padding = try choice(
      "padding", values["padding"] ?? "same", ["same": .same, "valid": .valid])
    let channels = try values["channels"].map { try sizes($0, count: 1)[0] }
    switch kind {
    case "depthwise":
      return input
        --> DepthwiseConvolution(
          kernel: (kernel[0], kernel[1]), stride: (stride, stride), dilation: (dilation, dilation),
          padding: padding, multiplier: try number("multiplier"), activation: activation)
    case "convolution":
      guard let channels else { throw ValidationError("a convolution needs channels=") }
      return input
        --> Convolution(
          kernel: (kernel[0], kernel[1]), channels: channels, stride: (stride, stride),
          dilation: (dilation, dilation), padding: padding, groups: try number("groups"),
          activation: activation)
    case "dense":
      guard let channels else { throw ValidationError("a dense layer needs channels=") }
      return input --> Dense(neurons: channels, activation: activation)
    default:
      throw ValidationError(
        "unknown kind \"\(kind.printable)\"; needs convolution, depthwise or dense")
    }
  }

  private static func choice<Value>(
    _ what: String, _ word: String, _ values: KeyValuePairs<String, Value>
  ) throws -> Value {
    guard let found = values.first(where: { $0.key == word }) else {
      let words = values.map(\.key).joined(separator: ", ")
      throw ValidationError("unknown \(what) \"\(word.printable)\"; needs one of \(words)")
    }
    return found.value
  }

  /// Parses numbers separated by x.
  private static func sizes(_ word: String, count: Int) throws -> [Int] {
    let sizes = word.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sizes.count == count, sizes.allSatisfy({ $0 > 0 }) else {
      throw ValidationError(
        "\"\(word.printable)\" is not \(count) positive number\(count > 1 ? "s" : "")")
    }
    return sizes
  }
}
