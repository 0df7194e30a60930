import ArgumentParser
import Forge
import ForgeImages
import ForgeImporters
import ForgeToolSupport
import FoundationEssentials

/// The arguments of the commands that read pictures: how they become numbers.
struct PictureArguments: ParsableArguments {
  /// How the bytes of a picture become numbers, by the names of `PixelNormalization`.
  enum Preset: String, ChoiceArgument {
    case raw, unitRange, tf, torch, caffe

    static let otherNames: [String: Preset] = [
      "none": .raw, "zeroToOne": .unitRange, "minusOneToOne": .tf, "imageNet": .torch,
      "keras.tf": .tf, "keras.torch": .torch, "keras.caffe": .caffe,
    ]

    /// The corresponding normalization.
    var normalization: PixelNormalization {
      switch self {
      case .raw: .raw
      case .unitRange: .unitRange
      case .tf: .keras(.tf)
      case .torch: .keras(.torch)
      case .caffe: .keras(.caffe)
      }
    }
  }

  /// The part of a picture that is used.
  enum Crop: String, ChoiceArgument {
    case none, center

    static let otherNames: [String: Crop] = ["centre": .center]

    /// The corresponding crop.
    var crop: ImageCrop { self == .none ? .none : .center }
  }

  @Option(
    help: """
      What a picture's bytes become: raw 0 to 255, unitRange 0 to 1, tf -1 to 1, torch PyTorch's \
      mean and deviation, caffe BGR minus means.
      """)
  var preset: Preset?

  @Option(help: "The part of a picture that is used; with none, all of it is stretched.")
  var crop = Crop.none

  /// Whether a path is that of an array, by its extension.
  static func isArray(_ path: String) -> Bool { path.lowercased().hasSuffix(".npy") }

  /// The values of an array as .npy or of a picture for an input.
  func values(
    of name: String, _ path: String, _ imported: ImportedModel
  ) throws -> NetworkRun.Given {
    if Self.isArray(path) { return .array(try StoredTensor(numPy: path)) }
    guard let index = imported.inputs.firstIndex(where: { $0.name == name }),
      imported.model.inputs.indices.contains(index), let shape = imported.model.inputs[index].shape,
      shape.isImage, shape.channels == 1 || shape.channels == 3
    else {
      throw ValidationError("the input \"\(name)\" takes no picture; give an array as .npy")
    }
    guard let preset else {
      throw ValidationError(
        "a picture needs --preset: what the network was trained with, "
          + Preset.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let normalization =
      shape.channels == 1 ? preset.normalization.ordered(.gray) : preset.normalization
    var size: Size?
    if let width = shape.width, let height = shape.height {
      size = Size(width: width, height: height)
    }
    let preparation = ImagePreparation(
      size: size, crop: crop.crop, normalization: normalization)
    return .values(try Image(contentsOf: path).values(prepared: preparation))
  }
}
