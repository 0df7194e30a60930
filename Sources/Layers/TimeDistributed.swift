import ForgeOperations
import ForgeShapes

/// Applies a layer to each time of a sequence, with the same parameters.
///
/// `y(t, …) = layer(x(t, …))`. A vector of a time is an image of one pixel for the layer.
///
/// - Input shape: [time][channels], or [time][height][width][channels] and other shapes, whose axes
///   after the first are the layer's input. The number of times is known and at most 1,024.
/// - Output shape: [time] and the axes of the layer's output, without the first two of
///   1×1×channels.
/// - Parameters: those of the layer, under the name of this one.
/// - Errors: those of the layer; `unknownSize` for an unknown number of times, `tooLarge` for too
///   many, `invalidArgument` for a layer with a state and several times, `shapeMismatch` for a
///   sequence of changing length. ``Dense`` along two axes takes any number of times.
/// - Names elsewhere: Keras TimeDistributed.
///
/// ```swift
/// Input(shape: [10, 32, 32, 3])
///   --> TimeDistributed(Convolution(kernel: (3, 3), channels: 8), name: "conv1")  // 10×32×32×8
/// ```
public struct TimeDistributed: BuiltInLayer, UnrolledLayer {
  /// `TimeDist`.
  public static var summaryName: String { "TimeDist" }
  package let label: LayerLabel
  /// The layer.
  public let layer: any Layer

  /// Creates a layer of layers.
  ///
  /// - Parameters:
  ///   - layer: the layer; its own name is not used.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ layer: some Layer, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.layer = layer
    label = LayerLabel(name, fileID, line, column)
  }

  /// Whether two layers are the same.
  public static func == (a: TimeDistributed, b: TimeDistributed) -> Bool {
    a.label == b.label && a.layer.equals(b.layer)
  }

  /// Whether the layer is computed once for each time of an input of this many axes.
  package func isUnrolled(rank: Int) -> Bool { !(layer is Dense && rank == 2) }

  /// Lowers to the layer for each time, or at once for dense layers.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let shape = lowering.shape(of: input)
    if let dense = layer as? Dense, !isUnrolled(rank: shape.rank) {
      // One product for all times.
      try LastAxisDense(dense).lower(into: &lowering)
      return
    }
    let sizes = try ArgumentRule.known(shape, "a sequence of known sizes")
    guard let count = sizes.first, sizes.count > 1 else {
      throw ShapeError(
        .shapeMismatch, "the input is not a sequence", received: shape.description,
        needs: "at least two axes, the first of which is time")
    }
    guard count <= 1024 else {
      throw ShapeError(
        .tooLarge, "there are too many time steps", received: "\(count)", needs: "at most 1024")
    }
    let rest = Array(sizes.dropFirst())
    let states = lowering.graph.states.count
    var results: [Lowering.Value] = []
    for time in 0..<count {
      guard time == 0 || lowering.graph.states.count == states else {
        throw ShapeError(
          .invalidArgument, "a layer with a state is not repeated in time",
          received: ShapeError.counted(count, "time"), needs: "a layer without a state")
      }
      let part = try lowering.apply(
        .slice(
          starts: [time] + rest.map { _ in 0 }, sizes: [1] + rest,
          steps: sizes.map { _ in 1 }), to: [input])
      lowering.inputs = [
        try lowering.apply(.reshape(rest.count == 1 ? [1, 1] + rest : rest), to: [part])
      ]
      try layer.lower(into: &lowering)
      let output = try lowering.checkedOutput()
      var axes = try ArgumentRule.known(lowering.shape(of: output), "an output of known size")
      if axes.count == 3, axes[0] == 1, axes[1] == 1 { axes = [axes[2]] }
      results.append(try lowering.apply(.reshape([1] + axes), to: [output]))
    }
    lowering.output =
      count == 1 ? results[0] : try lowering.apply(.concatenate(axis: 0), to: results)
  }
}

extension Layer {
  /// Whether another layer has the same type and is equal.
  fileprivate func equals(_ other: any Layer) -> Bool { (other as? Self) == self }
}

extension LastAxisDense {
  /// The same products along the last axis.
  fileprivate init(_ dense: Dense) {
    self.init(
      neurons: dense.neurons, activation: dense.activation, useBias: dense.hasBias,
      name: dense.name, fileID: dense.place.fileID, line: dense.place.line,
      column: dense.place.column)
  }
}
