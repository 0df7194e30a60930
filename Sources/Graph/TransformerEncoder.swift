import ForgeLayers
import ForgeOperations
import ForgeShapes

/// One block of a transformer that reads: attention and two dense layers, each added to its input.
///
/// `a = norm(x + attention(x))`, `y = norm(a + W₂·f(W₁·a + b₁) + b₂)`; with `normalizesFirst`
/// `a = x + attention(norm(x))`, `y = a + W₂·f(W₁·norm(a) + b₁) + b₂`. With `cacheLength` the block
/// reads a stream, part by part; see ``MultiHeadAttention``.
///
/// - Input shape: [positions][channels], and with `mask` a second input: the mask of
///   ``MultiHeadAttention``, such as [1][positions] for positions that are padding.
/// - Output shape: the first input's.
/// - Parameters: those of its layers, `attention`, `norm1`, `expand`, `reduce` and `norm2`. Blocks
///   of one model need names of their own, with `named`.
/// - Errors: those of its layers, at the place of the block.
/// - Names elsewhere: KerasHub TransformerEncoder, PyTorch TransformerEncoderLayer.
/// - Source: Vaswani and others, Attention Is All You Need, 2017.
///
/// ```swift
/// Input(shape: [128, 384]) --> TransformerEncoder(heads: 6, hidden: 1536).named("block1")
/// let masked = TransformerEncoder(heads: 6, hidden: 1536, mask: .visible).named("block2")
/// [Input(shape: [128, 384]), Input(shape: [1, 128])] --> masked
/// ```
public struct TransformerEncoder: MultiModule {
  /// The number of heads; each has `channels / heads` channels, rounded down, and at least one.
  public let heads: Int
  /// The channels between the two dense layers.
  public let hidden: Int
  /// The function between the two dense layers.
  public let activation: ActivationFunction
  /// The number added to variances.
  public let epsilon: Float
  /// Whether the inputs of the attention and of the dense layers are normalized, not the sums.
  public let normalizesFirst: Bool
  /// Whether a position sees only those up to itself.
  public let isCausal: Bool
  /// What the second input hides; there is none with `.none`.
  public let mask: AttentionRule.Mask
  /// Which parameters the attention has.
  public let form: MultiHeadAttention.Form
  /// The rotation of queries and keys by their positions.
  public let rotary: RotaryEncoding?
  /// The most positions of a stream, whose keys and values are kept; `nil` if there is none.
  public let cacheLength: Int?
  private let place: SourcePlace

  /// Creates a block.
  ///
  /// - Parameters:
  ///   - heads: the number of heads; each has `channels / heads` channels, rounded down, and at
  ///     least one.
  ///   - hidden: the channels between the two dense layers.
  ///   - activation: the function between the two dense layers.
  ///   - epsilon: the number added to variances.
  ///   - normalizesFirst: whether the inputs of the attention and of the dense layers are
  ///     normalized, not the sums.
  ///   - isCausal: whether a position sees only those up to itself.
  ///   - mask: what the second input hides; there is none with `.none`.
  ///   - form: which parameters the attention has.
  ///   - rotary: the rotation of queries and keys by their positions, if any.
  ///   - cacheLength: the most positions of a stream, whose keys and values the attention keeps
  ///     from one prediction to the next; `nil` if every prediction starts from the beginning. It
  ///     needs `isCausal`.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    heads: Int, hidden: Int, activation: ActivationFunction = .gelu, epsilon: Float = 1e-5,
    normalizesFirst: Bool = false, isCausal: Bool = false, mask: AttentionRule.Mask = .none,
    form: MultiHeadAttention.Form = .separate, rotary: RotaryEncoding? = nil,
    cacheLength: Int? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.heads = heads
    self.hidden = hidden
    self.activation = activation
    self.epsilon = epsilon
    self.normalizesFirst = normalizesFirst
    self.isCausal = isCausal
    self.mask = mask
    self.form = form
    self.rotary = rotary
    self.cacheLength = cacheLength
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Builds the block on a tensor.
  public func callAsFunction(_ x: Tensor) -> Tensor { self([x])[0] }

  /// Builds the block on a tensor and, if it takes one, a mask.
  public func callAsFunction(_ xs: [Tensor]) -> [Tensor] {
    guard let x = xs.first, xs.count == (mask == .none ? 1 : 2) else {
      let needs = mask == .none ? "a sequence" : "a sequence and a mask"
      return [
        Tensor(.foreign("TransformerEncoder", .wrongInputCount(xs.count, needs: needs)), inputs: xs)
      ]
    }
    let channels = x.shape?.dimensions.last.flatMap { $0 } ?? 1
    let (fileID, line, column) = (place.fileID, place.line, place.column)
    func normalized(_ x: Tensor, _ name: String) -> Tensor {
      x
        --> LayerNormalization(
          epsilon: epsilon, name: name, fileID: fileID, line: line, column: column)
    }
    func dense(
      _ x: Tensor, _ neurons: Int, _ activation: ActivationFunction, _ name: String
    ) -> Tensor {
      x
        --> LastAxisDense(
          neurons: neurons, activation: activation, name: name, fileID: fileID, line: line,
          column: column)
    }
    func attention(_ x: Tensor) -> Tensor {
      [x] + xs.dropFirst()
        --> MultiHeadAttention(
          heads: heads, keyChannels: max(channels / max(heads, 1), 1), isCausal: isCausal,
          mask: mask, rotary: rotary, cacheLength: cacheLength, form: form, name: "attention",
          fileID: fileID, line: line, column: column)
    }
    func mixed(_ x: Tensor) -> Tensor {
      dense(dense(x, hidden, activation, "expand"), channels, .linear, "reduce")
    }
    func sum(_ a: Tensor, _ b: Tensor) -> Tensor {
      [a, b] --> Add(fileID: fileID, line: line, column: column)
    }
    if normalizesFirst {
      let a = sum(x, attention(normalized(x, "norm1")))
      return [sum(a, mixed(normalized(a, "norm2")))]
    }
    let a = normalized(sum(x, attention(x)), "norm1")
    return [normalized(sum(a, mixed(a)), "norm2")]
  }
}
