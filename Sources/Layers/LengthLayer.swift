import ForgeOperations
import ForgeShapes

/// A layer whose arguments follow the length of the sequences of a model; importers make them.
package protocol LengthLayer: BuiltInLayer {
  /// The largest length.
  var maximumLength: Int { get }
  /// Lowers the layer for sequences of a length.
  ///
  /// - Throws: `ShapeError` naming the rule that the inputs or arguments violate.
  func lower(into lowering: inout Lowering, length: Int) throws(ShapeError)
}

/// A layer that is computed once for each entry of its input's first axis, so that their number is
/// a part of the network.
package protocol UnrolledLayer: Layer {
  /// Whether the layer is unrolled for an input of a rank.
  func isUnrolled(rank: Int) -> Bool
}

extension LengthLayer {
  /// Lowers the layer for the length at which a model is lowered.
  package func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.maximumLength = maximumLength
    try lower(into: &lowering, length: lowering.length ?? maximumLength)
  }

  /// The arguments for a length.
  fileprivate func numbers(
    _ sizes: [LengthSize], _ length: Int
  ) throws(ShapeError) -> [Int] {
    var numbers: [Int] = []
    for size in sizes {
      guard let number = size[length] else { throw .tooManyElements() }
      numbers.append(number)
    }
    return numbers
  }
}

/// A layer that is described by the sizes of its result.
package protocol SizedLayer: BuiltInLayer {
  /// Creates the layer for sizes in memory order.
  static func to(_ sizes: [Int]) -> Self
}

extension Reshape: SizedLayer {
  package static func to(_ sizes: [Int]) -> Reshape { Reshape(to: sizes) }
}

extension Expand: SizedLayer {
  package static func to(_ sizes: [Int]) -> Expand { Expand(to: sizes) }
}

/// A ``Reshape`` to sizes of which several follow the length.
package typealias LengthReshape = LengthSized<Reshape>

/// An ``Expand`` to sizes that follow the length.
package typealias LengthExpand = LengthSized<Expand>

/// A layer whose sizes follow the length.
package struct LengthSized<Base: SizedLayer>: LengthLayer {
  package static var summaryName: String { Base.summaryName }
  package let label: LayerLabel
  package let maximumLength: Int
  /// The sizes in memory order.
  package let sizes: [LengthSize]

  package init(to sizes: [LengthSize], maximumLength: Int, name: String? = nil) {
    (self.sizes, self.maximumLength) = (sizes, maximumLength)
    label = LayerLabel(name, #fileID, #line, #column)
  }

  package func lower(into lowering: inout Lowering, length: Int) throws(ShapeError) {
    try Base.to(numbers(sizes, length)).lower(into: &lowering)
  }
}

/// A ``Slice`` whose places follow the length.
package struct LengthSlice: LengthLayer {
  package static var summaryName: String { Slice.summaryName }
  package let label: LayerLabel
  package let maximumLength: Int
  package let starts, ends: [LengthSize]
  package let axes, steps: [Int]

  package init(
    starts: [LengthSize], ends: [LengthSize], axes: [Int], steps: [Int], maximumLength: Int
  ) {
    (self.starts, self.ends, self.axes, self.steps) = (starts, ends, axes, steps)
    self.maximumLength = maximumLength
    label = LayerLabel(nil, #fileID, #line, #column)
  }

  package func lower(into lowering: inout Lowering, length: Int) throws(ShapeError) {
    // A crop that takes the whole of the longest sequence would be dropped there.
    try Slice(
      starts: numbers(starts, length), ends: numbers(ends, length), axes: axes, steps: steps
    ).lower(into: &lowering, crops: false)
  }
}

/// A ``Constant`` of which layers after it take a part that follows the length.
///
/// What is computed from it is computed in each prediction: folded, it would be values of one
/// length.
package struct LengthConstant: LengthLayer {
  package static var summaryName: String { Constant.summaryName }
  package let label: LayerLabel
  package let maximumLength: Int
  package let values: [Float]
  package let shape: Shape

  package init(_ values: [Float], shape: Shape, maximumLength: Int) {
    (self.values, self.shape, self.maximumLength) = (values, shape, maximumLength)
    label = LayerLabel(nil, #fileID, #line, #column)
  }

  package func lower(into lowering: inout Lowering, length: Int) throws(ShapeError) {
    try Constant(values, shape: shape).lower(into: &lowering)
    if let output = lowering.output { lowering.graph.computedInPredictions.insert(output.index) }
  }
}
