// Scripts/helpers/engine-version --update writes this file.

/// The version of imports.
enum ImporterVersion {
  /// The digest of the sources that decide which model a file becomes.
  static let digest = "7f0060181d6cd3ba93360d88aae9a955"
}
