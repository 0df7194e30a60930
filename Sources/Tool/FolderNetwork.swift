import Forge
import ForgeHub
import ForgeImporters
import ForgeToolSupport
import FoundationEssentials

extension ArgumentFile {
  /// Whether a path leads to a folder with the configuration of a network of the Hub.
  static func isHubFolder(_ path: String) -> Bool {
    isFolder(path)
      && ["config.json", "modules.json"].contains {
        FileManager.default.fileExists(atPath: "\(path)/\($0)")
      }
  }
}

extension Network {
  /// The network of a folder of the Hub: that for pictures of a CLIP, the encoder of a Whisper or
  /// of a T5, the whole network of all others.
  ///
  /// - Throws: `HubError`.
  init(hubFolder path: String) throws(HubError) {
    let model = try Self.model(ofHubFolder: path)
    let inference = Inference(model)
    func ports(_ nodes: [Int]) -> [ImportedModel.Port] {
      nodes.map { index in
        let node = inference.nodes[index]
        return ImportedModel.Port(
          name: node.name, shape: node.shape ?? Shape([]), follows: node.tensor.lengthSizes)
      }
    }
    self.init(
      imported: ImportedModel(
        model: model, inputs: ports(inference.inputs), outputs: ports(inference.outputs)),
      title: path, isReady: false)
  }

  private static func model(ofHubFolder path: String) throws(HubError) -> Model {
    do throws(HubError) { return try HubImageModel(contentsOf: path).model } catch {
      guard error.isOfOtherNetwork else { throw error }
    }
    do throws(HubError) { return try HubAudioModel(contentsOf: path).model } catch {
      guard error.isOfOtherNetwork else { throw error }
    }
    return try HubModel(contentsOf: path).model
  }
}

extension HubError {
  /// Whether the folder has a network for something else.
  ///
  /// A folder for texts may have its config.json in a folder of it.
  var isOfOtherNetwork: Bool {
    self.kind == .unsupported && self.entry == "model_type"
      || self.kind == .fileMissing && self.path?.hasSuffix("config.json") ?? false
  }
}

extension ImportedModel.Port {
  /// A port with an axis for a batch in front, as ``init(name:shape:)``, whose axes may follow the
  /// length of a sequence.
  fileprivate init(name: String, shape: Shape, follows lengths: [LengthSize]?) {
    let port = Self(name: name, shape: shape)
    let axes = (lengths ?? []).enumerated().compactMap { $1.constant == nil ? $0 + 1 : nil }
    self.init(name: name, sizes: port.sizes, axes: port.axes, lengthAxes: axes)
  }
}
