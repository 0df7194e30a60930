import Forge

/// Colors for numbers from 0 to 1: heat maps, depths, masks.
public enum ColorMap: Hashable, Sendable {
  /// Black to white.
  case gray
  /// Black through red and yellow to white.
  case heat
  /// Blue through white to red, for numbers around ½.
  case diverging
  /// Blue, cyan, green, yellow, red.
  case rainbow

  /// The color of a number, linear between the map's colors.
  ///
  /// - Parameter value: 0 to 1; beyond, the nearest end is taken, and NaN is 0.
  /// - Returns: the color.
  public func color(_ value: Float) -> PixelColor {
    let stops = stops
    let position = (value.isNaN ? 0 : Double(min(max(value, 0), 1))) * Double(stops.count - 1)
    let index = min(Int(position), stops.count - 2)
    let share = position - Double(index)
    func mixed(_ channel: KeyPath<PixelColor, UInt8>) -> UInt8 {
      let (low, high) = (
        Double(stops[index][keyPath: channel]), Double(stops[index + 1][keyPath: channel])
      )
      return UInt8((low + (high - low) * share).rounded())
    }
    return PixelColor(red: mixed(\.red), green: mixed(\.green), blue: mixed(\.blue))
  }

  private var stops: [PixelColor] {
    func color(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> PixelColor {
      PixelColor(red: red, green: green, blue: blue)
    }
    return switch self {
    case .gray: [.black, .white]
    case .heat: [.black, color(255, 0, 0), color(255, 255, 0), .white]
    case .diverging: [color(0, 0, 255), .white, color(255, 0, 0)]
    case .rainbow:
      [
        color(0, 0, 255), color(0, 255, 255), color(0, 255, 0), color(255, 255, 0),
        color(255, 0, 0),
      ]
    }
  }
}

extension PixelColor {
  /// A color for the class of a number, unlike those of its neighbors.
  ///
  /// Hues go around by the golden angle, at three brightnesses.
  ///
  /// - Parameter index: the number of a class; negative numbers have colors, too.
  /// - Returns: the color, the same for the same number.
  public static func distinct(_ index: Int) -> PixelColor {
    let turns = Double(index % 10_000) * 0.618_033_988_749_895
    let hue = (turns - turns.rounded(.down)) * 6
    let value = [255.0, 200, 230][abs(index % 3)]
    func channel(_ shift: Double) -> UInt8 {
      let angle = (hue + shift).truncatingRemainder(dividingBy: 6)
      let part = min(max(abs(angle - 3) - 1, 0), 1)
      return UInt8((value * (0.15 + 0.85 * part)).rounded())
    }
    return PixelColor(red: channel(0), green: channel(4), blue: channel(2))
  }

  /// Black or white, whichever is easier to read on this color.
  public var contrast: PixelColor { forgeLuminance(self) > 127 ? .black : .white }
}

extension Image {
  /// Creates a picture of a map of numbers, such as a heat map or a depth.
  ///
  /// - Parameters:
  ///   - heatMap: height × width numbers.
  ///   - width: the number of columns, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - range: the numbers of the first and the last color; by default the smallest and largest
  ///     finite ones.
  ///   - colors: the colors.
  /// - Throws: ``ImageError`` when sizes and numbers do not fit each other, or the range is empty.
  public init(
    heatMap: [Float], width: Int, height: Int, range: ClosedRange<Float>? = nil,
    colors: ColorMap = .heat
  ) throws(ImageError) {
    try ImageView.check(width: width, height: height)
    guard heatMap.count == width.multipliedSaturated(by: height) else {
      throw .wrongValueCount(heatMap.count, width: width, height: height, channels: 1)
    }
    let finite = range == nil ? heatMap.filter(\.isFinite) : []
    let low = range?.lowerBound ?? finite.min() ?? 0
    let high = range?.upperBound ?? finite.max() ?? 1
    let size = Double(high) - Double(low)
    guard size.isFinite, range == nil || size > 0 else { throw .badRange(low...high) }
    let table = (0..<256).map { colors.color(Float($0) / 255) }
    try self.init(filling: width, height, .rgb) { target in
      for (index, value) in heatMap.enumerated() {
        // A map of one number has the first color.
        let share = size > 0 ? (Double(value) - Double(low)) / size : 0
        let level = share.isNaN ? 0 : min(max(share, 0), 1)
        let color = table[Int((level * 255).rounded())]
        target[3 * index] = color.red
        target[3 * index + 1] = color.green
        target[3 * index + 2] = color.blue
      }
    }
  }

  /// Creates a picture of a map of classes, such as a segmentation.
  ///
  /// - Parameters:
  ///   - classes: height × width numbers of classes.
  ///   - width: the number of columns, at least 1.
  ///   - height: the number of rows, at least 1.
  ///   - palette: the color of a class; by default ``PixelColor/distinct(_:)``.
  /// - Throws: ``ImageError`` when sizes and numbers do not fit each other.
  public init(
    classes: [Int], width: Int, height: Int,
    palette: (Int) -> PixelColor = PixelColor.distinct
  ) throws(ImageError) {
    try ImageView.check(width: width, height: height)
    guard classes.count == width.multipliedSaturated(by: height) else {
      throw .wrongValueCount(classes.count, width: width, height: height, channels: 1)
    }
    try self.init(filling: width, height, .rgb) { target in
      for (index, label) in classes.enumerated() {
        let color = palette(label)
        target[3 * index] = color.red
        target[3 * index + 1] = color.green
        target[3 * index + 2] = color.blue
      }
    }
  }
}
