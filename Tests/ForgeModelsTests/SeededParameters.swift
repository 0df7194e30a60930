import Forge

/// The rule by which parameters and inputs of the model references are made.
///
/// `Scripts/references/model_values.py` computes the same numbers and says how.
struct SeededParameters: ParameterSource {
  /// A factor on the weights.
  let gain: Double

  func parameter(for spec: ParameterSpec) -> (any ParameterData)? {
    SeededData(spec: spec, gain: gain)
  }

  /// The pixels of an input.
  static func pixels(count: Int) -> [Float] {
    values(layer: "input", type: "pixels", count: count)
  }

  /// Numbers for a parameter in Keras's layout; `inputs` products are summed for one output.
  static func values(
    layer: String, type: String, count: Int, inputs: Int = 1, gain: Double = 1
  ) -> [Float] {
    let key = "\(layer)/\(type)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { key, byte in
      (key ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    let range = range(of: type, inputs: inputs, gain: gain)
    let width = range.upperBound - range.lowerBound
    var random = SplitMix64(seed: key)
    return [Float](unsafeUninitializedCapacity: count) { values, initialized in
      for index in 0..<count {
        let unit = (Double(random.next() >> 40) + 0.5) * 0x1p-24
        values.initializeElement(at: index, to: Float(range.lowerBound + unit * width))
      }
      initialized = count
    }
  }

  private static func range(of type: String, inputs: Int, gain: Double) -> ClosedRange<Double> {
    switch type {
    case "weights":
      let limit = gain * (6 / Double(inputs)).squareRoot()
      return -limit...limit
    case "gamma": return 0.8...1.2
    case "variance": return 0.5...1.5
    case "pixels": return -1...1
    default: return -0.1...0.1
    }
  }
}

/// One parameter, made each time it is read.
private struct SeededData: ParameterData {
  let spec: ParameterSpec
  let gain: Double

  var count: Int { spec.count }
  var layout: ParameterLayout { .keras }
  var origin: String { "the rule of the references" }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let summed = zip(spec.axes, spec.sizes).filter { axis, _ in
      axis == .inputs || axis == .height || axis == .width
    }
    let values = SeededParameters.values(
      layer: spec.layer, type: spec.type.name, count: count,
      inputs: summed.reduce(1) { $0 * $1.1 }, gain: gain)
    try values.withUnsafeBytes(body)
  }
}
