import Forge
import ForgeLoaders

/// How pictures become the input of a network, as preprocessor_config.json says, or
/// `image_processor` in processor_config.json.
///
/// In order, a picture is resized, its center is cropped, and each value `x`, 0 to 255, becomes
/// `x · scale + bias` of its channel. ForgeHub reads no pictures, so that it needs no library of
/// the system; `ForgeImages` does, with these numbers: its crop is `.shorterSideFloored` of
/// ``shorterSide``, or `.none`. From the Hub (Docs/Hub.md) has the whole conversion.
///
/// Source: `ViTImageProcessor`, `CLIPImageProcessor` and `BitImageProcessor` of transformers, with
/// Pillow.
public struct HubPreparation: Sendable, Hashable {
  /// A filter of Pillow's.
  public enum Filter: Int, Sendable, Hashable, CaseIterable {
    /// The nearest pixel.
    case nearest = 0
    /// Lanczos with three lobes.
    case lanczos = 1
    /// Linear in both directions.
    case bilinear = 2
    /// Cubic in both directions.
    case bicubic = 3

    /// The numbers and names of all, for messages.
    static var names: String { allCases.map { "\($0.rawValue) (\($0))" }.joined(separator: ", ") }
  }

  /// The rows of the result.
  public let height: Int
  /// The columns of the result.
  public let width: Int
  /// The shorter side to which a picture is resized before its center is cropped; `nil` if it is
  /// stretched to the size of the result.
  public let shorterSide: Int?
  /// The filter of the resize.
  public let filter: Filter
  /// The factors of red, green and blue, or one for all.
  public let scale: [Double]
  /// The numbers that are added to red, green and blue, or one for all.
  public let bias: [Double]

  /// The settings of a folder; `nil` if it has none.
  ///
  /// - Throws: ``HubError``: those of reading.
  static func settings(of folder: HubFolder) throws(HubError) -> Settings? {
    // As in the library, the newer file comes first.
    if let settings = try folder.settings("processor_config.json")?.settings("image_processor") {
      return settings
    }
    return try folder.settings("preprocessor_config.json")
  }

  /// Reads settings.
  ///
  /// - Throws: ``HubError``: `invalid`, or `unsupported` for what the numbers cannot say.
  init(_ settings: Settings) throws(HubError) {
    let standard = try Standard(settings)
    guard let number = try settings.integer("resample", in: 0...5) ?? standard?.filter.rawValue
    else { throw .missing("resample", in: settings.path, needs: Filter.names) }
    guard let filter = Filter(rawValue: number) else {
      throw settings.unsupported("resample", needs: Filter.names)
    }
    self.filter = filter
    (height, width, shorterSide) = try Self.sizes(settings)
    let factor =
      try settings.flag("do_rescale", default: true)
      ? try settings.number("rescale_factor") ?? 1 / 255.0 : 1
    guard try settings.flag("do_normalize", default: true) else {
      (scale, bias) = ([factor], [0])
      return
    }
    let means = try settings.channels("image_mean") ?? standard?.means
    let deviations = try settings.channels("image_std") ?? standard?.deviations
    guard let means, let deviations else {
      throw .missing(
        means == nil ? "image_mean" : "image_std", in: settings.path,
        needs: "a number for each channel, or do_normalize as false")
    }
    let count = max(means.count, deviations.count)
    guard [1, count].contains(means.count), [1, count].contains(deviations.count),
      !deviations.contains(0)
    else {
      throw .invalid(
        settings.name("image_std"), "\(deviations)", in: settings.path,
        needs: "as many numbers as image_mean has, other than 0")
    }
    func of(_ list: [Double], _ channel: Int) -> Double { list[list.count == count ? channel : 0] }
    scale = (0..<count).map { factor / of(deviations, $0) }
    bias = (0..<count).map { -of(means, $0) / of(deviations, $0) }
    guard (scale + bias).allSatisfy(\.isFinite) else {
      throw .invalid(
        settings.name("image_std"), "\(deviations)", in: settings.path,
        needs: "numbers whose quotients are finite")
    }
  }

