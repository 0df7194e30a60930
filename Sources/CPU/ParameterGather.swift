import CForgeKernels
import ForgeShapes

/// Converts stored numbers of any layout and floating-point type to Float32.
package enum ParameterGather {
  /// Gathers a tensor of `sizes` in row-major order from float32, float16, bfloat16 or float64.
  ///
  /// `strides` are the distances between neighbors along each axis of the result, in stored
  /// numbers; `output` has memory for all values.
  package static func gather(
    _ bytes: UnsafeRawBufferPointer, type: ElementType, sizes: [Int], strides: [Int],
    into output: UnsafeMutableBufferPointer<Float>, threads: Int
  ) {
    let stored =
      switch type {
      case .float16: FORGE_STORED_FLOAT16
      case .bfloat16: FORGE_STORED_BFLOAT16
      case .float64: FORGE_STORED_FLOAT64
      default: FORGE_STORED_FLOAT32
      }
    forge_gather(
      bytes.baseAddress, Int32(stored.rawValue), Int32(sizes.count), sizes.map(Int64.init),
      strides.map(Int64.init), output.baseAddress, Int32(clamping: threads))
  }
}
