import Forge

/// Layers that act in training only.
enum KerasNoise {
  static let makers: [String: KerasCatalog.Maker] = Dictionary(
    uniqueKeysWithValues: [
      "Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "AlphaDropout",
      "GaussianDropout", "GaussianNoise", "ActivityRegularization", "Identity", "StochasticDepth",
      "RandomFlip", "RandomRotation", "RandomZoom", "RandomTranslation", "RandomContrast",
      "RandomBrightness", "RandomHeight", "RandomWidth",
    ].map { ($0, identity) })

  private static let identity: KerasCatalog.Maker = { _ throws(KerasFault) in .identity }
}
