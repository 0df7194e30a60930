import Forge

/// Layers that act in training only.
enum KerasNoise {
  static let classes: [KerasClass] = [
    KerasClass(
      "Dropout", arguments: .usual, mask: .passed(since: 1), training: .different,
      positions: .apart, build: identity),
    KerasClass(
      "SpatialDropout1D", arguments: .usual, mask: .passed(since: 1), training: .different,
      positions: .together, build: identity),
    KerasClass(
      "SpatialDropout2D", arguments: .usual, mask: .lost, training: .different,
      positions: .together, build: identity),
    KerasClass(
      "SpatialDropout3D", arguments: .usual, mask: .lost, training: .different,
      positions: .together, build: identity),
    KerasClass(
      "AlphaDropout", arguments: .usual, mask: .passed(since: 1), training: .different,
      positions: .apart, build: identity),
    KerasClass(
      "GaussianDropout", arguments: .usual, mask: .passed(since: 1), training: .different,
      positions: .apart, build: identity),
    KerasClass(
      "GaussianNoise", arguments: .usual, mask: .passed(since: 1), training: .different,
      positions: .apart, build: identity),
    KerasClass(
      "StochasticDepth", arguments: .usual, mask: .lost, training: .different,
      positions: .together, build: identity),
    KerasClass(
      "ActivityRegularization", arguments: .usual, mask: .passed(since: 1), training: .same,
      positions: .apart, build: identity),
    KerasClass(
      "Identity", arguments: .usual, mask: .passed(since: 3), training: .same,
      positions: .apart, build: identity),
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

  /// A layer that changes pictures at random.
  ///
  /// - Parameters:
  ///   - name: the class.
  ///   - since: the version of Keras since which it changes nothing outside of training.
  /// - Returns: the layer.
  private static func augmentation(_ name: String, since: Int = 1) -> KerasClass {
    KerasClass(
      name, arguments: .first(["data", "training"]), mask: .lost, training: .augmentation,
      positions: .together,
      build: { layer throws(KerasFault) in
        guard layer.generation >= since else { throw .unsupported("a file of Keras 2") }
        return .identity
      })
  }
}
