/// One input of a custom layer: its values in row-major order, which can be read but not written.
///
/// Indices are checked, as those of an array are. An input holds the memory it lies in, so that one that is kept
/// after the call can still be read; the next prediction may have written other values by then.
///
/// ```swift
/// for (index, value) in inputs[0].enumerated() { output[index] = value / 2 }
/// ```
public struct CustomInput: RandomAccessCollection {
  @usableFromInline let values: UnsafeBufferPointer<Float>
  /// What frees the memory when nobody holds it any more.
  private let owner: AnyObject

  /// An input in the memory that an object owns.
  package init(_ values: UnsafeBufferPointer<Float>, in owner: AnyObject) {
    self.values = values
    self.owner = owner
  }

  /// An input with values of its own.
  package init(_ values: [Float]) {
    let owner = Copy(values)
    self.init(UnsafeBufferPointer(owner.values), in: owner)
  }

  private final class Copy {
    let values: UnsafeMutableBufferPointer<Float>

    init(_ values: [Float]) {
      self.values = .allocate(capacity: values.count)
      _ = self.values.initialize(from: values)
    }

    deinit { values.deallocate() }
  }

  /// 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of values.
  @inlinable public var endIndex: Int { values.count }

  /// The value at an index from 0 to the number of values, exclusive; any other ends the process.
  @inlinable public subscript(index: Int) -> Float {
    precondition(
      index >= 0 && index < values.count, "a custom layer reads beyond the end of its input")
    return values[index]
  }

  /// Gives `body` the values as a span.
  ///
  /// - Parameter body: reads the values.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable public func withSpan<Result, Failure: Error>(
    _ body: (Span<Float>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(values.span)
  }

  /// Gives `body` the values as a buffer, as the algorithms of the standard library ask for it.
  @inlinable public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Float>) throws -> Result
  ) rethrows -> Result? {
    try body(values)
  }
}

extension MutableSpan<Float> {
  /// Writes the values of an input to the first places: `output.update(fromContentsOf: inputs[0])`.
  ///
  /// - Parameter input: at most as many values as there are places; more end the process.
  /// - Returns: the index after the last value written.
  @discardableResult
  public mutating func update(fromContentsOf input: CustomInput) -> Int {
    precondition(input.count <= count, "a custom layer writes beyond the end of its output")
    for index in input.indices { self[index] = input[index] }
    return input.count
  }
}
