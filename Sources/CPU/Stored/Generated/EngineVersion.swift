// Scripts/helpers/engine-version --update writes this file.

/// The version of plans and packed parameters.
enum EngineVersion {
  /// The digest of the sources that decide what they mean.
  static let digest = "5daab83b66089e1ba69ef894ceba45c4"
}
