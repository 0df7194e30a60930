// Scripts/helpers/engine-version --update writes this file.

/// The version of plans and packed parameters.
enum EngineVersion {
  /// The digest of the sources that decide what they mean.
  static let digest = "47e53d3a8dae96747dd8b6c2bbd006bd"
}
