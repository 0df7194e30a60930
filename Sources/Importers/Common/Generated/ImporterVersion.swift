// Scripts/helpers/engine-version --update writes this file.

/// The version of imports.
enum ImporterVersion {
  /// The digest of the sources that decide which model a file becomes.
  static let digest = "0e02010b1dbc87bb23c5775b138e6837"
}
