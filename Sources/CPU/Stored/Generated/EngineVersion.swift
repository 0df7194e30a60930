// Scripts/helpers/engine-version --update writes this file.

/// The version of plans and packed parameters.
enum EngineVersion {
  /// The digest of the sources that decide what they mean.
  static let digest = "540758efa94f01e5b46a4aee003d95b1"
}
