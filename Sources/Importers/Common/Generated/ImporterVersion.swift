// Scripts/helpers/engine-version --update writes this file.

/// The version of imports.
enum ImporterVersion {
  /// The digest of the sources that decide which model a file becomes.
  static let digest = "5fdbd0a9feca9e5e8bececbda04ddf33"
}
