// Scripts/helpers/engine-version --update writes this file.

/// The version of plans and packed parameters.
enum EngineVersion {
  /// The digest of the sources that decide what they mean.
  static let digest = "b2faeb067df6b063efc4dd97166f17c6"
}
