// Scripts/helpers/engine-version --update writes this file.

/// The version of plans and packed parameters.
enum EngineVersion {
  /// The digest of the sources that decide what they mean.
  static let digest = "f41d60b981883d0af5fe7bdb2e5fce20"
}
