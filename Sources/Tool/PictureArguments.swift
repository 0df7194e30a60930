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
      mean and deviation, caffe BGR minus means. The default is what the file states.
      """)
  var preset: Preset?

  @Option(
    help: """
      The part of a picture that is used; with none, all of it is stretched. The default is what \
      the file states, or none.
      """)
  var crop: Crop?

  /// Whether a path is that of an array, by its extension.
  static func isArray(_ path: String) -> Bool { path.lowercased().hasSuffix(".npy") }

  /// The values of an array as .npy or of a picture for an input.
  func values(
    of name: String, _ path: String, _ network: OpenedNetwork
  ) throws -> NetworkRun.Given {
    if Self.isArray(path) { return .array(try StoredTensor(numPy: path)) }
    let shapes = network.inputShapes
    guard let index = network.interface.inputs.firstIndex(where: { $0.name == name }),
      shapes.indices.contains(index), let shape = shapes[index], shape.isImage,
      shape.channels == 1 || shape.channels == 3
    else {
      throw ValidationError(
        "the input \"\(name.printable)\" does not take a picture; give an array as .npy")
    }
    let image = try Image(contentsOf: path)
    let size = Size(
      of: Size(width: image.width, height: image.height), for: shape,
      open: network.openSizes?.axes[index] ?? [])
    var preparation = try preparation(of: name, network)
    if preparation.size == nil || network.openSizes == nil { preparation.size = size }
    return .values(try image.values(prepared: preparation))
  }

  /// What is done with pictures for an input: what the arguments say, or else what the file states.
  ///
  /// - Parameters:
  ///   - name: the input; by default the first one.
  ///   - network: the network.
  ///   - other: the preset if there is none.
  /// - Returns: the preparation, without a size unless the file states one.
  /// - Throws: `ValidationError` if there is no preset.
  func preparation(
    of name: String? = nil, _ network: OpenedNetwork, preset other: Preset? = nil
  ) throws -> ImagePreparation {
    let inputs = network.interface.inputs
    let index = inputs.firstIndex { $0.name == name } ?? 0
    let input = inputs.indices.contains(index) ? inputs[index].name : ""
    if preset == nil, let stated = network.metadata.pictures[input] {
      var preparation = ImagePreparation(stated)
      if let crop { preparation.crop = crop.crop }
      return preparation
    }
    guard let preset = preset ?? other else {
      throw ValidationError(
        "a picture needs --preset, the preparation with which the network was trained: "
          + Preset.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let shapes = network.inputShapes
    let channels = shapes.indices.contains(index) ? shapes[index]?.channels : nil
    let normalization =
      channels == 1 ? preset.normalization.ordered(.gray) : preset.normalization
    return ImagePreparation(crop: crop?.crop ?? .none, normalization: normalization)
  }
}
