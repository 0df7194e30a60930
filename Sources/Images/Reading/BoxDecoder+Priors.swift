import Forge
import ForgeSystem

/// A box of which an SSD network says the difference: fractions of the picture.
public struct PriorBox: Hashable, Sendable {
  /// The horizontal position of the center.
  public let x: Float
  /// The vertical position of the center.
  public let y: Float
  /// The width.
  public let width: Float
  /// The height.
  public let height: Float

  /// Creates a prior box.
  public init(x: Float, y: Float, width: Float, height: Float) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The prior boxes of one map of an SSD network, in the order of rows, columns and boxes.
  ///
  /// For each cell there is a square of `scale`, a square of `√(scale · nextScale)` if it is given,
  /// and for each ratio `r` a box of `scale·√r` by `scale/√r`. Centers are those of the cells.
  ///
  /// - Parameters:
  ///   - grid: the columns and rows of the map.
  ///   - scale: the size of a square as a part of the picture.
  ///   - nextScale: that of the next map.
  ///   - ratios: the ratios of width to height other than 1.
  /// - Returns: the boxes.
  /// - Throws: ``ImageError`` when a size or a ratio is not positive.
  public static func grid(
    _ grid: Size, scale: Float, nextScale: Float? = nil, ratios: [Float]
  ) throws(ImageError) -> [PriorBox] {
    let perCell = ratios.count + (nextScale == nil ? 1 : 2)
    let count = try checkedCount([
      ("columns", grid.width), ("rows", grid.height), ("boxes of a cell", perCell),
    ])
    for number in ratios + [scale] + (nextScale.map { [$0] } ?? [])
    where !(number > 0 && number.isFinite) {
      throw .badNumber("scale or ratio", number)
    }
    guard count < 1 << 26 else { throw .badCount("prior boxes", count) }
    var sizes = [(scale, scale)]
    if let nextScale {
      let size = (scale * nextScale).squareRoot()
      sizes.append((size, size))
    }
    sizes += ratios.map { (scale * $0.squareRoot(), scale / $0.squareRoot()) }
    var boxes: [PriorBox] = []
    boxes.reserveCapacity(count)
    for row in 0..<grid.height {
      for column in 0..<grid.width {
        for (width, height) in sizes {
          boxes.append(
            PriorBox(
              x: (Float(column) + 0.5) / Float(grid.width),
              y: (Float(row) + 0.5) / Float(grid.height), width: width, height: height))
        }
      }
    }
    return boxes
  }
}

/// SSD networks.
extension BoxDecoder {
  /// How the scores of an SSD network are made of its numbers.
  public enum Scores: Hashable, Sendable {
    /// They are scores already.
    case given
    /// The softmax over the classes.
    case softmax
    /// The sigmoid of each.
    case sigmoid
  }

  /// Differences to prior boxes: SSD and RetinaNet.
  ///
  /// ```
  /// x      = prior.x + x · variances.0 · prior.width
  /// width  = prior.width · exp(width · variances.1)
  /// ```
  ///
  /// and likewise y and height. The values are the differences of all boxes (x, y, width, height of
  /// each), then the numbers of all boxes (one for each class of each); join the outputs in this
  /// order.
  ///
  /// - Parameters:
  ///   - priors: the prior boxes, in the order of the network.
  ///   - classes: the number of classes, the background included.
  ///   - variances: the factors of positions and of sizes.
  ///   - scores: how scores are made.
  ///   - background: the class that stands for nothing; `nil` if there is none. Labels keep their
  ///     numbers.
  /// - Returns: the decoder; there is a box for each class above the score.
  /// - Throws: ``ImageError`` when there are no boxes or no classes.
  public static func ssd(
    priors: [PriorBox], classes: Int, variances: (Float, Float) = (0.1, 0.2),
    scores: Scores = .softmax, background: Int? = 0
  ) throws(ImageError) -> BoxDecoder {
    let channels = classes.addingSaturated(4)
    _ = try checkedCount([("classes", classes)])
    let valueCount = try checkedCount([("prior boxes", priors.count), ("values", channels)])
    return BoxDecoder(valueCount: valueCount) { values, minimumScore in
      var found: [DetectedBox] = []
      let numbers = UnsafeBufferPointer(rebasing: values[(4 * priors.count)...])
      for (index, prior) in priors.enumerated() {
        let classNumbers = numbers[classes * index..<classes * (index + 1)]
        let scores = scores.made(of: classNumbers)
        for (label, score) in scores.enumerated()
        where score > minimumScore && label != background {
          let v = UnsafeBufferPointer(rebasing: values[4 * index..<4 * index + 4])
          found.append(
            DetectedBox(
              label: label, score: score, x: prior.x + v[0] * variances.0 * prior.width,
              y: prior.y + v[1] * variances.0 * prior.height,
              width: prior.width * exp(v[2] * variances.1),
              height: prior.height * exp(v[3] * variances.1)))
        }
      }
      return found
    }
  }
}

extension BoxDecoder.Scores {
  fileprivate func made(of numbers: Swift.Slice<UnsafeBufferPointer<Float>>) -> [Float] {
    switch self {
    case .given: Array(numbers)
    case .sigmoid: numbers.map { Float(ForgeImages.sigmoid($0)) }
    case .softmax: Array(numbers).softmax()
    }
  }
}
