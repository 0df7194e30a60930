import CForge
import Forge

/// What a context's handle leads to.
enum OpenedContext {
  static let table = HandleTable<RealtimeContext>(
    kind: 0x43, name: "context", isShared: false)

  /// Checks a pointer to floats of the caller.
  static func check(_ values: UnsafeRawPointer?, count: Int, stride: Int = 1) throws(Failure) {
    guard let values else { throw .null("values") }
    guard UInt(bitPattern: values) % UInt(MemoryLayout<Float>.alignment) == 0 else {
      throw Failure(
        "values is not aligned", received: "an address that is not a multiple of 4",
        needs: "the address of a float")
    }
    guard stride >= 1 else {
      throw Failure("stride is out of range", received: "\(stride)", needs: "at least 1")
    }
    let bytes = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
    guard count >= 0, !bytes.overflow,
      !bytes.partialValue.multipliedReportingOverflow(by: stride).overflow
    else {
      throw Failure(
        "count is out of range", received: "\(UInt(bitPattern: count)) values",
        needs: "at most as many as fit in memory")
    }
  }
}

extension Failure {
  static func index(
    _ index: Int, input context: borrowing RealtimeContext
  ) -> Failure {
    .index(index, of: "input", count: context.network.inputNames.count)
  }

  static func index(
    _ index: Int, output context: borrowing RealtimeContext
  ) -> Failure {
    .index(index, of: "output", count: context.network.outputNames.count)
  }

  /// Elements outside an input or output.
  static func elements(first: Int, step: Int, count: Int, of size: Int) -> Failure {
    Failure(
      "the elements are outside the memory of all examples",
      received: "\(UInt(bitPattern: count)) from \(UInt(bitPattern: first)) on, "
        + "\(UInt(bitPattern: step)) apart",
      needs: "elements from 0 to \(size - 1), at least 1 apart")
  }
}
