import ForgeOperations
import ForgeShapes

/// Tells the positions of a sequence apart, for layers that would treat them alike.
///
/// Sinusoidal: `y(t, 2i) = x(t, 2i) + sin(t · base^(−2i/channels))`, and the cosine for `2i + 1`.
/// Learned: `y(t, c) = x(t, c) + w(t, c)`. Rotary: pairs of channels of each head are rotated; see
/// ``RotaryEncoding``.
///
/// - Input shape: [positions][channels], with rows before it if wanted.
/// - Output shape: the input's.
/// - Parameters: learned, weights [`maximumLength`][channels]; else none.
/// - Errors: `shapeMismatch` for an input that is not a sequence or is longer than the maximum,
///   `unknownSize` for an unknown length, `invalidArgument` for a number out of range.
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

  /// Creates an encoding of positions.
  ///
  /// - Parameters:
  ///   - kind: what a position becomes.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ kind: Kind = .sinusoidal(base: 10_000), name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kind = kind
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to a sum with a table, or to a rotation.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let input = try lowering.input()
    let image = try lowering.positions(input)
    let sizes = try ArgumentRule.known(
      lowering.shape(of: image), "a sequence of known length")
    let (count, channels) = (sizes[1], sizes[2])
    let result: Lowering.Value
    switch kind {
    case .rotary(let rule, let heads):
      result = try lowering.rotate(image, rule, heads: heads)
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
      let constant = try lowering.constant(table, shape: Shape(sizes: [1, count, channels]))
      result = try lowering.apply(.binary(.add), to: [image, constant])
    case .learned(let maximum):
      try ArgumentRule.positive(maximum, "maximumLength")
      guard count <= maximum else {
        throw ShapeError(
          .shapeMismatch, "the sequence is longer than the learned positions",
          received: "\(count) positions", needs: "at most \(maximum)")
      }
      let weights = try lowering.parameter(
        ParameterSpec(
          .weights, [.inputs: maximum, .outputs: channels], keras: [.inputs, .outputs],
          pytorch: [.inputs, .outputs]))
      let part = try lowering.strided(
        weights, start: 0, shape: Shape(sizes: [1, count, channels]),
        strides: [0, channels, 1])
      result = try lowering.apply(.binary(.add), to: [image, part])
    }
    lowering.output = try lowering.positions(result, like: input)
  }
}
