#if Macros
  import Forge

  /// A tensor whose sizes are part of its Swift type.
  ///
  /// A network that takes `FixedImage<28, 28, 1>` cannot be given a picture of 32×32 pixels: such a
  /// program does not compile. The values are in row-major order, as everywhere in Forge.
  public protocol FixedTensor: NetworkInput, NetworkOutput, InputValues, Equatable {
    /// The sizes in memory order, outermost first.
    static var shape: Shape { get }
    /// The values in row-major order, exactly as many as ``shape`` has elements.
    var values: [Float] { get }
    /// Creates a tensor of values whose number has been checked.
    init(checked values: [Float])
    /// Lets `body` change the values, of which the number stays.
    ///
    /// - Parameter body: changes the values.
    /// - Throws: what `body` throws.
    mutating func withMutableValues<Failure: Error>(
      _ body: (inout MutableSpan<Float>) throws(Failure) -> Void
    ) throws(Failure)
  }

  extension FixedTensor {
    /// The number of values.
    public static var elementCount: Int { shape.elementCount ?? 0 }

    /// Creates a tensor of values in row-major order.
    ///
    /// - Parameter values: exactly as many numbers as the tensor has elements.
    /// - Throws: `PredictionError` of kind `wrongValueCount` for any other number.
    public init(values: [Float]) throws(PredictionError) {
      guard values.count == Self.elementCount else {
        throw .wrongValueCount(
          values.count, input: "\(Self.self)", needs: Self.elementCount, shape: Self.shape, batch: 1
        )
      }
      self.init(checked: values)
    }

    /// Creates a tensor from one whose sizes are known when the program runs, such as a decoded
    /// picture.
    ///
    /// - Parameter tensor: a tensor of this shape; axes of size 1 do not matter.
    /// - Throws: `PredictionError` of kind `wrongShape` for any other, `wrongValueCount` if it does
    ///   not hold as many values as its shape states.
    public init(_ tensor: TensorValues) throws(PredictionError) {
      guard tensor.shape.sizesWithoutOnes == Self.shape.sizesWithoutOnes else {
        throw .wrongShape("\(Self.self)", received: tensor.shape, needs: Self.shape)
      }
      try self.init(values: tensor.values)
    }

    /// Creates a tensor of equal values.
    ///
    /// - Parameter value: each value.
    public init(repeating value: Float) {
      self.init(checked: Array(repeating: value, count: Self.elementCount))
    }

    /// The values with their sizes.
    public var tensorValues: TensorValues { TensorValues(shape: Self.shape, values: values) }

    /// The `k` largest values with their indices, largest first; ties are ordered by index.
    ///
    /// - Parameters:
    ///   - k: the number of classes, capped at the number of values.
    ///   - labels: the meaning of each index, where known.
    /// - Returns: the classes, largest first.
    public func top(k: Int, labels: [String] = []) -> [RankedClass] {
      values.top(k: k, labels: labels)
    }

    /// The values as the only input of a network.
    public var predictionInputs: PredictionInputs { values.predictionInputs }

    /// The shape of each input of a network that takes this tensor.
    public static var inputShapes: [(name: String?, shape: Shape?)] { [(nil, shape)] }

    /// The shape of each output of a network that makes this tensor.
    public static var outputShapes: [(name: String?, shape: Shape?)] { [(nil, shape)] }

    /// `true`: the only output.
    public static var isSingle: Bool { true }

    /// Takes the only output of a network, whose shape has been checked.
    public init(_ predictions: Predictions) {
      self.init(checked: predictions.tensors.first?.values ?? [])
    }
  }
#endif
