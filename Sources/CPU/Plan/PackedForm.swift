/// Values in Forge's own layout, and the memory they are packed to.
struct Packing {
  let values: UnsafePointer<Float>?
  /// The number of values.
  let count: Int
  /// Room for the floats of the form, zeroed unless the form writes all of them.
  let memory: UnsafeMutablePointer<Float>
  /// The threads that large forms are dealt out to.
  let threads: Int32
}

/// A form in which kernels read a constant; equal forms of one constant are packed once.
protocol PackedForm: Hashable, Sendable {
  /// The number of floats.
  var count: Int { get }

  /// Whether ``write(_:)`` writes every float.
  var writesEverything: Bool { get }

  /// Packs values.
  ///
  /// - Returns: whether the form holds the values as exactly as it should; if not, anything may
  ///   have been written.
  func write(_ packing: Packing) -> Bool
}

extension PackedForm {
  var writesEverything: Bool { false }
}

/// A constant as it is, zeros after the last value up to `count`.
struct PaddedForm: PackedForm {
  let count: Int

  func write(_ packing: Packing) -> Bool {
    if let values = packing.values {
      packing.memory.update(from: values, count: packing.count)
    }
    return true
  }
}

/// Zeros: the bias of a layer without one.
struct ZeroForm: PackedForm {
  let count: Int

  func write(_ packing: Packing) -> Bool { true }
}
