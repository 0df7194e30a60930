/// A box that a detector found in a picture, with its class and score.
///
/// All lengths are fractions of the picture that entered the network: 0 is its left or top edge and
/// 1 its right or bottom edge. A box may reach beyond the picture.
///
/// ```swift
/// let box = DetectedBox(label: 16, score: 0.87, x: 0.5, y: 0.5, width: 0.2, height: 0.4)
/// print(box.left, box.bottom)  // 0.4 0.7
/// ```
public struct DetectedBox: Hashable, Sendable {
  /// The number of the class, from 0.
  public var label: Int
  /// The score, from 0 to 1.
  public var score: Float
  /// The horizontal position of the center.
  public var x: Float
  /// The vertical position of the center.
  public var y: Float
  /// The width.
  public var width: Float
  /// The height.
  public var height: Float

  /// Creates a box.
  ///
  /// - Parameters:
  ///   - label: the number of the class, from 0.
  ///   - score: the score, from 0 to 1.
  ///   - x: the horizontal position of the center, from 0 to 1 in the picture.
  ///   - y: the vertical position of the center, from 0 to 1 in the picture.
  ///   - width: the width as a part of the picture's.
  ///   - height: the height as a part of the picture's.
  public init(label: Int, score: Float, x: Float, y: Float, width: Float, height: Float) {
    self.label = label
    self.score = score
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The position of the left edge.
  public var left: Float { x - width / 2 }
  /// The position of the top edge.
  public var top: Float { y - height / 2 }
  /// The position of the right edge.
  public var right: Float { x + width / 2 }
  /// The position of the bottom edge.
  public var bottom: Float { y + height / 2 }

  /// The area that two boxes share, divided by the area that they cover together.
  ///
  /// - Parameter other: the other box.
  /// - Returns: from 0, for boxes that do not touch, to 1, for equal ones; 0 without any area, or
  ///   if a number is not finite.
  public func intersectionOverUnion(with other: DetectedBox) -> Float {
    let numbers = [x, y, width, height, other.x, other.y, other.width, other.height]
    guard numbers.allSatisfy(\.isFinite) else { return 0 }
    // Double holds the product of any two numbers of Float32.
    func overlap(_ a: Float, _ aSize: Float, _ b: Float, _ bSize: Float) -> Double {
      let (a, b, aHalf, bHalf) = (Double(a), Double(b), Double(aSize) / 2, Double(bSize) / 2)
      return max(min(a + aHalf, b + bHalf) - max(a - aHalf, b - bHalf), 0)
    }
    let shared =
      overlap(x, width, other.x, other.width) * overlap(y, height, other.y, other.height)
    let covered =
      Double(width) * Double(height) + Double(other.width) * Double(other.height) - shared
    return covered > 0 ? Float(shared / covered) : 0
  }
}

extension DetectedBox: CustomStringConvertible {
  /// The class, the score, and the edges: `16: 0.87, 0.4…0.6 × 0.3…0.7`.
  public var description: String {
    "\(label): \(score), \(left)…\(right) × \(top)…\(bottom)"
  }
}
