import Foundation

/// The sine wave that is crushed, and how it is drawn.
enum Wave {
  /// Samples per second.
  static let rate = 48_000.0
  /// Hertz.
  static let frequency = 440.0

  /// Samples of the wave, from a position on.
  static func samples(from start: Int, count: Int) -> [Float] {
    (start..<start + count).map {
      Float(0.9 * sin(2 * Double.pi * frequency * Double($0) / rate))
    }
  }

  /// A picture of both waves, one point per sample; samples are steps, as a converter holds them.
  static func svg(before: [Float], after: [Float]) -> String {
    let (width, height, margin) = (900.0, 360.0, 30.0)
    func x(_ index: Int) -> Double {
      margin + (width - 2 * margin) * Double(index) / Double(max(before.count - 1, 1))
    }
    func y(_ value: Float) -> Double { height / 2 - (height / 2 - margin) * Double(value) }
    func point(_ index: Int, _ value: Float) -> String {
      String(format: "%.1f,%.1f", x(index), y(value))
    }
    let smooth = before.enumerated().map { point($0, $1) }
    let steps = after.enumerated().flatMap { index, value in
      index + 1 < after.count
        ? [point(index, value), point(index + 1, value)] : [point(index, value)]
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
      font-family="sans-serif" font-size="14">
      <rect width="100%" height="100%" fill="white"/>
      <line x1="\(margin)" y1="\(height / 2)" x2="\(width - margin)" y2="\(height / 2)" \
      stroke="#ccc"/>
      <polyline fill="none" stroke="#999" stroke-width="1.5" points="\(smooth.joined(separator: " "))"/>
      <polyline fill="none" stroke="#c03" stroke-width="2" points="\(steps.joined(separator: " "))"/>
      <text x="\(margin)" y="20" fill="#777">before</text>
      <text x="\(margin + 60)" y="20" fill="#c03">after</text>
      </svg>

      """
  }
}
