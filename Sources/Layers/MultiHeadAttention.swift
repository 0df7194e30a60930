import ForgeOperations
import ForgeShapes

/// Multi-head attention: projections of queries, keys and values, scaled dot-product attention, and
/// an output projection.
///
/// `y = W_o · attention(W_q·x + b_q, W_k·k + b_k, W_v·v + b_v) + b_o`, with the attention of
/// ``ScaledDotProductAttention`` in `heads` heads. The keys and values are those of `x` itself, of
/// a second input, or of two.
///
/// With `cacheLength` the layer attends to a stream: it keeps the keys and values of up to that
/// many positions from one prediction to the next, in the states `keys`, `values` and `position`.
/// Each prediction adds its positions, which see those before them. The time of a prediction grows
/// with the positions so far, not with `cacheLength`. A prediction that has no room left is a
/// `PredictionError` of kind `streamTooLong`.
///
/// - Input shapes: `x` [positions][channels]; or `x` and the source of keys and values
///   [others][channels]; or `x`, the source of values, and the source of keys, as in Keras. Unless
///   `mask` is `.none`, the mask comes last: [rows][heads][positions][others] or the last of these
///   axes, with 1 for an axis that repeats. All but the mask may have an axis of rows first. With
///   `cacheLength` there is only `x`, in one row, and the mask has `cacheLength` others.
/// - Output shape: [positions][`outputs`], with the rows of `x`.
/// - Parameters: queryWeights [`heads`][`keyChannels`][channels], keyWeights
///   [`keyValueHeads`][`keyChannels`][channels], valueWeights
///   [`keyValueHeads`][`valueChannels`][channels], outputWeights
///   [`outputs`][`heads`][`valueChannels`] and, with `useBias`, queryBiases, keyBiases, valueBiases
///   and outputBiases. With the form `.joined` of PyTorch, weights and biases hold those of
///   queries, keys and values, in this order, along the outputs.
/// - Errors: `wrongInputCount` for a wrong number of tensors, `shapeMismatch` for sizes that do not
///   fit, `invalidArgument` for a number out of range or a `cacheLength` without `isCausal`,
///   `unknownSize` for an unknown number of channels.
/// - Names elsewhere: Keras MultiHeadAttention and GroupQueryAttention, PyTorch
///   MultiheadAttention.
/// - Source: Vaswani and others, Attention Is All You Need, 2017.
///
/// ```swift
/// Input(shape: [128, 384]) --> MultiHeadAttention(heads: 6, keyChannels: 64, name: "attention1")
/// Input(shape: [1, 384])  // a stream
///   --> MultiHeadAttention(
///     heads: 6, keyChannels: 64, isCausal: true, rotary: .halves(), cacheLength: 512,
///     name: "attention1")
/// ```
public struct MultiHeadAttention: BuiltInLayer {
  /// Which parameters hold the projections of queries, keys and values.
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// One for each of queries, keys and values, as in Keras.
    case separate
    /// One for all three, as in PyTorch.
    case joined
  }

  /// `MHA`.
  public static var summaryName: String { "MHA" }
  package let label: LayerLabel
  /// How queries weigh keys.
  public let rule: AttentionRule
  /// The channels of a head's queries and keys.
  public let keyChannels: Int
  /// The channels of a head's values.
  public let valueChannels: Int
  /// The channels of the output; as many as those of the first input if `nil`.
  public let outputs: Int?
  /// Whether the projections have biases.
  public let hasBias: Bool
  /// Which parameters there are.
  public let form: Form
  /// The rotation of queries and keys by their positions.
  public let rotary: RotaryEncoding?
  /// The most positions of a stream, whose keys and values are kept; `nil` if there is none.
  public let cacheLength: Int?

  /// Creates an attention.
  ///
  /// - Parameters:
  ///   - heads: the number of heads of the queries.
  ///   - keyChannels: the channels of a head's queries and keys.
  ///   - valueChannels: the channels of a head's values; `keyChannels` if `nil`.
  ///   - keyValueHeads: the number of heads of keys and values, which divides `heads`; as many if
  ///     `nil`.
  ///   - outputs: the channels of the output; as many as those of the first input if `nil`.
  ///   - scale: the factor of the scores; `1/√keyChannels` if `nil`.
  ///   - isCausal: whether a position sees only those up to itself.
  ///   - mask: what the last input is.
  ///   - rotary: the rotation of queries and keys by their positions, if any.
  ///   - cacheLength: the most positions of a stream, whose keys and values the layer keeps from
  ///     one prediction to the next; `nil` if every prediction starts from the beginning. It needs
  ///     `isCausal`.
  ///   - useBias: whether the projections have biases.
  ///   - form: which parameters hold the projections of queries, keys and values.
  ///   - name: the name of the parameters.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    heads: Int, keyChannels: Int, valueChannels: Int? = nil, keyValueHeads: Int? = nil,
    outputs: Int? = nil, scale: Float? = nil, isCausal: Bool = false,
    mask: AttentionRule.Mask = .none, rotary: RotaryEncoding? = nil, cacheLength: Int? = nil,
    useBias: Bool = true, form: Form = .separate, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    rule = AttentionRule(
      heads: heads, groups: keyValueHeads, scale: scale, causalOffset: isCausal ? 0 : nil,
      mask: mask)
    self.keyChannels = keyChannels
    self.valueChannels = valueChannels ?? keyChannels
    self.outputs = outputs
    self.rotary = rotary
    self.cacheLength = cacheLength
    hasBias = useBias
    self.form = form
    label = LayerLabel(name, fileID, line, column)
  }

  /// Lowers to projections, attention and the output projection.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try rule.validate()
    try ArgumentRule.positive(keyChannels, "keyChannels")
    try ArgumentRule.positive(valueChannels, "valueChannels")
    if let cacheLength { try KeyValueCache.validate(cacheLength, rule) }
    let masks = rule.mask == .none ? 0 : 1
    let count = lowering.inputs.count - masks
    guard (1...3).contains(count) else {
      throw .wrongInputCount(
        lowering.inputs.count,
        needs: "x; x and a source of keys and values; or x, a source of values and one of keys"
          + (masks > 0 ? "; and a mask" : ""))
    }
    guard cacheLength == nil || count == 1 else {
      throw .wrongInputCount(
        lowering.inputs.count,
        needs: "x\(masks > 0 ? " and a mask" : "") alone, because of cacheLength: "
          + "\(cacheLength ?? 0)")
    }
    var sources: [Lowering.Value] = []
    for input in lowering.inputs.prefix(count) { sources.append(try lowering.positions(input)) }
    let (query, value, key) = (sources[0], sources[min(1, count - 1)], sources[count - 1])
    let inputs = try ArgumentRule.lastAxis(of: lowering.shape(of: query))
    let outputs = self.outputs ?? inputs
    try ArgumentRule.positive(outputs, "outputs")

    let parts = try projections(of: [query, key, value], in: &lowering)
    var operands: [Lowering.Value] = []
    for (source, part) in zip([query, key, value], parts) {
      operands.append(try part.product(of: source, in: &lowering))
    }
    let cache = try cacheLength.map { length throws(ShapeError) in
      try KeyValueCache(
        length: length, keyChannels: rule.groups.multipliedSaturated(by: keyChannels),
        valueChannels: rule.groups.multipliedSaturated(by: valueChannels), in: &lowering)
    }
    if let rotary {
      let position = cache.map { StreamPosition(value: $0.position, limit: $0.length) }
      var tables = RotaryTables(rotary, at: position)
      operands[0] = try tables.rotate(operands[0], heads: rule.heads, in: &lowering)
      operands[1] = try tables.rotate(operands[1], heads: rule.groups, in: &lowering)
    }
    let means: Lowering.Value
    if let cache {
      means = try cache.attention(
        rule, queries: operands[0], keys: operands[1], values: operands[2],
        masks: lowering.inputs.suffix(masks), in: &lowering)
    } else {
      operands += lowering.inputs.suffix(masks)
      means = try lowering.apply(.attention(rule), to: operands)
    }
    let last = Projection(
      outputs: outputs,
      weights: try lowering.parameter(
        ParameterSpec(
          .outputWeights,
          [.outputs: outputs, .multiplier: rule.heads, .channels: valueChannels],
          keras: [.multiplier, .channels, .outputs],
          pytorch: [.outputs, .multiplier, .channels])),
      biases: hasBias ? try lowering.parameter(.outputBiases, [.outputs: outputs]) : nil)
    let result = try last.product(of: means, in: &lowering)
    lowering.output = try lowering.positions(result, like: lowering.inputs[0])
  }

  /// The projections to queries, keys and values.
  private func projections(
    of sources: [Lowering.Value], in lowering: inout Lowering
  ) throws(ShapeError) -> [Projection] {
    let sizes = [
      (rule.heads, keyChannels), (rule.groups, keyChannels), (rule.groups, valueChannels),
    ]
    var inputs: [Int] = []
    for source in sources {
      inputs.append(try ArgumentRule.lastAxis(of: lowering.shape(of: source)))
    }
    if form == .joined { return try joined(sizes, inputs, in: &lowering) }
    let types: [(weights: ParameterType, biases: ParameterType)] = [
      (.queryWeights, .queryBiases), (.keyWeights, .keyBiases), (.valueWeights, .valueBiases),
    ]
    var parts: [Projection] = []
    for (index, (heads, channels)) in sizes.enumerated() {
      let weights = try lowering.parameter(
        ParameterSpec(
          types[index].weights,
          [.multiplier: heads, .outputs: channels, .inputs: inputs[index]],
          keras: [.inputs, .multiplier, .outputs],
          pytorch: [.multiplier, .outputs, .inputs]))
      let biases =
        hasBias
        ? try lowering.parameter(
          types[index].biases, [.multiplier: heads, .outputs: channels]) : nil
      parts.append(Projection(outputs: heads * channels, weights: weights, biases: biases))
    }
    return parts
  }

  /// The projections whose weights and biases are parts of one parameter.
  private func joined(
    _ sizes: [(Int, Int)], _ inputs: [Int], in lowering: inout Lowering
  ) throws(ShapeError) -> [Projection] {
    let widths = sizes.map { $0.multipliedSaturated(by: $1) }
    let all = widths.reduce(0) { $0.addingSaturated($1) }
    guard Set(inputs).count == 1 else {
      throw ShapeError(
        .shapeMismatch, "joined weights need sources with the same number of channels",
        received: inputs.map(String.init).joined(separator: ", "),
        remedy: "use the form .separate")
    }
    let weights = try lowering.parameter(
      ParameterSpec(
        .weights, [.outputs: all, .inputs: inputs[0]], keras: [.inputs, .outputs],
        pytorch: [.outputs, .inputs]))
    let biases = hasBias ? try lowering.parameter(.biases, [.outputs: all]) : nil
    var parts: [Projection] = []
    var start = 0
    for width in widths {
      let part = try lowering.strided(
        weights, start: start * inputs[0], shape: Shape(sizes: [width, inputs[0]]),
        strides: [inputs[0], 1])
      var partBiases: Lowering.Value?
      if let biases {
        partBiases = try lowering.strided(
          biases, start: start, shape: Shape(sizes: [width]), strides: [1])
      }
      parts.append(Projection(outputs: width, weights: part, biases: partBiases))
      start += width
    }
    return parts
  }
}

/// A product of a matrix and the channels of each position.
private struct Projection {
  let outputs: Int
  /// As many values as outputs times inputs, in this order.
  let weights: Lowering.Value
  let biases: Lowering.Value?

  /// The product, of an image of positions.
  func product(
    of source: Lowering.Value, in lowering: inout Lowering
  ) throws(ShapeError) -> Lowering.Value {
    let inputs = try ArgumentRule.lastAxis(of: lowering.shape(of: source))
    let matrix = try lowering.strided(
      weights, start: 0, shape: Shape(sizes: [outputs, 1, 1, inputs]),
      strides: [inputs, 0, 0, 1])
    var operands = [source, matrix]
    if let biases {
      operands.append(
        try lowering.strided(biases, start: 0, shape: Shape(sizes: [outputs]), strides: [1]))
    }
    let product = ConvolutionOperation(
      geometry: ConvolutionGeometry(kernel: .one), outputs: outputs, groups: 1)
    return try lowering.apply(product.primitive, to: operands)
  }
}
