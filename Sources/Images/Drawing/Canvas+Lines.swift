import Forge

/// A place on a ``Canvas``, in pixels from the left upper corner.
public struct CanvasPoint: Hashable, Sendable {
  /// Pixels from the left edge.
  public var x: Double
  /// Pixels from the upper edge.
  public var y: Double

  /// Creates a place.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

extension Canvas {
  /// Draws lines from point to point, with smooth edges and round ends.
  ///
  /// - Parameters:
  ///   - points: the points; a single one is a dot.
  ///   - isClosed: whether a line leads from the last point to the first.
  ///   - color: the color.
  ///   - thickness: the thickness in pixels.
  ///   - opacity: the share of the color, 0 to 1.
  public mutating func draw(
    polyline points: [CanvasPoint], isClosed: Bool = false, color: PixelColor,
    thickness: Double = 2, opacity: Double = 1
  ) {
    var ends = Array(zip(points, points.dropFirst()))
    if points.count == 1 { ends = [(points[0], points[0])] }
    if isClosed, points.count > 2 { ends.append((points[points.count - 1], points[0])) }
    for (start, end) in ends { line(start, end, color, thickness, opacity) }
  }

  /// Draws the outline of a rectangle.
  ///
  /// - Parameters:
  ///   - rectangle: the rectangle; the line lies inside.
  ///   - color: the color.
  ///   - thickness: the thickness in pixels.
  public mutating func draw(
    _ rectangle: CropRectangle, color: PixelColor, thickness: Double = 2
  ) {
    let (width, height) = (
      min(thickness, rectangle.width / 2), min(thickness, rectangle.height / 2)
    )
    let inner = rectangle.height - 2 * height
    let (right, bottom) = (rectangle.x + rectangle.width, rectangle.y + rectangle.height)
    func part(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
      fill(CropRectangle(x: x, y: y, width: width, height: height), color: color)
    }
    part(rectangle.x, rectangle.y, rectangle.width, height)
    part(rectangle.x, bottom - height, rectangle.width, height)
    part(rectangle.x, rectangle.y + height, width, inner)
    part(right - width, rectangle.y + height, width, inner)
  }

  /// Draws a dot for each keypoint, and lines between some of them.
  ///
  /// - Parameters:
  ///   - keypoints: the points, as fractions of the picture.
  ///   - minimumScore: the score that a point must exceed; lines need two such points.
  ///   - lines: pairs of indices of keypoints, such as the bones of a skeleton; others are ignored.
  ///   - color: the color of a point; that of a line is the color of its first point.
  ///   - radius: the radius of a dot in pixels.
  public mutating func draw(
    _ keypoints: [Keypoint], minimumScore: Float = 0, lines: [(Int, Int)] = [],
    color: (Int) -> PixelColor = PixelColor.distinct, radius: Double = 3
  ) {
    func place(_ index: Int) -> CanvasPoint? {
      guard keypoints.indices.contains(index), keypoints[index].score > minimumScore else {
        return nil
      }
      return CanvasPoint(
        x: Double(keypoints[index].x) * Double(width),
        y: Double(keypoints[index].y) * Double(height))
    }
    for (first, second) in lines {
      guard let start = place(first), let end = place(second) else { continue }
      line(start, end, color(first), radius * 0.7, 1)
    }
    for index in keypoints.indices {
      guard let point = place(index) else { continue }
      line(point, point, color(index), 2 * radius, 1)
    }
  }

  /// Draws a line: a pixel is covered as far as it is nearer than half the thickness.
  private mutating func line(
    _ start: CanvasPoint, _ end: CanvasPoint, _ color: PixelColor, _ thickness: Double,
    _ opacity: Double
  ) {
    guard [start.x, start.y, end.x, end.y, thickness].allSatisfy({ $0.isFinite && abs($0) < 1e9 }),
      thickness > 0
    else { return }
    let reach = thickness / 2 + 0.5
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let square = dx * dx + dy * dy
    let top = min(start.y, end.y) - reach
    guard
      let rows = Self.pixels(from: top, max(start.y, end.y) + reach - top, below: height)
    else { return }
    for y in rows {
      let py = Double(y) + 0.5 - start.y
      // Where the line crosses this row and its neighbors within reach.
      var (left, right) = (min(start.x, end.x), max(start.x, end.x))
      if abs(dy) > 1e-9 {
        let shares = [(py - reach) / dy, (py + reach) / dy].map { min(max($0, 0), 1) }
        let xs = shares.map { start.x + $0 * dx }
        (left, right) = (min(xs[0], xs[1]), max(xs[0], xs[1]))
      }
      left -= reach
      guard let columns = Self.pixels(from: left, right + reach - left, below: width) else {
        continue
      }
      for x in columns {
        let px = Double(x) + 0.5 - start.x
        let share = square > 0 ? min(max((px * dx + py * dy) / square, 0), 1) : 0
        let (ox, oy) = (px - share * dx, py - share * dy)
        let cover = reach - (ox * ox + oy * oy).squareRoot()
        if cover > 0 { blend(x, y, color, opacity * min(cover, 1)) }
      }
    }
  }
}
