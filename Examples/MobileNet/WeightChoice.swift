import Forge

/// Where the weights come from, and the form of the network that fits them.
struct WeightChoice {
  let network: MobileNetV1
  let source: any ParameterSource

  /// Looks at a file or folder: Keras `.h5`, `.safetensors`, or a folder of `.bin` files.
  ///
  /// The file says how many channels and classes the network has; the background may be a class.
  init(path: String, alpha: Double?, size: Int) throws {
    let file = try WeightFile(path)
    let weights: MobileNetV1.Weights = file.format == .hdf5 ? .keras : .folded
    let last = weights == .keras ? "conv_pw_13" : "conv6_sep"
    let classifier = weights == .keras ? "conv_preds" : "fc7"
    guard let width = Self.width(of: last, in: file) else {
      throw WeightProblem(
        description: "\(path): no weights of MobileNet v1: there is no layer \"\(last)\"")
    }
    guard let classes = Self.width(of: classifier, in: file) else {
      throw WeightProblem(
        description:
          "\(path): there is no classifier \"\(classifier)\"; was it saved without its top?")
    }
    let fileAlpha = Double(width) / 1024
    guard Int(1024 * (alpha ?? fileAlpha)) == width else {
      throw WeightProblem(description: "\(path): its alpha is \(fileAlpha); leave out --alpha")
    }
    network = MobileNetV1(weights: weights, alpha: fileAlpha, classes: classes, size: size)
    source = try file.parameters(layout: weights == .keras ? .keras : .forge)
  }

  /// The output channels of a layer: the number of its biases, or of those of its normalization.
  private static func width(of layer: String, in file: WeightFile) -> Int? {
    let names = ["\(layer)/", "\(layer)_bn/", "\(layer).bias", "\(layer)_b.bin"]
    let biases = file.entries.first { entry in
      entry.sizes.count == 1 && names.contains { entry.name.contains($0) }
    }
    // Raw files say only how many bytes they have.
    return biases.map { file.format == .folder ? $0.byteCount / 4 : $0.sizes[0] }
  }
}

/// A path that does not lead to weights of this network.
struct WeightProblem: Error, CustomStringConvertible {
  let description: String
}
