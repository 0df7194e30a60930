import Forge

/// One step of the preprocessing of an image.
struct CoreMLPreprocessing {
  /// The input that it is of; that of a step without a name is the only image.
  let input: String
  let kind: Kind

  /// What is done.
  enum Kind {
    case scale(Float, red: Float, green: Float, blue: Float, gray: Float)
    /// An image that is subtracted.
    case mean(WireBytes?)
    case unknown
  }

  init(_ fields: WireFields) throws(ImportError) {
    input = try fields.name(1)
    switch fields.last(where: { [10, 11].contains($0) }) {
    case 10:
      let scaler = try fields.message(10)
      // A file that states no scale means 1.
      let scale = try scaler?.float(10) ?? 0
      kind = .scale(
        scale == 0 ? 1 : scale, red: try scaler?.float(22) ?? 0, green: try scaler?.float(21) ?? 0,
        blue: try scaler?.float(20) ?? 0, gray: try scaler?.float(30) ?? 0)
    case 11: kind = .mean(try fields.message(11)?.storedFloats(1))
    default: kind = .unknown
    }
  }
}

extension CoreMLPreprocessing {
  /// The step in words, as `forge inspect` lists it: `times 0.017, plus -2.1 red`.
  ///
  /// - Parameter isGray: whether images have one channel.
  /// - Returns: the words.
  func text(isGray: Bool) -> String {
    switch kind {
    case .scale(let scale, let red, let green, let blue, let gray):
      let biases =
        isGray ? [(gray, "gray")] : [(red, "red"), (green, "green"), (blue, "blue")]
      let sums = biases.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
      return "times \(scale)" + (sums.isEmpty ? "" : ", plus \(sums.joined(separator: ", "))")
    case .mean: return "minus a mean image"
    case .unknown: return "an unknown preprocessing"
    }
  }
}

extension CoreMLFeature {
  /// The order of an image's channels, and what is done to its pixels; `nil` for other features.
  ///
  /// - Parameter steps: the preprocessing of the network that reads the feature.
  /// - Returns: one line.
  func preparation(_ steps: [CoreMLPreprocessing]) -> ModelFact? {
    guard case .image(_, _, let colorSpace) = type else { return nil }
    let isGray = CoreMLInputs.channels(colorSpace) == 1
    let inputSteps = steps.filter { $0.input == name || $0.input.isEmpty }
    let texts = [CoreMLInputs.colors(colorSpace)] + inputSteps.map { $0.text(isGray: isGray) }
    return ModelFact("image", "\(name): \(texts.joined(separator: ", "))")
  }
}
