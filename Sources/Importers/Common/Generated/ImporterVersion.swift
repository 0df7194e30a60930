// Scripts/helpers/engine-version --update writes this file.

/// The version of imports.
enum ImporterVersion {
  /// The digest of the sources that decide which model a file becomes.
  static let digest = "03b3ec97624125b08390c8b64282d7d0"
}
