/// A form in which kernels read a constant; equal forms of one constant are packed once.
protocol PackedForm: Hashable, Sendable {
  /// The number of floats.
  var count: Int { get }

  /// Whether ``write(_:to:threads:)`` writes every float.
  var writesEverything: Bool { get }

  /// Writes values, in Forge's own layout, to memory, which is zeroed unless all of it is written.
  ///
  /// Large forms are dealt out to up to `threads` threads.
  ///
  /// - Returns: whether the form holds the values as exactly as it should; if not, anything may have been written.
  func write(
    _ values: UnsafeBufferPointer<Float>, to memory: UnsafeMutableBufferPointer<Float>,
    threads: Int32
  ) -> Bool
}

extension PackedForm {
  var writesEverything: Bool { false }
}

/// A constant as it is, zeros after the last value up to `count`.
struct PaddedForm: PackedForm {
  let count: Int

  func write(
    _ values: UnsafeBufferPointer<Float>, to memory: UnsafeMutableBufferPointer<Float>,
    threads: Int32
  ) -> Bool {
    _ = memory.update(fromContentsOf: values)
    return true
  }
}

/// Zeros: the bias of a layer without one.
struct ZeroForm: PackedForm {
  let count: Int

  func write(
    _ values: UnsafeBufferPointer<Float>, to memory: UnsafeMutableBufferPointer<Float>,
    threads: Int32
  ) -> Bool { true }
}
