import Foundation

/// Levels as bars with round ends around a middle line.
struct Strip {
  /// The levels in decibels, from the floor to 0.
  let levels: [Float]
  /// The level of the lowest bar.
  let floor: Float

  private static let (pitch, thickness, height) = (8.0, 5.0, 64.0)

  /// The share of the full height of each bar.
  private var heights: [Double] { levels.map { Double(1 - max($0, floor) / floor) } }

  /// The picture.
  var svg: String {
    let (pitch, thickness, height) = (Self.pitch, Self.thickness, Self.height)
    let width = pitch * Double(levels.count + 1)
    let bars = heights.enumerated().map { index, share in
      let length = max(thickness, share * (height - 2 * thickness))
      let x = pitch * Double(index) + pitch - thickness / 2
      return String(
        format: #"<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"/>"#,
        x, (height - length) / 2, thickness, length, thickness / 2)
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
      width="\(Int(width))" height="\(Int(height))">
      <rect width="100%" height="100%" rx="12" fill="#eef3fb"/>
      <g fill="#2f6fdb">
      \(bars.joined(separator: "\n"))
      </g>
      </svg>

      """
  }

  /// The bars as one line of text.
  var text: String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    return String(heights.map { blocks[min(Int($0 * Double(blocks.count)), blocks.count - 1)] })
  }
}
