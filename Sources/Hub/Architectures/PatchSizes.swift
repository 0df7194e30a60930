import Forge

/// The sizes of a network that cuts pictures into patches.
struct PatchSizes: Sendable {
  var channels: Int
  var heads: Int
  var layers: Int
  /// The rows and columns of a picture.
  private(set) var height, width: Int
  /// The channels of a picture.
  let colors: Int
  /// The rows and columns of a patch.
  let patchHeight, patchWidth: Int
  /// The rows and columns of the patches whose places the weights have.
  private let gridHeight, gridWidth: Int
  var activation: HubActivation
  var epsilon: Float

  private let mostPatches: Int

  /// The number of patches.
  private var patches: Int { (height / patchHeight) * (width / patchWidth) }

  /// Reads the names that the configurations share.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(
    _ settings: Settings, limits: HubLimits, patch: Int, epsilon: Float,
    activation: HubActivation = .function(.gelu)
  ) throws(HubError) {
    let sizes = 1...max(1, limits.channels)
    channels = try settings.integer("hidden_size", in: sizes, default: 768)
    heads = try settings.integer("num_attention_heads", in: 1...4096, default: 12)
    layers = try settings.integer("num_hidden_layers", in: 0...limits.layers, default: 12)
    colors = try settings.integer("num_channels", in: 1...4096, default: 3)
    (height, width) = try settings.pair("image_size", default: 224)
    (patchHeight, patchWidth) = try settings.pair("patch_size", default: patch)
    self.activation = try settings.activation("hidden_act", default: activation)
    self.epsilon = try settings.epsilon("layer_norm_eps", default: epsilon)
    try EncoderSizes.check(heads: heads, divide: channels, in: settings, "num_attention_heads")
    (gridHeight, gridWidth) = (height / patchHeight, width / patchWidth)
    mostPatches = limits.positions
    try checkPatches(settings.name("patch_size"), in: settings.path)
  }

  /// Takes pictures of another size, for which the places of the patches are interpolated.
  ///
  /// - Throws: ``HubError`` of kind `invalid`, with the name of the value in a file.
  mutating func resize(
    height: Int, width: Int, _ name: String, in path: String
  ) throws(HubError) {
    (self.height, self.width) = (height, width)
    try checkPatches(name, in: path)
  }

  private func checkPatches(_ name: String, in path: String) throws(HubError) {
    guard patchHeight <= height, patchWidth <= width else {
      throw .invalid(
        name, "patches of \(patchHeight)×\(patchWidth)", in: path,
        needs: "at most the picture, \(height)×\(width)")
    }
    guard patches < mostPatches else {
      throw .invalid(name, "\(patches) patches", in: path, needs: "fewer than \(mostPatches)")
    }
  }

  /// A vector of the weights, and those of the patches, row by row, each with its place,
  /// [1 + patches][channels].
  ///
  /// - Parameters:
  ///   - pixels: the picture.
  ///   - first: the name of the vector.
  ///   - product: the name of the product with the pixels of a patch.
  ///   - positions: the name of the places.
  ///   - useBias: whether the product has biases.
  /// - Returns: the tokens.
  func tokens(
    of pixels: Tensor, first: String, product: String, positions: String, useBias: Bool
  ) -> Tensor {
    let patches =
      pixels
      --> Convolution(
        kernel: (patchWidth, patchHeight), channels: channels, stride: (patchWidth, patchHeight),
        padding: .valid, useBias: useBias, name: product)
      --> Reshape(to: [self.patches, channels])
    let tokens = [Tensor.learnedRow(channels, name: first), patches] --> Concatenate(axis: 0)
    let stored = gridHeight * gridWidth + 1
    let (rows, columns) = (height / patchHeight, width / patchWidth)
    guard rows != gridHeight || columns != gridWidth else {
      return tokens --> PositionalEncoding(.learned(maximumLength: stored), name: positions)
    }
    // The interpolation that the library's networks use: cubic, without a wider filter.
    let places =
      Constant((0..<stored).map { Float($0) }, shape: [stored])
      --> Embedding(vocabulary: stored, channels: channels, name: positions)
    let grid =
      places --> Slice(starts: [1], ends: [.max], axes: [0])
      --> Reshape(to: [gridHeight, gridWidth, channels])
      --> Resample(sizes: [rows, columns, nil], mode: .cubic(coefficient: -0.75))
      --> Reshape(to: [rows * columns, channels])
    return tokens
      + ([places --> Slice(starts: [0], ends: [1], axes: [0]), grid] --> Concatenate(axis: 0))
  }
}

extension Settings {
  /// Rows and columns: a list of two, or one number for both.
  func pair(_ name: String, default standard: Int) throws(HubError) -> (Int, Int) {
    let range = 1...16_384
    guard let list = self[name]?.array else {
      let both = try integer(name, in: range, default: standard)
      return (both, both)
    }
    guard list.count == 2, let rows = list.first?.integer, let columns = list.last?.integer,
      range.contains(rows), range.contains(columns)
    else { throw wrong(name, .array(list), needs: "rows and columns from 1 to 16384") }
    return (rows, columns)
  }
}
