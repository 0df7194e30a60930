import Forge
import ForgeSystem

/// Functions over the values of an output.
extension Array where Element == Float {
  /// The softmax: `exp(x) / Σ exp(x)`, computed in double precision after the largest is
  /// subtracted.
  ///
  /// ```swift
  /// print([0, 0].softmax())  // [0.5, 0.5]
  /// ```
  ///
  /// - Returns: numbers that sum to 1; all NaN if one is NaN or +∞.
  public func softmax() -> [Float] {
    let largest = Double(self.max() ?? 0)
    let powers = map { exp(Double($0) - largest) }
    let sum = powers.reduce(0, +)
    return powers.map { Float($0 / sum) }
  }

  /// The class of the largest value of each pixel, such as the segments of a picture.
  ///
  /// - Parameters:
  ///   - width: the number of columns.
  ///   - height: the number of rows.
  ///   - classes: the number of classes.
  ///   - layout: the order of the values.
  /// - Returns: height × width numbers of classes; of equal values the first counts, NaN never
  ///   does.
  /// - Throws: ``ImageError`` when sizes and values do not fit each other.
  public func argmaxMap(
    width: Int, height: Int, classes: Int, layout: ImageLayout = .channelsLast
  ) throws(ImageError) -> [Int] {
    let count = try checkedCount([("columns", width), ("rows", height), ("classes", classes)])
    guard self.count == count else { throw .wrongOutput(self.count, needs: count, what: "a map") }
    return withUnsafeBufferPointer { values in
      let cells = GridValues(
        values: values, cells: width * height, channels: classes, layout: layout)
      return (0..<width * height).map { cell in
        var (best, label) = (-Float.infinity, 0)
        for index in 0..<classes where cells[cell, index] > best {
          (best, label) = (cells[cell, index], index)
        }
        return label
      }
    }
  }

  /// The places of the largest value of each heat map, such as the joints of a person.
  ///
  /// A place is the center of its cell, moved by a quarter of a cell to the larger neighbor in each
  /// direction, as in HRNet and SimpleBaseline.
  ///
  /// - Parameters:
  ///   - width: the number of columns of a map.
  ///   - height: the number of rows of a map.
  ///   - count: the number of maps.
  ///   - layout: `.channelsFirst` for one map after the other.
  /// - Returns: a keypoint for each map, as fractions of the map; of a map without numbers, one at
  ///   the center with the score 0.
  /// - Throws: ``ImageError`` when sizes and values do not fit each other.
  public func keypoints(
    width: Int, height: Int, count: Int, layout: ImageLayout = .channelsFirst
  ) throws(ImageError) -> [Keypoint] {
    let total = try checkedCount([("columns", width), ("rows", height), ("maps", count)])
    guard self.count == total else {
      throw .wrongOutput(self.count, needs: total, what: "heat maps")
    }
    return withUnsafeBufferPointer { values in
      let cells = GridValues(
        values: values, cells: width * height, channels: count, layout: layout)
      return (0..<count).map { map in
        var (best, bestCell) = (-Float.infinity, -1)
        for cell in 0..<width * height where cells[cell, map] > best {
          (best, bestCell) = (cells[cell, map], cell)
        }
        guard bestCell >= 0 else { return Keypoint(x: 0.5, y: 0.5, score: 0) }
        let (row, column) = bestCell.quotientAndRemainder(dividingBy: width)
        func shift(_ low: Int?, _ high: Int?) -> Float {
          guard let low, let high else { return 0 }
          let (before, after) = (cells[low, map], cells[high, map])
          return after > before ? 0.25 : after < before ? -0.25 : 0
        }
        let x = shift(
          column > 0 ? bestCell - 1 : nil, column < width - 1 ? bestCell + 1 : nil)
        let y = shift(
          row > 0 ? bestCell - width : nil, row < height - 1 ? bestCell + width : nil)
        return Keypoint(
          x: (Float(column) + 0.5 + x) / Float(width), y: (Float(row) + 0.5 + y) / Float(height),
          score: best)
      }
    }
  }

