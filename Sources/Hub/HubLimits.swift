/// Limits on the sizes that the files of a folder may state.
///
/// The defaults accept every encoder in use and refuse files made to exhaust memory or time. The
/// values of the weights are bounded by the sizes of their own file. No limit exceeds 2³⁰.
public struct HubLimits: Sendable, Hashable {
  /// The maximum size of a settings file in bytes: config.json, modules.json, the index of weights.
  public let settingBytes: Int
  /// The maximum number of layers of a network.
  public let layers: Int
  /// The maximum number of channels of a layer.
  public let channels: Int
  /// The maximum number of entries of a vocabulary.
  public let vocabulary: Int
  /// The maximum number of tokens of a text.
  public let positions: Int
  /// The maximum number of files that hold the weights.
  public let shards: Int

  /// Creates limits; those that are not given have defaults.
  ///
  /// - Parameters:
  ///   - settingBytes: the maximum size of a settings file in bytes.
  ///   - layers: the maximum number of layers of a network.
  ///   - channels: the maximum number of channels of a layer.
  ///   - vocabulary: the maximum number of entries of a vocabulary.
  ///   - positions: the maximum number of tokens of a text.
  ///   - shards: the maximum number of files that hold the weights.
  public init(
    settingBytes: Int = 1 << 25, layers: Int = 256, channels: Int = 1 << 18,
    vocabulary: Int = 1 << 22, positions: Int = 1 << 18, shards: Int = 1 << 10
  ) {
    // Products of these stay far from the range of Int.
    func bounded(_ limit: Int) -> Int { min(max(0, limit), 1 << 30) }
    self.settingBytes = bounded(settingBytes)
    self.layers = bounded(layers)
    self.channels = bounded(channels)
    self.vocabulary = bounded(vocabulary)
    self.positions = bounded(positions)
    self.shards = bounded(shards)
  }
}
