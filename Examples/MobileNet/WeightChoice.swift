import Forge
import Foundation

/// Where the weights come from, and the form of the network that fits them.
struct WeightChoice {
  let network: MobileNetV1
  let source: any ParameterSource

  /// Looks at a file or folder: Keras `.h5`, `.safetensors`, or a folder of `.bin` files.
  init(path: String, alpha: Double, size: Int) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw WeightProblem(description: "\(path): there is no such file or folder")
    }
    if isFolder.boolValue {
      network = MobileNetV1(weights: .folded, alpha: alpha, classes: 1000, size: size)
      source = try ParameterDirectory(path, suffixes: [.weights: "_w", .biases: "_b"])
    } else if path.hasSuffix(".safetensors") {
      network = MobileNetV1(weights: .folded, alpha: alpha, classes: 1000, size: size)
      source = try SafeTensorsParameters(path, layout: .forge)
    } else {
      #if HDF5
        // The last layer says how many classes the file knows; the background may be one of them.
        let file = try HDF5File(path)
        let head = file.entries.first { $0.name.contains("/conv_preds/") && $0.sizes.count == 1 }
        guard let classes = head?.sizes.first else {
          throw WeightProblem(
            description:
              "\(path): the file has no classifier \"conv_preds\"; was it saved without its top?")
        }
        network = MobileNetV1(weights: .keras, alpha: alpha, classes: classes, size: size)
        source = try HDF5Parameters(file)
      #else
        throw WeightProblem(description: "\(path): this build reads no HDF5 files (trait HDF5)")
      #endif
    }
  }
}

/// A path that is no weights of this network.
struct WeightProblem: Error, CustomStringConvertible {
  let description: String
}
