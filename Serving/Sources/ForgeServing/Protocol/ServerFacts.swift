/// What the server says about itself.
enum ServerFacts {
  static let name = "forge-serve"
  static let version = "0.1.0"
  /// The extensions of the protocol that it has.
  static let extensions = [
    "binary_tensor_data", "classification", "model_configuration", "model_repository", "parameters",
    "sequence", "statistics",
  ]
}
