// Scripts/helpers/engine-version --update writes this file.

/// The version of imports.
enum ImporterVersion {
  /// The digest of the sources that decide which model a file becomes.
  static let digest = "bdf6de69365be0bfbb4ef5c76a815292"
}
