/// The shapes of combinations of several tensors.
package enum CombinationRule {
  /// The shape of an elementwise operation on `shapes`, by NumPy's broadcasting rule.
  ///
  /// Shapes are aligned at their last axis; sizes must be equal or 1. An unknown size may only be
  /// combined with 1 or another unknown size.
  ///
  /// - Throws: ``ShapeError`` of kind `shapeMismatch`.
  package static func broadcast(_ shapes: [Shape]) throws(ShapeError) -> Shape {
    for shape in shapes where shape.rank == 0 { throw .badRank(0) }
    let rank = shapes.map(\.rank).max() ?? 0
    var result: [Int?] = Array(repeating: 1, count: rank)
    for shape in shapes {
      for (offset, size) in shape.dimensions.enumerated() {
        let axis = rank - shape.rank + offset
        switch (result[axis], size) {
        case (1, let other): result[axis] = other
        case (_, 1): break
        case (let a?, let b?):
          guard a == b else { throw .cannotBroadcast() }
        case (nil, let known?): result[axis] = known
        case (_, nil): break
        }
      }
    }
    return try SizeRule.bounded(Shape(result))
  }

  /// The shape of `shapes` joined along `axis` (0 is outermost, −1 the last).
  ///
  /// - Throws: ``ShapeError`` when ranks or the other sizes differ.
  package static func concatenate(_ shapes: [Shape], axis: Int) throws(ShapeError) -> Shape {
    guard let first = shapes.first else {
      throw .wrongInputCount(0, needs: "at least 1 tensor")
    }
    let along = try self.axis(axis, rank: first.rank)
    let name = first.isImage ? first.axes[along].rawValue : "\(along)"
    var result = first.dimensions
    for shape in shapes.dropFirst() {
      guard shape.rank == first.rank else { throw .cannotConcatenate(axis: name) }
      for (index, size) in shape.dimensions.enumerated() {
        let known = result[index]
        if index == along {
          let sum = known.flatMap { a in size.map { a.addingReportingOverflow($0) } }
          guard sum?.overflow != true else { throw .tooManyElements() }
          result[index] = sum?.partialValue
        } else {
          guard known == size || known == nil || size == nil else {
            throw .cannotConcatenate(axis: name)
          }
          result[index] = known ?? size
        }
      }
    }
    return try SizeRule.bounded(Shape(result))
  }

  /// Converts an axis to a non-negative one; negative axes count from the back.
  ///
  /// - Throws: ``ShapeError`` of kind `invalidArgument`.
  package static func axis(_ axis: Int, rank: Int) throws(ShapeError) -> Int {
    guard (-rank..<rank).contains(axis) else {
      throw .outOfRange("axis", "\(axis)", needs: "\(-rank) to \(rank - 1)")
    }
    return axis < 0 ? axis + rank : axis
  }
}
