import CForgeKernels

/// An instruction set whose kernels this machine can run.
struct Level: Sendable, CustomStringConvertible {
  let rawValue: UInt32

  static let all: [Level] = [FORGE_SCALAR, FORGE_BASELINE, FORGE_AVX2, FORGE_AVX512].map {
    Level(rawValue: $0.rawValue)
  }

  /// Those this machine has.
  static let available = all.filter { $0.isAvailable }

  /// Those of them that have the algorithms which save multiplications.
  static let vectors = available.filter { $0.rawValue != FORGE_SCALAR.rawValue }

  var isAvailable: Bool { forge_kernels(forge_level(rawValue)) != nil }

  /// The kernels; only for levels that are available.
  var kernels: forge_kernel_table { forge_kernels(forge_level(rawValue)).pointee }

  /// The lines of the list of kernels, at a level that is available.
  var list: [forge_kernel_entry] {
    (0...).lazy.map { forge_kernel_at(forge_level(rawValue), $0) }.prefix { $0.name != nil }.map {
      $0
    }
  }

  var description: String { ["scalar", "baseline", "avx2", "avx512"][Int(rawValue)] }
}
