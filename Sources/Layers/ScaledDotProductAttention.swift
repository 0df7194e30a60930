import ForgeOperations
import ForgeShapes

/// Means of values, weighted by how well the keys fit each query.
///
/// For each head, `s(t, i) = scale · Σ_c q(t, c) · k(i, c)` and `y(t, c) = Σᵢ softmaxᵢ(s(t, i)) ·
/// v(i, c)`. A query that sees no key yields 0. The heads' channels follow each other. Heads of the
/// queries may share keys and values: with `keyValueHeads`, head `h` reads head `h · keyValueHeads
/// / heads` of them.
///
/// - Input shapes: queries [positions][`heads` · channels], keys [others][`keyValueHeads` ·
///   channels], values [others][`keyValueHeads` · value channels] and, unless `mask` is `.none`, a
///   mask [`heads`][positions][others] or the last one, two or three of [rows][heads][positions]
///   [others], with 1 for an axis that repeats. All three may have an axis of rows before the
///   positions.
/// - Output shape: [positions][`heads` · value channels], with the queries' rows.
/// - Parameters: none.
/// - Errors: `wrongInputCount` for another number of tensors, `shapeMismatch` for sizes that do not
///   fit, `channelsNotDivisible` for channels that the heads do not divide, `invalidArgument` for a
///   number out of range.
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
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    heads: Int = 1, keyValueHeads: Int? = nil, scale: Float? = nil, isCausal: Bool = false,
    cap: Float? = nil, mask: AttentionRule.Mask = .none, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    rule = AttentionRule(
      heads: heads, groups: keyValueHeads, scale: scale, causalOffset: isCausal ? 0 : nil, cap: cap,
      mask: mask)
    label = LayerLabel(name, fileID, line, column)
  }

  /// Creates an attention with a rule.
  package init(_ rule: AttentionRule, name: String?) {
    self.rule = rule
    label = LayerLabel(name, "", 0, 0)
  }

  /// Lowers to one operation on images.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    let count = rule.mask == .none ? 3 : 4
    try ArgumentRule.count(
      lowering.inputs.map { lowering.shape(of: $0) }, from: count, to: count,
      example: "[queries, keys, values] --> ScaledDotProductAttention()")
    var operands: [Lowering.Value] = []
    for input in lowering.inputs.prefix(3) { operands.append(try lowering.positions(input)) }
    operands += lowering.inputs.dropFirst(3)
    let result = try lowering.apply(.attention(rule), to: operands)
    lowering.output = try lowering.positions(result, like: lowering.inputs[0])
  }
}
