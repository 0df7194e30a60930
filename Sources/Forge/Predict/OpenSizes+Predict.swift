import ForgeGraph
import ForgeShapes

extension OpenSizes {
  /// Checks the sizes of the inputs of a prediction.
  ///
  /// - Parameters:
  ///   - shapes: the shapes of the inputs, whose other sizes have been checked.
  ///   - names: the names of the inputs.
  /// - Throws: ``PredictionError`` when a size is out of its range, or sizes of one name differ.
  func check(_ shapes: [Shape], of names: [String]) throws(PredictionError) {
    var found: [String: (input: String, size: Int)] = [:]
    for (index, shape) in shapes.enumerated() {
      for axis in axes[index] {
        guard let size = shape.dimensions[axis.axis] else { continue }
        guard axis.sizes.place(of: size) != nil else {
          throw .wrongOpenSize(names[index], received: shape, axes: axes[index])
        }
        if let other = found[axis.name], other.size != size {
          throw .differentSizes(axis.name, [other, (names[index], size)])
        }
        found[axis.name] = (names[index], size)
      }
    }
  }

  /// The shape of an input of this many values, where only one of its sizes is open; `nil` where
  /// the number does not tell.
  func shape(ofInput index: Int, _ declared: Shape, count: Int) -> Shape? {
    guard axes[index].count == 1, let axis = axes[index].first else { return nil }
    var sizes = declared.dimensions
    sizes[axis.axis] = 1
    guard let unit = Shape(sizes).elementCount, unit > 0, count > 0, count.isMultiple(of: unit)
    else { return nil }
    sizes[axis.axis] = count / unit
    return Shape(sizes)
  }
}

extension PredictionError {
  /// An input with a size that its range does not have.
  static func wrongOpenSize(
    _ input: String, received: Shape, axes: [OpenAxis]
  ) -> PredictionError {
    let sizes = axes.map { "\($0.name.printable) \($0.sizes.text)" }
    return PredictionError(
      .wrongShape, "input \"\(input)\" has a size out of range", received: "\(received)",
      needs: sizes.joined(separator: ", "),
      remedy: "pad or resize the input, or declare a larger range")
  }

  /// Inputs, or axes of one input, that differ in a size that they share.
  static func differentSizes(
    _ name: String, _ sizes: [(input: String, size: Int)]
  ) -> PredictionError {
    PredictionError(
      .wrongShape, "the inputs differ in \"\(name.printable)\"",
      received: sizes.map { "\($0.size) in \"\($0.input)\"" }.joined(separator: ", "),
      needs: "one size, because all have the name \"\(name.printable)\"")
  }

  /// The network does not take inputs of these sizes, although they are within the ranges.
  static func sizesNotTaken(
    _ shapes: [Shape], of names: [String], _ error: CompileError
  ) -> PredictionError {
    let sizes = zip(names, shapes).map { "\($1) for \"\($0.printable)\"" }
    return PredictionError(
      .wrongShape,
      Problem(
        headline: "the network does not take inputs of these sizes",
        details: [("received", sizes.joined(separator: ", "))], cause: error))
  }
}
