import CForgePixels
import Forge
import ForgeSystem

/// The tables and the memory for one way through the pixels of pictures of one form.
///
/// Making it allocates; running it does not. One thread uses it at a time.
package final class PixelPlan {
  /// The form of the pictures that it takes.
  let source: PixelSource
  /// The bytes that it writes, and the distance of its rows.
  package let outputBytes: Int
  private let memory: UnsafeMutableRawPointer
  private var preparation: forge_preparation
  private let threads: Int32
  private let fault: UnsafeMutablePointer<Int32>

  /// Computes the tables of a request, whose sizes have been checked.
  ///
  /// - Throws: ``ImageError`` when there is not enough memory.
  package init(_ request: PixelRequest) throws(ImageError) {
    source = request.source
    var builder = PlanBuilder(request)
    preparation = builder.build()
    outputBytes = builder.outputBytes
    threads = Int32(max(1, min(request.threads, request.height, CompileOptions.Threads.maximum)))
    let scratch = Int(forge_preparation_scratch(&preparation))
    preparation.scratch_bytes = Int64(scratch)
    let scratchPlace = builder.tables.reserve(scratch.multipliedSaturated(by: Int(threads)))
    let faultPlace = builder.tables.reserve(64)
    let byteCount = builder.tables.byteCount
    guard byteCount < 1 << 16 || (try? MemoryProbe.check(byteCount: byteCount)) != nil,
      let memory = AlignedMemory.allocate(byteCount: byteCount)
    else { throw .outOfMemory(byteCount: byteCount) }
    self.memory = memory
    builder.tables.copy(to: memory)
    builder.bind(&preparation, memory)
    preparation.scratch = (memory + scratchPlace.offset).assumingMemoryBound(to: UInt8.self)
    fault = (memory + faultPlace.offset).bindMemory(to: Int32.self, capacity: 1)
    fault.initialize(to: 0)
    preparation.fault = fault
  }

  deinit { AlignedMemory.free(memory) }

  /// Writes the picture of `planes` to ``outputBytes`` bytes at `output`.
  ///
  /// - Parameters:
  ///   - planes: the place of the picture.
  ///   - output: the memory that is written.
  ///   - rowStride: the bytes from row to row of the output; `nil` for that of the request.
  /// - Throws: ``ImageError`` when a sample of a picture of floats is not finite.
  package func run(
    _ planes: PixelPlanes, into output: UnsafeMutableRawPointer, rowStride: Int? = nil
  ) throws(ImageError) {
    preparation.source.planes = (planes.rows.0, planes.rows.1, planes.rows.2)
    preparation.source.strides = (planes.strides.0, planes.strides.1, planes.strides.2)
    preparation.output.base = output.assumingMemoryBound(to: UInt8.self)
    let packedStride = preparation.output.row_stride
    if let rowStride { preparation.output.row_stride = Int64(rowStride) }
    forge_prepare_all(&preparation, threads)
    preparation.output.row_stride = packedStride
    if fault.pointee != 0 {
      fault.pointee = 0
      throw .notFinite()
    }
  }
}
