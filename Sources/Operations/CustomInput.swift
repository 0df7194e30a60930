import ForgeSystem

/// One input or parameter of a custom layer: its values in row-major order, read-only.
///
/// Indices are checked like those of an array. An input keeps its memory alive, so it can still be
/// read after the call. The next prediction may have overwritten the values by then.
///
/// ```swift
/// x --> Custom(shape: { $0[0] }, name: "halve") { inputs, output in
///   for (index, value) in inputs[0].enumerated() { output[index] = value / 2 }
/// }
/// ```
public struct CustomInput: RandomAccessCollection {
  @usableFromInline let values: UnsafeBufferPointer<Float>
  /// Owns the memory.
  private let owner: AnyObject

  /// Creates an input in memory that an object owns.
  package init(_ values: UnsafeBufferPointer<Float>, in owner: AnyObject) {
    self.values = values
    self.owner = owner
  }

  /// Creates an input with a copy of values.
  ///
  /// - Throws: `NoMemory` if the allocation fails.
  package init(_ values: [Float]) throws(NoMemory) {
    let owner = try FloatMemory(values)
    self.init(UnsafeBufferPointer(owner.floats), in: owner)
  }

  /// 0.
  @inlinable public var startIndex: Int { 0 }

  /// The number of values.
  @inlinable public var endIndex: Int { values.count }

  /// The value at an index from 0 to the number of values, exclusive; any other index traps.
  @inlinable public subscript(index: Int) -> Float {
    precondition(
      index >= 0 && index < values.count, "a custom layer reads beyond the end of its input")
    return values[index]
  }

  /// Calls `body` with the values as a span.
  ///
  /// - Parameter body: reads the values.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable public func withSpan<Result, Failure: Error>(
    _ body: (Span<Float>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(values.span)
  }

  /// Calls `body` with the values as a buffer, for algorithms of the standard library.
  @inlinable public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Float>) throws -> Result
  ) rethrows -> Result? {
    try body(values)
  }
}

extension MutableSpan<Float> {
  /// Copies an input to the start of the span: `output.update(fromContentsOf: inputs[0])`.
  ///
  /// - Parameter input: the values, at most as many as the span holds; more of them trap.
  /// - Returns: the index after the last value written.
  @discardableResult
  public mutating func update(fromContentsOf input: CustomInput) -> Int {
    precondition(input.count <= count, "a custom layer writes beyond the end of its output")
    for index in input.indices { self[index] = input[index] }
    return input.count
  }
}
