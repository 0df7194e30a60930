extension [DetectedBox] {
  /// The boxes that are left by non-maximum suppression, highest score first.
  ///
  /// Going down the scores, a box is dropped if it overlaps one that was kept by more than `iou`.
  /// Boxes of equal score keep their order.
  ///
  /// ```swift
  /// let boxes = [0.9, 0.8].map { score in
  ///   DetectedBox(label: 0, score: score, x: 0.5, y: 0.5, width: 0.2, height: 0.2)
  /// }
  /// let kept = boxes.suppressed(iou: 0.45)  // one box
  /// ```
  ///
  /// - Parameters:
  ///   - iou: the largest ``DetectedBox/intersectionOverUnion(with:)`` of two boxes that are kept.
  ///   - acrossLabels: whether boxes of different classes drop each other; by default, only those
  ///     of the same class do.
  /// - Returns: the boxes that are kept.
  public func suppressed(iou: Float, acrossLabels: Bool = false) -> [DetectedBox] {
    // NaN has no place in an order.
    let ranks = map { $0.score.isNaN ? -Float.infinity : $0.score }
    let order = indices.sorted { ranks[$0] == ranks[$1] ? $0 < $1 : ranks[$0] > ranks[$1] }
    var kept: [DetectedBox] = []
    var rivals: [Int: [DetectedBox]] = [:]
    for index in order {
      let box = self[index]
      let group = acrossLabels ? 0 : box.label
      let isDropped = rivals[group, default: []].contains {
        $0.intersectionOverUnion(with: box) > iou
      }
      guard !isDropped else { continue }
      rivals[group, default: []].append(box)
      kept.append(box)
    }
    return kept
  }
}
