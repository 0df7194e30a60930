import Forge

/// Layers that act in training only.
enum KerasNoise {
  static let makers: [String: KerasCatalog.Maker] = Dictionary(
    uniqueKeysWithValues: (drawn + ["ActivityRegularization", "Identity"]).map { ($0, identity) })

  /// Those that draw numbers, which a call with `training=True` makes them do.
  static let drawn = [
    "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "AlphaDropout",
    "GaussianDropout", "GaussianNoise", "StochasticDepth", "RandomFlip", "RandomRotation",
    "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness", "RandomHeight",
    "RandomWidth",
  ]

  private static let identity: KerasCatalog.Maker = { _ throws(KerasFault) in .identity }
}
