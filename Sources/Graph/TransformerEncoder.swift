import ForgeLayers
import ForgeOperations
import ForgeShapes

/// One block of a transformer that reads: attention and two dense layers, each added to its input.
///
/// `a = norm(x + attention(x))`, `y = norm(a + W₂·f(W₁·a + b₁) + b₂)`; with `normalizesFirst`
/// `a = x + attention(norm(x))`, `y = a + W₂·f(W₁·norm(a) + b₁) + b₂`. With `cacheLength` the block
/// reads a stream, part by part; see ``MultiHeadAttention``.
///
/// - Input shape: [positions][channels].
/// - Output shape: the input's.
/// - Parameters: those of its layers, `attention`, `norm1`, `expand`, `reduce` and `norm2`.
/// - Names elsewhere: KerasHub TransformerEncoder, PyTorch TransformerEncoderLayer.
/// - Source: Vaswani and others, Attention Is All You Need, 2017.
///
/// ```swift
/// Input(shape: [128, 384]) --> TransformerEncoder(heads: 6, hidden: 1536).named("block1")
/// ```
public struct TransformerEncoder: Module {
  /// The number of heads; each has `channels / heads` channels, rounded down.
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
  /// Which parameters the attention has.
  public let form: MultiHeadAttention.Form
  /// The rotation of queries and keys by their positions.
  public let rotary: RotaryEncoding?
  /// The most positions of a stream, whose keys and values are kept; `nil` if there is none.
  public let cacheLength: Int?

  /// Creates a block.
  ///
  /// - Parameters:
  ///   - heads: the number of heads; each has `channels / heads` channels, rounded down.
  ///   - hidden: the channels between the two dense layers.
  ///   - activation: the function between the two dense layers.
  ///   - epsilon: the number added to variances.
  ///   - normalizesFirst: whether the inputs of the attention and of the dense layers are
  ///     normalized, not the sums.
  ///   - isCausal: whether a position sees only those up to itself.
  ///   - form: which parameters the attention has.
  ///   - rotary: the rotation of queries and keys by their positions, if any.
  ///   - cacheLength: the most positions of a stream, whose keys and values the attention keeps
  ///     from one prediction to the next; `nil` if every prediction begins anew. It needs
  ///     `isCausal`.
  public init(
    heads: Int, hidden: Int, activation: ActivationFunction = .gelu, epsilon: Float = 1e-5,
    normalizesFirst: Bool = false, isCausal: Bool = false,
    form: MultiHeadAttention.Form = .separate, rotary: RotaryEncoding? = nil,
    cacheLength: Int? = nil
  ) {
    self.heads = heads
    self.hidden = hidden
    self.activation = activation
    self.epsilon = epsilon
    self.normalizesFirst = normalizesFirst
    self.isCausal = isCausal
    self.form = form
    self.rotary = rotary
    self.cacheLength = cacheLength
  }

  /// Builds the block on a tensor.
  public func callAsFunction(_ x: Tensor) -> Tensor {
    let channels = x.shape?.dimensions.last.flatMap { $0 } ?? 1
    let attention = MultiHeadAttention(
      heads: heads, keyChannels: max(channels / max(heads, 1), 1), isCausal: isCausal,
      rotary: rotary, cacheLength: cacheLength, form: form, name: "attention")
    let norm1 = LayerNormalization(epsilon: epsilon, name: "norm1")
    let norm2 = LayerNormalization(epsilon: epsilon, name: "norm2")
    let expand = LastAxisDense(neurons: hidden, activation: activation, name: "expand")
    let reduce = LastAxisDense(neurons: channels, name: "reduce")
    if normalizesFirst {
      let a = [x, x --> norm1 --> attention] --> Add()
      return [a, a --> norm2 --> expand --> reduce] --> Add()
    }
    let a = [x, x --> attention] --> Add() --> norm1
    return [a, a --> expand --> reduce] --> Add() --> norm2
  }
}
