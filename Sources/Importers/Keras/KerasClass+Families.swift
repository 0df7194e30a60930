import Forge

/// Layers that differ in few facts.
extension KerasClass {
  /// A layer that moves or mixes positions, so its result has no mask.
  static func spatial(_ names: String..., build: @escaping Build) -> KerasClass {
    KerasClass(
      names, arguments: .usual, mask: .lost, training: .same, positions: .together, build: build)
  }

  /// A layer that does the same to each position, and passes the mask on.
  ///
  /// - Parameters:
  ///   - names: the class names.
  ///   - masksSince: the version of Keras since which it passes the mask on.
  ///   - build: reads the arguments of a layer.
  /// - Returns: the class.
  static func positionwise(
    _ names: String..., masksSince: Int = 1, build: @escaping Build
  ) -> KerasClass {
    KerasClass(
      names, arguments: .usual, mask: .passed(since: masksSince), training: .same,
      positions: .apart, build: build)
  }

  /// A layer that reads its arguments and masks itself, and may have dropout in training.
  static func dropping(_ names: String..., build: @escaping Build) -> KerasClass {
    KerasClass(
      names, arguments: .byLayer, mask: .byLayer, training: .dropout, positions: .together,
      build: build)
  }

  /// A layer that reads the masks of its inputs.
  static func masking(_ names: String..., build: @escaping Build) -> KerasClass {
    KerasClass(
      names, arguments: .usual, mask: .byLayer, training: .same, positions: .together, build: build)
  }
}
