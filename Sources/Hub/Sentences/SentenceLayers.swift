import ForgeLoaders

/// How sentence-transformers makes a vector of the features of a text's tokens.
struct SentenceLayers: Sendable {
  /// A layer after the pooling.
  enum Layer: Sendable {
    /// Scales the vector to length 1.
    case normalize
    /// A product and an activation.
    case dense(SentenceDense)
  }

  /// How the features are pooled; the mean if the folder has no modules.json.
  var pooling = TextPooling(.mean)
  /// The layers after the pooling, in order.
  var layers: [Layer] = []
  /// The numbers of a vector.
  var width: Int

  /// Reads the modules after the network.
  ///
  /// - Throws: ``HubError``: `invalid`, `unsupported`, `compile` and those of reading.
  init(
    _ modules: [SentenceSettings.Module], of folder: HubFolder, channels: Int,
    pooling stated: TextPooling?
  ) throws(HubError) {
    width = channels
    let path = folder.path(of: "modules.json")
    var hasPooling = false
    for module in modules.dropFirst() {
      let part = try folder.folder(module.folder, namedIn: path)
      switch module.name {
      case "Pooling" where !hasPooling:
        hasPooling = true
        guard let settings = try part.settings("config.json") else {
          throw .missing("path", in: path, needs: "a folder with the pooling's config.json")
        }
        pooling = if let stated { stated } else { try TextPooling(settings) }
        width = channels * pooling.modes.count
      case "Normalize" where hasPooling: layers.append(.normalize)
      case "Dense" where hasPooling:
        let dense = try SentenceDense(part, inputs: width)
        width = dense.outputs
        layers.append(.dense(dense))
      case "Dropout" where hasPooling: break
      default:
        throw module.settings.unsupported(
          "type", needs: "Transformer, Pooling, and then any of Dense, Dropout and Normalize")
      }
    }
    guard hasPooling || modules.isEmpty else {
      throw .wrongForm(path, needs: "a module Pooling after the module Transformer")
    }
    if !hasPooling {
      pooling = stated ?? pooling
      width = channels * pooling.modes.count
    }
  }
}