  /// The classes that a network with connectionist temporal classification (CTC) has read.
  ///
  /// The most likely class of each step is taken; then classes that follow each other are joined,
  /// and blanks are dropped.
  ///
  /// - Parameters:
  ///   - steps: the number of steps.
  ///   - classes: the number of classes, the blank included.
  ///   - blank: the class that stands for nothing.
  /// - Returns: the classes in the order of the steps.
  /// - Throws: ``ImageError`` when steps, classes and values do not fit each other, or there is no
  ///   such class.
  public func ctcClasses(
    steps: Int, classes: Int, blank: Int = 0
  ) throws(ImageError) -> [Int] {
    let best = try argmaxMap(width: 1, height: steps, classes: classes)
    guard (0..<classes).contains(blank) else { throw .badCount("blank", blank) }
    var read: [Int] = []
    var last: Int?
    for label in best {
      if label != blank, label != last { read.append(label) }
      last = label
    }
    return read
  }

  /// The text that a network with connectionist temporal classification (CTC) has read.
  ///
  /// See ``ctcClasses(steps:classes:blank:)``.
  ///
  /// - Parameters:
  ///   - alphabet: the text of each class; that of the blank is not used.
  ///   - steps: the number of steps.
  ///   - blank: the class that stands for nothing.
  /// - Returns: the text.
  /// - Throws: ``ImageError`` when steps, alphabet and values do not fit each other.
  public func ctcText(
    alphabet: [String], steps: Int, blank: Int = 0
  ) throws(ImageError) -> String {
    try ctcClasses(steps: steps, classes: alphabet.count, blank: blank)
      .map { alphabet[$0] }.joined()
  }
}

extension [DetectedBox] {
  /// How soft suppression lowers the score of a box that overlaps a better one.
  public enum Decay: Hashable, Sendable {
    /// `score · exp(−overlap² / sigma)`.
    case gaussian(sigma: Float)
    /// `score · (1 − overlap)` for overlaps above `threshold`.
    case linear(threshold: Float)
  }

  /// The boxes that are left by soft non-maximum suppression, highest score first.
  ///
  /// Repeatedly takes the box with the highest score and lowers the scores of those that overlap
  /// it, until no score is above the minimum. Boxes of equal score keep their order.
  ///
  /// - Parameters:
  ///   - decay: how scores are lowered.
  ///   - minimumScore: the score that a box must exceed.
  ///   - acrossLabels: whether boxes of different classes lower each other; by default, only those
  ///     of the same class do.
  ///   - candidates: the boxes of the highest scores that take part; the others are dropped.
  /// - Returns: the boxes with their lowered scores.
  public func softSuppressed(
    _ decay: Decay = .gaussian(sigma: 0.5), minimumScore: Float, acrossLabels: Bool = false,
    candidates: Int = 2000
  ) -> [DetectedBox] {
    let ranked = indices.filter { self[$0].score > minimumScore }
      .sorted { self[$0].score == self[$1].score ? $0 < $1 : self[$0].score > self[$1].score }
    // In their first order, so that equal scores keep it.
    var rest = ranked.prefix(Swift.max(candidates, 0)).sorted().map { self[$0] }
    var kept: [DetectedBox] = []
    while !rest.isEmpty {
      var best = 0
      for index in rest.indices where rest[index].score > rest[best].score { best = index }
      let box = rest.remove(at: best)
      kept.append(box)
      for index in rest.indices where acrossLabels || rest[index].label == box.label {
        rest[index].score *= decay.factor(rest[index].intersectionOverUnion(with: box))
      }
      rest.removeAll { !($0.score > minimumScore) }
    }
    return kept
  }
}

extension [DetectedBox].Decay {
  fileprivate func factor(_ overlap: Float) -> Float {
    switch self {
    case .gaussian(let sigma): exp(-overlap * overlap / sigma)
    case .linear(let threshold): overlap > threshold ? 1 - overlap : 1
    }
  }
}
