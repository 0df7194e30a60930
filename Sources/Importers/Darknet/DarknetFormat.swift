import Forge

/// Darknet's configurations, with their weights in another file.
package enum DarknetFormat: ModelFormat {
  package static let name = "Darknet"
  package static let extensions = ["cfg"]
  package static let weightExtensions = ["weights"]

  package static func imported(_ file: ModelFile) throws(ImportError) -> ImportedModel {
    try ImportedModel(darknet: file.path, weights: file.weights, limits: file.options.limits)
  }

  package static func facts(_ file: ModelFile) throws(ImportError) -> [ModelFact] {
    let configuration = try DarknetConfiguration(path: file.path, limits: file.options.limits)
    var counts: [String: Int] = [:]
    for section in configuration.sections.dropFirst() { counts[section.type, default: 0] += 1 }
    return [ModelFact.counted("layers", counts)]
  }
}
