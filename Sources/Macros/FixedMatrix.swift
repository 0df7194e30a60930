#if Macros
  import Forge

  /// A matrix whose sizes are part of its type, such as a sequence of `rows` steps with `columns`
  /// values each.
  public struct FixedMatrix<let rows: Int, let columns: Int>: FixedTensor {
    /// The values, row by row.
    public private(set) var values: [Float]

    /// Rows, columns.
    public static var shape: Shape { Shape(sizes: [rows, columns]) }

    /// Creates a matrix of values whose number has been checked.
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

    /// Creates a matrix of exactly the elements of its type.
    ///
    /// - Parameter elements: the rows; literals of other lengths do not compile.
    public init(_ elements: InlineArray<rows, InlineArray<columns, Float>>) {
      var values: [Float] = []
      values.reserveCapacity(Self.elementCount)
      for row in elements.indices {
        for column in elements[row].indices { values.append(elements[row][column]) }
      }
      self.values = values
    }

    /// One value.
    ///
    /// - Parameters:
    ///   - row: from 0 to `rows` − 1; any other traps, as an index of an array.
    ///   - column: from 0 to `columns` − 1.
    public subscript(row row: Int, column column: Int) -> Float {
      precondition(column >= 0 && column < columns, "column \(column) of \(columns)")
      return values[row * columns + column]
    }
  }
#endif
