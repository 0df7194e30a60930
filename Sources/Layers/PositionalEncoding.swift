import ForgeOperations
import ForgeShapes

/// Marks each position of a sequence, for layers that would treat all positions alike.
///
/// Sinusoidal: `y(t, 2i) = x(t, 2i) + sin(t · base^(−2i/channels))`, and the cosine for `2i + 1`.
/// Learned: `y(t, c) = x(t, c) + w(t, c)`. Rotary: pairs of channels of each head are rotated; see
/// ``RotaryEncoding``.
///
/// With `streamLength` the input is a part of a stream of up to that many positions: the layer
/// keeps the number of those before it in the state `position`. A prediction for which no room is
/// left throws a `PredictionError` of kind `streamTooLong`.
///
/// - Input shape: [positions][channels], optionally with rows before it; one row in a stream.
/// - Output shape: the input's.
/// - Parameters: learned, weights [`maximumLength`][channels]; else none.
/// - Errors: `shapeMismatch` for an input that is not a sequence or is longer than the maximum,
///   `unknownSize` for an unknown length, `invalidArgument` for a number out of range,
///   `channelsNotDivisible` for heads that do not divide the channels, `tooLarge` for a table
///   beyond bounds.
/// - Names elsewhere: KerasHub SinePositionEncoding, PositionEmbedding and RotaryEmbedding, ONNX
///   RotaryEmbedding.
/// - Source: Vaswani and others, Attention Is All You Need, 2017; Su and others, RoFormer, 2021.
///
/// ```swift
/// Input(shape: [128, 384]) --> PositionalEncoding()  // 128×384
/// ```
public struct PositionalEncoding: BuiltInLayer {
  /// What a position becomes.
  public enum Kind: Hashable, Sendable {
    /// Sines and cosines of several wavelengths, added.
    case sinusoidal(base: Float)
    /// A vector for each position, added.
    case learned(maximumLength: Int)
    /// A rotation of the channels of each head.
    case rotary(RotaryEncoding, heads: Int)
  }

  /// `Positions`.
  public static var summaryName: String { "Positions" }
  package let label: LayerLabel
  /// What a position becomes.
  public let kind: Kind
  /// The most positions of a stream, of which each prediction reads a part; `nil` if there is none.
  public let streamLength: Int?

  /// Creates an encoding of positions.
  ///
  /// - Parameters:
  ///   - kind: what a position becomes.
  ///   - streamLength: the most positions of a stream, of which each prediction reads the next
  ///     ones; `nil` if every prediction begins with the first position.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ kind: Kind = .sinusoidal(base: 10_000), streamLength: Int? = nil, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kind = kind
    self.streamLength = streamLength
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a sum with a table, or to a rotation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let image = try lowering.positions(input)
    let position = try streamLength.map { length throws(ShapeError) in
      try ArgumentRule.positive(length, "streamLength")
      return StreamPosition(
        value: try lowering.state("position", shape: Shape(sizes: [1])), limit: length)
    }
    let result: Lowering.Value
    if case .rotary(let rule, let heads) = kind {
      var tables = RotaryTables(rule, at: position)
      result = try tables.rotate(image, heads: heads, in: &lowering)
    } else if let position {
      let channels = try ArgumentRule.lastAxis(of: lowering.shape(of: image))
      let table = try table(position.limit, channels, in: &lowering)
      let part = try lowering.strided(
        table, start: 0, shape: Shape(sizes: [position.limit, channels]), strides: [channels, 1])
      let rows = try lowering.apply(.rowsFrom, to: [part, image, position.value])
      result = try lowering.apply(.binary(.add), to: [image, rows])
    } else {
      let sizes = try ArgumentRule.known(
        lowering.shape(of: image), "a sequence of known length")
      let table = try table(sizes[1], sizes[2], in: &lowering)
      let rows = try lowering.strided(
        table, start: 0, shape: Shape(sizes: [1, sizes[1], sizes[2]]), strides: [0, sizes[2], 1])
      result = try lowering.apply(.binary(.add), to: [image, rows])
    }
    if let position {
      try lowering.setState(
        position.value, to: try lowering.apply(.advance, to: [position.value, image]))
    }
    lowering.output = try lowering.positions(result, like: input)
  }

  /// What is added to each of the first `count` positions, [positions][channels] or more.
  private func table(
    _ count: Int, _ channels: Int, in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    switch kind {
    case .rotary: throw ShapeError(.invalidArgument, "a rotary encoding has no table to add")
    case .sinusoidal(let base):
      try ArgumentRule.require(
        base.isFinite && base > 0, "base", "\(base)", needs: "a finite number above 0")
      guard let all = Shape.product(of: [count, channels]), all <= SizeRule.maximumConstantCount
      else { throw .tooManyElements() }
      let table = (0..<all).map { place in
        let (position, channel) = place.quotientAndRemainder(dividingBy: channels)
        let turn = PositionRule.turn(position, pair: channel / 2, of: channels, base: base)
        return channel.isMultiple(of: 2) ? turn.sine : turn.cosine
      }
      return try lowering.constant(table, shape: Shape(sizes: [count, channels]))
    case .learned(let maximum):
      try ArgumentRule.positive(maximum, "maximumLength")
      guard count <= maximum else {
        throw ShapeError(
          .shapeMismatch, "the sequence is longer than the learned positions",
          received: "\(count) positions", needs: "at most \(maximum)")
      }
      return try lowering.parameter(
        ParameterSpec(
          .weights, [.inputs: maximum, .outputs: channels], keras: [.inputs, .outputs],
          pytorch: [.inputs, .outputs]))
    }
  }
}
