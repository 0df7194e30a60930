import Forge
import ForgeLoaders

/// How Keras's `quantize` has changed a layer: the form of its weights, and what becomes of its
/// input.
struct KerasQuantization: Sendable {
  /// The form of weights.
  enum Weights: Sendable {
    /// −128 to 127, over a scale for each output.
    case int8
    /// −8 to 7, two in a byte, over a scale for each output.
    case int4
    /// −8 to 7, two in a byte, less a zero point and times a scale for each block of this many
    /// inputs.
    case int4Blocks(Int)
  }

  let weights: Weights
  /// What makes integers of the input; `nil` if it stays as it is.
  let inputs: KerasRowQuantizer?
  /// The policy as Keras writes it: `int8_from_float32`.
  let policy: String
}

extension KerasLayer {
  /// The quantization of the layer; `nil` without one.
  ///
  /// - Parameter usual: what makes integers of the input of int4 layers without a configuration.
  /// - Returns: the quantization.
  /// - Throws: ``KerasFault``: `unsupported` for float8, GPTQ and AWQ, and for quantizers that are
  ///   not Keras's own; `invalid` for a description that Keras does not write.
  func quantization(
    ofInt4 usual: KerasRowQuantizer? = nil
  ) throws(KerasFault) -> KerasQuantization? {
    guard let policy = quantizationPolicy else { return nil }
    let parts = policy.mode.split(separator: "/", omittingEmptySubsequences: false)
    let stated = config["quantization_config"]?["config"]
    func inputs(_ usual: KerasRowQuantizer?) throws(KerasFault) -> KerasRowQuantizer? {
      guard let stated else { return usual }
      guard let quantizer = stated["activation_quantizer"], !quantizer.isNull else { return nil }
      return try KerasRowQuantizer(quantizer)
    }
    switch parts.first {
    case "int8" where parts.count == 1:
      return KerasQuantization(
        weights: .int8, inputs: try inputs(KerasRowQuantizer()), policy: policy.text)
    case "int4" where parts.count <= 2:
      let named = parts.dropFirst().first.map { Int($0) ?? 0 }
      let block = stated.map { $0["block_size"]?.wholeNumber ?? -1 } ?? named ?? -1
      guard block == -1 || block > 0 else { break }
      return KerasQuantization(
        weights: block == -1 ? .int4 : .int4Blocks(block), inputs: try inputs(usual),
        policy: policy.text)
    default: break
    }
    throw .unsupported("the dtype policy \"\(policy.text.prefix(80))\"")
  }

  /// The quantization in the layer's dtype policy; `nil` without one.
  ///
  /// `int8_from_float32`, or `{"class_name": "QuantizedDTypePolicy", "config": {"mode": "int8",
  /// "source_name": "float32"}}`.
  var quantizationPolicy: (mode: String, text: String)? { config.quantizationPolicy }
}

extension KerasConfig {
  /// The quantization in the dtype policy among the arguments; `nil` without one.
  fileprivate var quantizationPolicy: (mode: String, text: String)? {
    guard let json = self["dtype"] else { return nil }
    if let policies = json["config"]?["policy_map"]?.object {
      return policies.members.contains { $0.value["config"]?["mode"] != nil }
        ? ("DTypePolicyMap", "DTypePolicyMap") : nil
    }
    if let text = json.text {
      guard let range = text.firstRange(of: "_from_") else { return nil }
      return (String(text[..<range.lowerBound]), text)
    }
    guard let mode = json["config"]?["mode"]?.text else { return nil }
    return (mode, "\(mode)_from_\(json["config"]?["source_name"]?.text ?? "float32")")
  }
}

extension KerasFormat {
  /// How many layers have each quantization, those of models inside and of wrappers too.
  static func quantizations(_ json: JSONValue, depth: Int = 0) -> [String: Int] {
    var counts: [String: Int] = [:]
    guard depth < 32, let config = json["config"] else { return counts }
    if let policy = KerasConfig(config).quantizationPolicy { counts[policy.text] = 1 }
    let layers = config["layers"]?.array ?? config.array ?? []
    let inner = layers + [config["layer"]].compactMap(\.self)
    for layer in inner {
      counts.merge(quantizations(layer, depth: depth + 1), uniquingKeysWith: +)
    }
    return counts
  }
}

/// What makes 8-bit integers of the rows of a tensor, `keras.quantizers.AbsMaxQuantizer`:
/// `s = high / (max |x| + epsilon)` for each row, and `q = clip(round(x · s), low, high)`.
struct KerasRowQuantizer: Sendable {
  private let low, high, epsilon: Float
  /// The axes that the description states; `nil` for none.
  private let axes: [Int]?

  /// The quantizer of Keras's defaults.
  init() { (low, high, epsilon, axes) = (-127, 127, 1e-7, nil) }

  /// Reads a description.
  init(_ json: JSONValue) throws(KerasFault) {
    let kind = json["class_name"]?.text ?? ""
    let config = KerasConfig(json["config"])
    let type = config["output_dtype"]?.text ?? "int8"
    guard kind == "AbsMaxQuantizer", type == "int8" else {
      throw .unsupported("the quantizer \(kind.prefix(80)) to \(type.prefix(80))")
    }
    let range = try config.numbers("value_range") ?? [-127, 127]
    epsilon = try config.number("epsilon", default: 1e-7)
    axes = try config.integers("axis")
    guard range.count == 2, range.allSatisfy({ Int8(exactly: $0) != nil }), range[0] <= 0,
      range[1] > 0, epsilon.isFinite, epsilon >= 0
    else {
      throw .invalid(
        "the range of a quantizer is not one of 8-bit integers", received: "\(range), \(epsilon)",
        needs: "value_range from −128 or more to 127 or less, and epsilon from 0 on")
    }
    (low, high) = (range[0], range[1])
  }

  /// Whether a call without axes has one row for each index of all axes but the last.
  var isOfLastAxis: Bool { axes == nil || axes == [-1] }

  /// The integers of a tensor, as real numbers, and the scales of its rows.
  ///
  /// - Parameters:
  ///   - nodes: makes the nodes.
  ///   - x: the tensor, the batch first.
  ///   - axes: the axes of a row, counted from 0.
  /// - Returns: the integers, and the scales with sizes of 1 along these axes.
  /// - Throws: ``NodeFailure``.
  func integers(
    _ nodes: KerasNodes, _ x: FileValue, axes: [Int]
  ) throws -> (integers: FileValue, scales: FileValue) {
    let greatest = try nodes(
      "ReduceMax", try nodes("Abs", x), .integers(axes), with: ["keepdims": .int(1)])
    let scales = try nodes("Div", .number(high), try nodes("Add", greatest, .number(epsilon)))
    var scaled = try nodes("Mul", x, scales)
    if low > -high { scaled = try nodes("Clip", scaled, .number(low), .number(high)) }
    let zero = FileValue.host(HostTensor(integers: [0], sizes: [], type: .int8))
    let integers = try nodes("QuantizeLinear", scaled, .number(1), zero)
    return (try nodes("DequantizeLinear", integers, .number(1), zero), scales)
  }
}
