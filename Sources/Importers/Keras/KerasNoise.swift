import Forge

/// Layers that act in training only.
enum KerasNoise {
  static let classes: [KerasClass] = [
    noise("Dropout"),
    noise("SpatialDropout1D", positions: .together),
    noise("SpatialDropout2D", mask: .lost, positions: .together),
    noise("SpatialDropout3D", mask: .lost, positions: .together),
    noise("AlphaDropout"),
    noise("GaussianDropout"),
    noise("GaussianNoise"),
    noise("StochasticDepth", mask: .lost, positions: .together),
    .positionwise("ActivityRegularization", build: identity),
    .positionwise("Identity", masksSince: 3, build: identity),
    augmentation("RandomFlip"),
    augmentation("RandomRotation"),
    augmentation("RandomZoom"),
    augmentation("RandomTranslation"),
    augmentation("RandomContrast"),
    augmentation("RandomBrightness"),
    augmentation("RandomHeight"),
    augmentation("RandomWidth"),
    augmentation("AugMix", since: 3),
    augmentation("CutMix", since: 3),
    augmentation("MixUp", since: 3),
    augmentation("RandAugment", since: 3),
    augmentation("RandomColorDegeneration", since: 3),
    augmentation("RandomColorJitter", since: 3),
    augmentation("RandomCrop", since: 3),
    augmentation("RandomElasticTransform", since: 3),
    augmentation("RandomErasing", since: 3),
    augmentation("RandomGaussianBlur", since: 3),
    augmentation("RandomGrayscale", since: 3),
    augmentation("RandomHue", since: 3),
    augmentation("RandomInvert", since: 3),
    augmentation("RandomPerspective", since: 3),
    augmentation("RandomPosterization", since: 3),
    augmentation("RandomSaturation", since: 3),
    augmentation("RandomSharpness", since: 3),
    augmentation("RandomShear", since: 3),
    augmentation("Solarization", since: 3),
  ]

  private static let identity: KerasClass.Build = { _ throws(KerasFault) in .identity }

  /// A layer that changes values at random in training.
  private static func noise(
    _ name: String, mask: KerasClass.Mask = .passed(since: 1),
    positions: KerasClass.Positions = .apart
  ) -> KerasClass {
    KerasClass(
      [name], arguments: .usual, mask: mask, training: .different, positions: positions,
      build: identity)
  }

  /// A layer that changes pictures at random.
  ///
  /// - Parameters:
  ///   - name: the class.
  ///   - since: the version of Keras since which it changes nothing outside of training.
  /// - Returns: the layer.
  private static func augmentation(_ name: String, since: Int = 1) -> KerasClass {
    KerasClass(
      [name], arguments: .first(["data", "training"]), mask: .lost, training: .augmentation,
      positions: .together,
      build: { layer throws(KerasFault) in
        guard layer.generation >= since else { throw .unsupported("a file of Keras 2") }
        return .identity
      })
  }
}
