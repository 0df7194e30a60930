import Forge

/// An image input of a Core ML file, and what the file does to its pixels.
struct CoreMLPicture {
  private let width: Int
  private let height: Int
  private let colors: PicturePreparation.Colors
  private let scale: [Float]
  private let bias: [Float]

  /// Describes an input; `nil` if Core ML cannot hold exactly what is stated.
  init?(_ picture: PicturePreparation, sizes: [Int]) {
    guard sizes.count == 3, sizes[2] == picture.colors.channels,
      picture.width ?? sizes[1] == sizes[1], picture.height ?? sizes[0] == sizes[0]
    else { return nil }
    (height, width) = (sizes[0], sizes[1])
    let channels = picture.colors.channels
    colors = picture.colors
    func values(_ numbers: [Double]) -> [Float]? {
      let count = channels
      guard numbers.count == 1 || numbers.count == count else { return nil }
      let floats = numbers.map { Float($0) }
      guard floats.allSatisfy(\.isFinite) else { return nil }
      return floats.count == 1 ? Array(repeating: floats[0], count: count) : floats
    }
    guard let factors = values(picture.scale), let numbers = values(picture.bias) else {
      return nil
    }
    (scale, bias) = (factors, numbers)
  }

  /// The factor of all pixels, if it is one that a file can state; 0 would stand for 1.
  private var factor: Float? {
    scale[0] != 0 && scale.allSatisfy { $0 == scale[0] } ? scale[0] : nil
  }

  /// Writes the type of the feature (`ImageFeatureType`).
  func write(to type: inout CoreMLMessage) {
    let space =
      switch colors {
      case .gray: 10
      case .rgb: 20
      case .bgr: 30
      }
    type.message(4) {
      $0.integer(1, width)
      $0.integer(2, height)
      $0.integer(3, space)
    }
  }

  /// Writes the factor and the numbers that are added (`NeuralNetworkImageScaler`).
  func writeScaler(to scaler: inout CoreMLMessage) {
    guard let factor else { return scaler.float(10, 1) }
    scaler.float(10, factor)
    switch colors {
    case .gray: scaler.float(30, bias[0])
    case .rgb:
      for (field, value) in zip([22, 21, 20], bias) { scaler.float(field, value) }
    case .bgr:
      for (field, value) in zip([20, 21, 22], bias) { scaler.float(field, value) }
    }
  }

  /// The pixels as the network wants them: those of the file, or a layer with a factor for each
  /// channel.
  func scaled(
    _ pixels: String, _ graph: inout CoreMLGraphWriter
  ) throws(ExportRefusal) -> String {
    guard factor == nil else { return pixels }
    let (factors, shifts) = (scale, bias)
    let count = factors.count
    return try graph.map(.scale, pixels) {
      $0.integer(1, count)
      $0.numbers(2, CoreMLNumbers(name: "scale", count: count, isHalf: false) { factors })
      $0.flag(3, true)
      $0.integer(4, count)
      $0.numbers(5, CoreMLNumbers(name: "bias", count: count, isHalf: false) { shifts })
    }
  }
}
