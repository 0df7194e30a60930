/// The values of a constant in Forge's layout, and the destination of packing.
struct Packing {
  let values: UnsafePointer<Float>?
  /// The number of values.
  let count: Int
  /// Memory for the floats of the form, zeroed unless the form writes all of them.
  let memory: UnsafeMutablePointer<Float>
  /// The maximum number of threads for packing large forms.
  let threads: Int32
}

/// The form in which kernels read a constant; equal forms of one constant are packed once.
protocol PackedForm: Hashable, Sendable {
  /// The number of floats.
  var count: Int { get }

  /// Whether ``write(_:)`` writes every float.
  var writesEverything: Bool { get }

  /// Packs values.
  ///
  /// - Returns: `true` if the form represents the values accurately enough; otherwise the contents
  ///   are undefined.
  func write(_ packing: Packing) -> Bool
}

extension PackedForm {
  var writesEverything: Bool { false }
}

/// The unmodified values, zero-padded to `count`; zeros without values.
struct PaddedForm: PackedForm {
  let count: Int

  func write(_ packing: Packing) -> Bool {
    if let values = packing.values {
      packing.memory.update(from: values, count: packing.count)
    }
    return true
  }
}
