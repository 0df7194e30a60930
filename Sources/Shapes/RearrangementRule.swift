/// The shapes of tensors whose elements are only moved, cropped or repeated.
package enum RearrangementRule {
  /// The shape of all elements of `input` as a vector: 1×1×count.
  ///
  /// - Throws: ``ShapeError`` when a size is unknown.
  package static func flatten(_ input: Shape) throws(ShapeError) -> Shape {
    let sizes = try ArgumentRule.known(input, "a known number of elements to flatten")
    guard let count = Shape.product(of: sizes) else { throw .tooManyElements() }
    return .vector(count)
  }

  /// The shape `target`, in which one size may be −1 and follows from the others.
  ///
  /// - Throws: ``ShapeError`` when the numbers of elements differ or a size is unknown.
  package static func reshape(_ input: Shape, to target: [Int]) throws(ShapeError) -> Shape {
    let sizes = try ArgumentRule.known(input, "a known number of elements to reshape")
    guard let count = Shape.product(of: sizes) else { throw .tooManyElements() }
    let text = "[" + target.map(String.init).joined(separator: ", ") + "]"
    guard (1...Shape.maximumRank).contains(target.count),
      target.allSatisfy({ $0 >= 1 || $0 == -1 }), target.count(where: { $0 == -1 }) <= 1
    else {
      throw .outOfRange(
        "shape", text,
        needs: "1 to \(Shape.maximumRank) positive sizes, of which one may be -1")
    }
    guard let known = Shape.product(of: target.filter { $0 != -1 }) else {
      throw .tooManyElements()
    }
    let fits = target.contains(-1) ? count.isMultiple(of: known) : count == known
    guard fits else { throw .cannotReshape(count, to: text) }
    return try SizeRule.bounded(Shape(target.map { $0 == -1 ? count / known : $0 }))
  }

  /// The shape whose axis `i` is axis `order[i]` of `input`.
  ///
  /// - Throws: ``ShapeError`` when `order` is not a permutation.
  package static func permute(_ input: Shape, order: [Int]) throws(ShapeError) -> Shape {
    guard order.sorted() == Array(0..<input.rank) else {
      throw .badPermutation(order, rank: input.rank)
    }
    return Shape(order.map { input.dimensions[$0] })
  }

  /// The shape with `edges` pixels added around an image.
  package static func pad(_ input: Shape, by edges: Edges) throws(ShapeError) -> Shape {
    try ArgumentRule.image(input)
    try ArgumentRule.nonNegative(edges, "padding")
    return try SizeRule.bounded(
      Shape(
        width: input.width.map { $0 + edges.left + edges.right },
        height: input.height.map { $0 + edges.top + edges.bottom },
        channels: input.channels))
  }

  /// The shape with `edges` pixels cropped from an image.
  package static func crop(_ input: Shape, by edges: Edges) throws(ShapeError) -> Shape {
    try ArgumentRule.image(input)
    try ArgumentRule.nonNegative(edges, "crop")
    let width = input.width.map { $0 - edges.left - edges.right }
    let height = input.height.map { $0 - edges.top - edges.bottom }
    if (width ?? 1) < 1 || (height ?? 1) < 1 {
      throw .emptyOutput(
        needs: "width above \(edges.left + edges.right) and height above "
          + "\(edges.top + edges.bottom) to cut \(edges)")
    }
    return Shape(width: width, height: height, channels: input.channels)
  }

  /// The shape of an image enlarged by whole factors.
  package static func upSample(_ input: Shape, by factor: Size) throws(ShapeError) -> Shape {
    try ArgumentRule.image(input)
    try ArgumentRule.positive(factor, "size")
    return try SizeRule.bounded(
      Shape(
        width: input.width.map { $0 * factor.width },
        height: input.height.map { $0 * factor.height }, channels: input.channels))
  }

  /// The shape of an image resized to `size`.
  package static func resize(_ input: Shape, to size: Size) throws(ShapeError) -> Shape {
    try ArgumentRule.image(input)
    try ArgumentRule.positive(size, "size")
    return try SizeRule.bounded(
      Shape(width: size.width, height: size.height, channels: input.channels))
  }
}
