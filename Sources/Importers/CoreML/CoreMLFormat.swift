import Forge

/// Core ML's `.mlmodel` files.
package enum CoreMLFormat: ModelFormat {
  package static let name = "Core ML"
  package static let extensions = ["mlmodel"]

  package static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    try file.checkNothingOpen()
    return try ImportedModel(coreML: file.path, limits: file.options.limits)
  }
}
