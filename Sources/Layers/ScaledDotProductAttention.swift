import ForgeOperations
import ForgeShapes

/// Means of values, weighted by how well the keys fit each query.
///
/// For each head, `s(t, i) = scale · Σ_c q(t, c) · k(i, c)` and `y(t, c) = Σᵢ softmaxᵢ(s(t, i)) ·
/// v(i, c)`. A query that sees no key yields 0. The heads' channels follow each other. Heads of the
/// queries may share keys and values: with `keyValueHeads`, head `h` reads head `h · keyValueHeads
/// / heads` of them.
///
/// With `cacheLength` the layer attends to a stream: it keeps keys and values of up to that many
/// positions from one prediction to the next, as ``MultiHeadAttention`` does. Queries, keys and
/// values then have as many positions and one row, and a mask has `cacheLength` others.
///
/// - Input shapes: queries [positions][`heads` · channels], keys [others][`keyValueHeads` ·
///   channels], values [others][`keyValueHeads` · value channels] and, unless `mask` is `.none`, a
///   mask [`heads`][positions][others] or the last one, two or three of [rows][heads][positions]
///   [others], with 1 for an axis that repeats. All three may have an axis of rows before the
///   positions.
/// - Output shape: [positions][`heads` · value channels], with the queries' rows.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   fit, `channelsNotDivisible` for channels that the heads do not divide, `invalidArgument` for a
///   number out of range or a `cacheLength` without `isCausal`.
/// - Names elsewhere: PyTorch `scaled_dot_product_attention`, ONNX Attention, Core ML
///   `scaled_dot_product_attention`.
/// - Source: Vaswani and others, Attention Is All You Need, 2017; Ainslie and others, GQA, 2023,
///   for shared keys and values.
///
/// ```swift
/// [a, b, c] --> ScaledDotProductAttention(heads: 8)
/// ```
public struct ScaledDotProductAttention: BuiltInLayer {
  /// `Attention`.
  public static var summaryName: String { "Attention" }
  package let label: LayerLabel
  /// How queries weigh keys.
  public let rule: AttentionRule
  /// The most positions of a stream, whose keys and values are kept; `nil` if there is none.
  public let cacheLength: Int?

  /// Creates an attention without parameters.
  ///
  /// - Parameters:
  ///   - heads: the number of heads of the queries.
  ///   - keyValueHeads: the number of heads of keys and values, which divides `heads`; as many if
  ///     `nil`.
  ///   - scale: the factor of the scores; `1/√(channels of a head)` if `nil`.
  ///   - isCausal: whether a query sees only the keys up to its own position.
  ///   - cap: scores become `cap·tanh(score/cap)`; they stay if `nil`.
  ///   - mask: what the last input is.
  ///   - cacheLength: the most positions of a stream, whose keys and values the layer keeps from
  ///     one prediction to the next; `nil` if every prediction starts from the beginning. It needs
  ///     `isCausal`.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    heads: Int = 1, keyValueHeads: Int? = nil, scale: Float? = nil, isCausal: Bool = false,
    cap: Float? = nil, mask: AttentionRule.Mask = .none, cacheLength: Int? = nil,
    name: String? = nil, fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.cacheLength = cacheLength
    rule = AttentionRule(
      heads: heads, groups: keyValueHeads, scale: scale, causalOffset: isCausal ? 0 : nil, cap: cap,
      mask: mask)
    label = LayerLabel(name, fileID, line, column)
  }

  /// Creates an attention with a rule.
  package init(_ rule: AttentionRule, name: String?) {
    self.rule = rule
    cacheLength = nil
    label = LayerLabel(name, "", 0, 0)
  }

  /// Lowers to one operation on images.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    if let cacheLength { try KeyValueCache.validate(cacheLength, rule) }
    let count = rule.mask == .none ? 3 : 4
    try ArgumentRule.count(
      lowering.inputs.map { lowering.shape(of: $0) }, from: count, to: count,
      example: "[queries, keys, values] --> ScaledDotProductAttention()")
    var operands: [Lowering.Value] = []
    for input in lowering.inputs.prefix(3) { operands.append(try lowering.positions(input)) }
    let result: Lowering.Value
    if let cacheLength {
      result = try attention(
        operands, masks: Array(lowering.inputs.dropFirst(3)), cacheLength, in: &lowering)
    } else {
      operands += lowering.inputs.dropFirst(3)
      result = try lowering.apply(.attention(rule), to: operands)
    }
    lowering.output = try lowering.positions(result, like: lowering.inputs[0])
  }

  /// The attention to a stream, of images.
  private func attention(
    _ operands: [Lowering.Value], masks: [Lowering.Value], _ cacheLength: Int,
    in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    let shapes = operands.map { lowering.shape(of: $0) }
    let counts = shapes.compactMap { $0.dimensions[1] }
    guard Set(counts).count <= 1 else {
      throw ShapeError(
        .shapeMismatch, "the parts of a stream differ in length",
        received: counts.map(String.init).joined(separator: ", "),
        needs: "as many positions in queries, keys and values")
    }
    let cache = try KeyValueCache(
      length: cacheLength, keyChannels: try ArgumentRule.lastAxis(of: shapes[1]),
      valueChannels: try ArgumentRule.lastAxis(of: shapes[2]), in: &lowering)
    return try cache.attention(
      rule, queries: operands[0], keys: operands[1], values: operands[2], masks: masks,
      in: &lowering)
  }
}
