import Forge

extension Canvas {
  /// The size of a text in pixels.
  ///
  /// - Parameters:
  ///   - text: the text, one line.
  ///   - scale: the pixels of a point of the font, at least 1.
  /// - Returns: the size, without margins.
  public static func size(of text: String, scale: Int = 2) -> Size {
    let scale = max(scale, 1)
    let columns = text.count.multipliedSaturated(by: BitmapFont.advance)
    return Size(
      width: (max(columns, 1) - 1).multipliedSaturated(by: scale),
      height: BitmapFont.height.multipliedSaturated(by: scale))
  }

  /// Draws a line of text in a font of 5 by 7 points.
  ///
  /// The font has the printable characters of ASCII; others are drawn as boxes.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - x: the left edge.
  ///   - y: the upper edge.
  ///   - color: the color.
  ///   - scale: the pixels of a point of the font, at least 1.
  public mutating func draw(
    text: String, x: Double, y: Double, color: PixelColor, scale: Int = 2
  ) {
    let point = Double(max(scale, 1))
    var left = x
    for character in text {
      guard left < Double(width) else { return }
      for (column, bits) in BitmapFont.columns(character).enumerated() {
        for row in 0..<BitmapFont.height where bits >> row & 1 == 1 {
          fill(
            CropRectangle(
              x: left + Double(column) * point, y: y + Double(row) * point, width: point,
              height: point),
            color: color)
        }
      }
      left += Double(BitmapFont.advance) * point
    }
  }

  /// Draws boxes with their labels and scores.
  ///
  /// A label is above its box, or inside if there is no space.
  ///
  /// - Parameters:
  ///   - boxes: the boxes, as fractions of the picture; later ones lie over earlier ones.
  ///   - labels: the names of the classes; classes without one show their number.
  ///   - color: the color of a class.
  ///   - thickness: the thickness of lines in pixels; by default by the size of the picture.
  ///   - scale: the pixels of a point of the font; by default by the size of the picture.
  ///   - showsScores: whether the score follows the label, with two digits.
  public mutating func draw(
    _ boxes: [DetectedBox], labels: [String] = [],
    color: (Int) -> PixelColor = PixelColor.distinct, thickness: Double? = nil,
    scale: Int? = nil, showsScores: Bool = true
  ) {
    let shorter = Double(min(width, height))
    let thickness = thickness ?? max(1, (shorter / 250).rounded())
    let scale = scale ?? max(1, Int((shorter / 300).rounded()))
    for box in boxes {
      let rectangle = box.rectangle(width: width, height: height)
      let color = color(box.label)
      draw(rectangle, color: color, thickness: thickness)
      let name = labels.indices.contains(box.label) ? labels[box.label] : "\(box.label)"
      let text = showsScores ? "\(name) \(Self.digits(box.score))" : name
      let size = Self.size(of: text, scale: scale)
      let margin = Double(2 * scale)
      let (wide, high) = (Double(size.width) + 2 * margin, Double(size.height) + 2 * margin)
      let above = rectangle.y - high
      let top = above >= 0 ? above : max(rectangle.y, 0)
      let left = min(max(rectangle.x, 0), max(0, Double(width) - wide))
      fill(CropRectangle(x: left, y: top, width: wide, height: high), color: color)
      draw(text: text, x: left + margin, y: top + margin, color: color.contrast, scale: scale)
    }
  }

  /// A score with two digits after the point.
  private static func digits(_ score: Float) -> String {
    guard score.isFinite, abs(score) < 1e6 else { return "\(score)" }
    let hundredths = Int((score * 100).rounded())
    let digits = abs(hundredths % 100)
    return "\(hundredths < 0 ? "-" : "")\(abs(hundredths / 100)).\(digits < 10 ? "0" : "")\(digits)"
  }
}

extension DetectedBox {
  /// The box in pixels of a picture; may reach beyond it.
  ///
  /// - Parameters:
  ///   - width: the width of the picture in pixels.
  ///   - height: the height of the picture in pixels.
  /// - Returns: the rectangle.
  public func rectangle(width: Int, height: Int) -> CropRectangle {
    CropRectangle(
      x: Double(left) * Double(width), y: Double(top) * Double(height),
      width: Double(self.width) * Double(width), height: Double(self.height) * Double(height))
  }
}
