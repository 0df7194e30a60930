import Forge

/// The part of a picture that a network receives, and the part of the input that it fills.
public enum ImageCrop: Hashable, Sendable {
  /// The whole picture, stretched to the network's shape.
  case none
  /// The largest centered rectangle of the network's shape, scaled by `fraction`.
  ///
  /// With 1 this is Pillow's `ImageOps.fit`; 0.875 is the usual "resize to 256, crop the central
  /// 224".
  case center(fraction: Double)
  /// A rectangle in pixels of the picture, stretched to the network's shape.
  case rectangle(CropRectangle)
  /// The center of the picture whose shorter side was resized to this many pixels.
  ///
  /// This is torchvision's `Resize(side)` and `CenterCrop(size)`: the longer side is
  /// `⌊side · longer / shorter⌋`, and the crop starts at half of what is left over, rounded to
  /// even.
  case shorterSide(Int)
  /// Like ``shorterSide(_:)``, with the crop's offset rounded down.
  ///
  /// This is how transformers' processors resize to `shortest_edge` and crop.
  case shorterSideFloored(Int)
  /// The whole picture in its own shape, centered, with a border of this color.
  ///
  /// This is Ultralytics's `LetterBox`: with `r = min(width / w, height / h)` the picture is
  /// resized to `w·r` by `h·r` pixels, rounded; an odd pixel of the border is at the right or the
  /// bottom.
  case letterbox(PixelColor)

  /// The largest centered rectangle of the network's shape.
  public static let center = ImageCrop.center(fraction: 1)
}

/// How a preparation goes through the axes of a picture.
struct CropPlan {
  var columns: AxisPart
  var rows: AxisPart
  /// The size to which the whole picture would be resampled.
  var whole: Size
  /// The size of the output.
  var output: Size
  /// The place of the resampled part in the output.
  var left = 0
  var top = 0
  var border = PixelColor.black
  /// The rectangle of the source.
  var box: CropRectangle

  var geometry: ImageGeometry {
    ImageGeometry(
      source: Size(width: columns.inputs, height: rows.inputs), input: output, box: box,
      region: CropRectangle(
        x: Double(left), y: Double(top), width: Double(columns.count), height: Double(rows.count)))
  }

  /// A rectangle that is stretched to a size.
  init(_ box: CropRectangle, of source: Size, to size: Size) {
    columns = AxisPart(inputs: source.width, from: box.x, box.width, outputs: size.width)
    rows = AxisPart(inputs: source.height, from: box.y, box.height, outputs: size.height)
    (whole, output) = (size, size)
    self.box = box
  }

  /// The way of a crop; a `size` of `nil` is that of the part.
  init(_ crop: ImageCrop, of source: Size, to size: Size?) throws(ImageError) {
    let (width, height) = (Double(source.width), Double(source.height))
    let all = CropRectangle(x: 0, y: 0, width: width, height: height)
    switch crop {
    case .none: self.init(all, of: source, to: size ?? source)
    case .rectangle(let box):
      guard box.fits(width: source.width, height: source.height) else {
        throw .badBox(box, width: source.width, height: source.height)
      }
      self.init(box, of: source, to: size ?? Self.rounded(box))
    case .center(let fraction):
      guard fraction > 0, fraction <= 1 else { throw .badFraction(fraction) }
      let box = Self.center(of: source, shape: size, fraction: fraction)
      self.init(box, of: source, to: size ?? Self.rounded(box))
    case .shorterSide(let side):
      try self.init(shorterSide: side, of: source, to: size, .toNearestOrEven)
    case .shorterSideFloored(let side):
      try self.init(shorterSide: side, of: source, to: size, .down)
    case .letterbox(let color): self.init(letterbox: color, of: source, to: size ?? source)
    }
  }

  private init(
    shorterSide side: Int, of source: Size, to size: Size?, _ rounding: FloatingPointRoundingRule
  ) throws(ImageError) {
    guard side > 0, side <= ImageView.mostPixels else { throw .badShorterSide(side, size: size) }
    let shorter = min(source.width, source.height)
    func resized(_ length: Int) -> Int {
      // Both factors are below 2³².
      length == shorter ? side : max(1, side * length / shorter)
    }
    let resized = Size(width: resized(source.width), height: resized(source.height))
    let size = size ?? resized
    guard size.width <= resized.width, size.height <= resized.height else {
      throw .badShorterSide(side, size: size)
    }
    func part(_ length: Int, _ from: Int, _ to: Int) -> AxisPart {
      var part = AxisPart(inputs: length, from: 0, Double(length), outputs: from)
      part.skipped = Int((Double(from - to) / 2).rounded(rounding))
      part.count = to
      return part
    }
    columns = part(source.width, resized.width, size.width)
    rows = part(source.height, resized.height, size.height)
    (whole, output) = (resized, size)
    box = CropRectangle(
      x: Double(columns.skipped) * columns.scale, y: Double(rows.skipped) * rows.scale,
      width: Double(columns.count) * columns.scale, height: Double(rows.count) * rows.scale)
  }

  private init(letterbox color: PixelColor, of source: Size, to size: Size) {
    let ratio = min(
      Double(size.width) / Double(source.width), Double(size.height) / Double(source.height))
    func inner(_ length: Int, _ most: Int) -> Int {
      min(max(1, Int((Double(length) * ratio).rounded(.toNearestOrEven))), most)
    }
    let inside = Size(
      width: inner(source.width, size.width), height: inner(source.height, size.height))
    let all = CropRectangle(
      x: 0, y: 0, width: Double(source.width), height: Double(source.height))
    self.init(all, of: source, to: inside)
    output = size
    left = (size.width - inside.width) / 2
    top = (size.height - inside.height) / 2
    border = color
  }

  private static func center(of source: Size, shape: Size?, fraction: Double) -> CropRectangle {
    var (width, height) = (Double(source.width), Double(source.height))
    if let shape {
      let wanted = Double(shape.width) / Double(shape.height)
      if width / height > wanted {
        width = wanted * height
      } else if width / height < wanted {
        height = width / wanted
      }
    }
    (width, height) = (width * fraction, height * fraction)
    return CropRectangle(
      x: (Double(source.width) - width) * 0.5, y: (Double(source.height) - height) * 0.5,
      width: width, height: height)
  }

  /// The size of a part that keeps its pixels.
  private static func rounded(_ box: CropRectangle) -> Size {
    Size(width: max(1, Int(box.width.rounded())), height: max(1, Int(box.height.rounded())))
  }
}
