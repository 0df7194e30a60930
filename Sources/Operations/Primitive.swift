import ForgeShapes

/// The operations every layer is made of: a closed set, known to the compiler and every back end.
///
/// Each case states its inputs in order. Parameters are inputs too. Layouts are Forge's own (see
/// `ParameterLayout`). `Primitive+Shape.swift` holds the shape rules, `Reference/` what each one
/// computes.
public enum Primitive: Sendable {
  /// Cross-correlation of an image in `groups` groups of channels.
  ///
  /// Inputs: image, weights [outputs][height][width][inputs / groups], biases [outputs] (may be absent).
  case convolution(ConvolutionGeometry, outputs: Int, groups: Int)
  /// Convolution of each channel on its own; output channel `c·multiplier + m` comes from channel `c`.
  ///
  /// Inputs: image, weights [channels][multiplier][height][width], biases (may be absent).
  case depthwiseConvolution(ConvolutionGeometry, multiplier: Int)
  /// Product of all elements, in memory order, with a matrix.
  ///
  /// Inputs: any tensor, weights [outputs][elements], biases [outputs] (may be absent).
  case dense(outputs: Int)
  /// Maximum or mean of a moving window. Input: image.
  case pooling(PoolingKind, ConvolutionGeometry)
  /// Maximum or mean of each whole channel. Input: image.
  case globalPooling(PoolingKind)
  /// A function of each element. Input: any tensor.
  case activation(ActivationFunction)
  /// Softmax over the last axis, or its logarithm. Input: any tensor.
  case softmax(logarithm: Bool)
  /// An operation on two tensors with NumPy's broadcasting. Inputs: two tensors.
  case binary(BinaryOperator)
  /// `x·scale + bias` along the last axis. Inputs: any tensor, scale, bias.
  case affine
  /// `gamma·(x − mean)/√(variance + epsilon) + beta` along the last axis.
  ///
  /// Inputs: any tensor, gamma, beta, mean, variance.
  case batchNormalization(epsilon: Float)
  /// Zeros around an image. Input: image.
  case pad(Edges)
  /// Edges cut from an image. Input: image.
  case crop(Edges)
  /// Tensors joined along an axis, counted from 0. Inputs: one or more tensors.
  case concatenate(axis: Int)
  /// The same elements with other sizes; one may be −1. Input: any tensor.
  case reshape([Int])
  /// Axis `i` of the output is axis `order[i]` of the input. Input: any tensor.
  case permute([Int])
  /// Channel `i` of the output is channel `order[i]` of the input. Input: image.
  case gatherChannels([Int])
  /// An image sampled anew. Input: image.
  case resize(ResizeTarget, ResizeMode)
  /// The input itself. Input: any tensor.
  case identity
  /// A user's own arithmetic on plain tensors. Inputs: as the user says.
  case custom(CustomOperation)
}

/// What a pooling takes of its window.
public enum PoolingKind: Hashable, Sendable {
  /// The largest value.
  case maximum
  /// The mean of the pixels inside the image (TensorFlow's and Keras's rule).
  case averageInside
  /// The sum divided by the kernel's area, the border counted as zeros (PyTorch's default).
  case averageAll
}

/// An operation on two values.
public enum BinaryOperator: String, Hashable, Sendable {
  /// `a + b`.
  case add
  /// `a − b`.
  case subtract
  /// `a · b`.
  case multiply
  /// The larger; NaN if either is.
  case maximum
  /// The smaller; NaN if either is.
  case minimum
  /// `a` where positive, else `a · b`.
  case prelu
}

/// How a resize samples its source.
public enum ResizeMode: Hashable, Sendable {
  /// The pixel whose area holds the centre: `⌊(i + ½)·scale⌋` (Keras's nearest).
  case nearest
  /// Linear interpolation between half-pixel centres, the edge repeated (Keras's bilinear).
  case bilinear
  /// A triangle filter widened by the scale when shrinking (Pillow's BILINEAR, Keras's antialias).
  case bilinearAntialiased
}

/// What a resize brings an image to.
public enum ResizeTarget: Hashable, Sendable {
  /// A size in pixels; with a `cropSlot` the source rectangle can be set per prediction.
  case size(Size, cropSlot: String?)
  /// Whole multiples of the input's size.
  case factor(Size)

  /// The output size for an input size.
  package func size(for input: Size) -> Size {
    switch self {
    case .size(let size, _): size
    case .factor(let factor):
      Size(width: input.width * factor.width, height: input.height * factor.height)
    }
  }
}

/// The function of a ``Primitive/custom(_:)``: a declared shape rule and arithmetic on plain tensors.
public struct CustomOperation: Sendable {
  /// The shape of the output for the shapes of the inputs.
  public typealias ShapeRule = @Sendable ([Shape]) throws -> Shape
  /// The arithmetic: inputs and output in row-major order, each of exactly its shape's element count.
  ///
  /// An index beyond these ends the process, as that of an array does, in a release build too.
  public typealias Body =
    @Sendable (_ inputs: [CustomInput], _ output: inout MutableSpan<Float>) throws -> Void

  /// The shape rule.
  public let shapeRule: ShapeRule
  /// The arithmetic.
  public let body: Body

  /// Creates an operation.
  public init(shapeRule: @escaping ShapeRule, body: @escaping Body) {
    self.shapeRule = shapeRule
    self.body = body
  }
}
