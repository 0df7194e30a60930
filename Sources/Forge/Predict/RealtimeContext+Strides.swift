/// Values that are not contiguous: a channel of interleaved sound, or a plane of planar sound for a
/// network with interleaved channels.
///
/// ```swift
/// let context = try RealtimeContext(network)
/// let stereo = [Float](repeating: 0, count: 640)  // left, right, left, right, …
/// context.setInput(0, to: stereo.span.extracting(1...), stride: 2)  // the right channel
/// try context.predict()
/// ```
extension RealtimeContext {
  /// Copies values to an input: element `first + k · step` becomes `values[k · stride]`.
  ///
  /// As many are copied as `values` has: `values.count / stride`, rounded up. An example: a network
  /// whose input is [320][2] takes the left channel of planar sound with `step: 2`, and the right
  /// one with `first: 1, step: 2`.
  ///
  /// - Parameters:
  ///   - index: the input in the order of the model.
  ///   - values: the values.
  ///   - stride: the distance between two values, at least 1.
  ///   - first: the element of the input that the first value becomes; example `e` begins at
  ///     `e` times the size of an example.
  ///   - step: the distance between two elements of the input, at least 1.
  /// - Returns: whether there is such an input and all elements are inside; otherwise nothing is
  ///   copied.
  @discardableResult
  public func setInput(
    _ index: Int, to values: Span<Float>, stride: Int = 1, first: Int = 0, step: Int = 1
  ) -> Bool {
    guard stride >= 1 else { return false }
    let count = values.count / stride + (values.count % stride > 0 ? 1 : 0)
    return values.withUnsafeBufferPointer {
      write($0.baseAddress, count: count, stride: stride, toInput: index, first: first, step: step)
    }
  }

  /// Copies an output to values: `values[k · stride]` becomes element `first + k · step`.
  ///
  /// As many are copied as `values` takes: `values.count / stride`, rounded up. The values in
  /// between stay as they are.
  ///
  /// - Parameters:
  ///   - index: the output in the order of the model; kept layers follow.
  ///   - values: receives the values.
  ///   - stride: the distance between two values, at least 1.
  ///   - first: the element of the output that the first value receives.
  ///   - step: the distance between two elements of the output, at least 1.
  /// - Returns: whether there is such an output and all elements are inside; otherwise nothing is
  ///   copied.
  @discardableResult
  public func copyOutput(
    _ index: Int, to values: inout MutableSpan<Float>, stride: Int = 1, first: Int = 0,
    step: Int = 1
  ) -> Bool {
    guard stride >= 1 else { return false }
    let count = values.count / stride + (values.count % stride > 0 ? 1 : 0)
    return values.withUnsafeMutableBufferPointer {
      read($0.baseAddress, count: count, stride: stride, ofOutput: index, first: first, step: step)
    }
  }

  /// Copies `count` values to an input, as ``setInput(_:to:stride:first:step:)``.
  package func write(
    _ values: UnsafePointer<Float>?, count: Int, stride: Int, toInput index: Int, first: Int,
    step: Int
  ) -> Bool {
    guard let target = inputs.own(index), let base = target.baseAddress,
      Self.fits(count, first: first, step: step, in: target.count)
    else { return false }
    guard let values else { return count == 0 }
    Self.copy(values, stride, to: base + first, step, count: count)
    return true
  }

  /// Copies `count` values of an output, as ``copyOutput(_:to:stride:first:step:)``.
  package func read(
    _ values: UnsafeMutablePointer<Float>?, count: Int, stride: Int, ofOutput index: Int,
    first: Int, step: Int
  ) -> Bool {
    guard let source = outputs.own(index), let base = source.baseAddress,
      Self.fits(count, first: first, step: step, in: source.count)
    else { return false }
    guard let values else { return count == 0 }
    Self.copy(base + first, step, to: values, stride, count: count)
    return true
  }

  /// Whether this many elements are inside a tensor.
  private static func fits(_ count: Int, first: Int, step: Int, in size: Int) -> Bool {
    guard count >= 0, first >= 0, step >= 1, first <= size else { return false }
    return count == 0 || first < size && count - 1 <= (size - 1 - first) / step
  }

  private static func copy(
    _ source: UnsafePointer<Float>, _ stride: Int, to target: UnsafeMutablePointer<Float>,
    _ step: Int, count: Int
  ) {
    if stride == 1, step == 1 {
      target.update(from: source, count: count)
    } else {
      for index in 0..<count { target[index * step] = source[index * stride] }
    }
  }
}
