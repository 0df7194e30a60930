#if Macros
  import Forge

  /// A vector whose number of elements is part of its type, such as probabilities of 10 classes.
  ///
  /// ```swift
  /// let probabilities = try FixedVector<10>(values: network.predict(pixels))
  /// print(probabilities.top(k: 3))
  /// let features = FixedVector<3>([0.5, -1, 2])  // four numbers do not compile
  /// ```
  public struct FixedVector<let count: Int>: FixedTensor {
    /// The values in order.
    public private(set) var values: [Float]

    /// One axis, or width and height 1 for the vectors that layers make.
    public static var shape: Shape { Shape(sizes: [count]) }

    /// Creates a vector of values whose number has been checked.
    public init(checked values: [Float]) { self.values = values }

    /// Lets `body` change the values, of which the number stays.
    ///
    /// - Parameter body: changes the values.
    /// - Throws: what `body` throws.
    public mutating func withMutableValues<Failure: Error>(
      _ body: (inout MutableSpan<Float>) throws(Failure) -> Void
    ) throws(Failure) {
      var span = values.mutableSpan
      try body(&span)
    }

    /// Creates a vector of exactly the elements of its type.
    ///
    /// - Parameter elements: the values; an array literal of another length does not compile.
    public init(_ elements: InlineArray<count, Float>) {
      values = elements.indices.map { elements[$0] }
    }

    /// The values as an array of fixed size.
    public var elements: InlineArray<count, Float> { InlineArray { values[$0] } }

    /// One value.
    ///
    /// - Parameter index: from 0 to `count` − 1; any other traps, as that of an array.
    public subscript(index: Int) -> Float { values[index] }
  }
#endif