  /// The rows and columns of the result, and the shorter side before a crop.
  private static func sizes(
    _ settings: Settings
  ) throws(HubError) -> (height: Int, width: Int, shorterSide: Int?) {
    guard try settings.flag("do_resize", default: true) else {
      throw settings.unsupported("do_resize", needs: "true")
    }
    guard let size = try settings.sides("size") else {
      throw .missing("size", in: settings.path, needs: "height and width, or shortest_edge")
    }
    guard try settings.flag("do_center_crop") else {
      guard case .both(let height, let width) = size else {
        throw settings.unsupported(
          "size", needs: "height and width, or shortest_edge with do_center_crop")
      }
      return (height, width, nil)
    }
    guard case .both(let height, let width)? = try settings.sides("crop_size") else {
      throw settings.unsupported("crop_size", needs: "height and width")
    }
    let side: Int
    switch size {
    case .shorter(let shorter): side = shorter
    // A number alone is the shorter side where the center is cropped, and both sides elsewhere.
    case .both(let rows, _) where settings["size"]?.object == nil: side = rows
    case .both(height, width): return (height, width, nil)
    case .both: throw settings.unsupported("size", needs: "shortest_edge, or what crop_size has")
    }
    guard side >= max(height, width) else {
      throw settings.unsupported("size", needs: "at least crop_size, \(height)×\(width)")
    }
    return (height, width, side)
  }

  /// Makes an architecture take pictures of this size.
  ///
  /// - Throws: ``HubError``: `unsupported` for an architecture of another size, `invalid`.
  func fit(
    _ architecture: inout any ImageArchitecture, _ settings: Settings
  ) throws(HubError) {
    let name = settings.name(shorterSide == nil ? "size" : "crop_size")
    let sizes = architecture.sizes
    guard sizes.height != height || sizes.width != width else { return }
    guard type(of: architecture).interpolates else {
      throw .unsupported(
        name, "\(height)×\(width)", in: settings.path,
        needs: "the network's image_size, \(sizes.height)×\(sizes.width)")
    }
    try architecture.sizes.resize(height: height, width: width, name, in: settings.path)
  }

  /// What a processor does where the file does not say.
  private struct Standard {
    var filter: Filter
    var means, deviations: [Double]

    /// The standard of a processor's name; `nil` for another one.
    init?(_ settings: Settings) throws(HubError) {
      var name = try settings.text("image_processor_type") ?? ""
      if name.isEmpty { name = try settings.text("feature_extractor_type") ?? "" }
      if name.hasPrefix("ViT") {
        (filter, means, deviations) = (.bilinear, [0.5], [0.5])
      } else if name.hasPrefix("CLIP") || name.hasPrefix("Bit") {
        filter = .bicubic
        means = [0.48145466, 0.4578275, 0.40821073]
        deviations = [0.26862954, 0.26130258, 0.27577711]
      } else {
        return nil
      }
    }
  }
}

/// The sides of a picture in a settings file.
private enum PictureSides {
  /// Rows and columns.
  case both(Int, Int)
  /// The shorter side.
  case shorter(Int)
}

extension Settings {
  /// The sides of a picture: one number, both sides, or the shorter one; `nil` if there are none.
  fileprivate func sides(_ name: String) throws(HubError) -> PictureSides? {
    guard let value = self[name] else { return nil }
    let range = 1...16_384
    if value.object == nil {
      return try integer(name, in: range).map { .both($0, $0) }
    }
    guard let own = try settings(name) else { return nil }
    for other in own.names where !["height", "width", "shortest_edge"].contains(other) {
      guard own[other] == nil else {
        throw own.unsupported(other, needs: "height and width, or shortest_edge")
      }
    }
    if let shorter = try own.integer("shortest_edge", in: range) { return .shorter(shorter) }
    let height = try own.integer("height", in: range, default: nil)
    return .both(height, try own.integer("width", in: range, default: nil))
  }

  /// A number for each channel; `nil` if there is none.
  fileprivate func channels(_ name: String) throws(HubError) -> [Double]? {
    guard let value = self[name] else { return nil }
    let numbers = (value.array ?? [value]).map { item -> Double? in
      switch item {
      case .integer(let integer): Double(integer)
      case .number(let number) where number.isFinite: number
      default: nil
      }
    }
    guard (1...4).contains(numbers.count), !numbers.contains(nil) else {
      throw wrong(name, value, needs: "one to four finite numbers")
    }
    return numbers.compactMap(\.self)
  }
}

extension HubPreparation {
  /// The preparation in the form of a model's metadata.
  ///
  /// - Parameter colors: the values of a pixel.
  /// - Returns: the preparation.
  public func stated(colors: Int) -> PicturePreparation {
    let filter: PicturePreparation.Filter =
      switch filter {
      case .nearest: .nearest
      case .lanczos: .lanczos
      case .bilinear: .bilinear
      case .bicubic: .bicubic
      }
    return PicturePreparation(
      width: width, height: height, colors: colors == 1 ? .gray : .rgb, scale: scale, bias: bias,
      fit: shorterSide.map { .shorterSideFloored($0) } ?? .stretched, filter: filter)
  }
}
