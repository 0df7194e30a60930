import Forge

/// Darknet's `.cfg` files, with the weights apart.
package enum DarknetFormat: ModelFormat {
  package static let name = "Darknet"
  package static let extensions = ["cfg"]
  package static let weightExtensions = ["weights"]

  package static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    try file.checkNothingOpen()
    return try ImportedModel(
      darknet: file.path, weights: file.weights, limits: file.options.limits)
  }
}
