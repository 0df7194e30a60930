import Foundation

/// Floats beside a page that nobody may touch: an access outside them ends the process.
final class GuardedMemory {
  /// Which end of the floats lies beside the page.
  enum End: CaseIterable { case start, end }

  let values: UnsafeMutableBufferPointer<Float>
  private let pages: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Maps memory for so many floats, filled with `values`.
  init(_ values: [Float], guarding end: End) throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let bytes = values.count * MemoryLayout<Float>.stride
    let inside = (bytes + page - 1) / page * page
    byteCount = inside + page
    let mapped = mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = mapped, pages != MAP_FAILED else { throw POSIXError(.ENOMEM) }
    self.pages = pages
    let forbidden = end == .end ? pages + inside : pages
    guard mprotect(forbidden, page, PROT_NONE) == 0 else { throw POSIXError(.EPERM) }
    let start = end == .end ? pages + inside - bytes : pages + page
    self.values = UnsafeMutableBufferPointer(
      start: start.bindMemory(to: Float.self, capacity: values.count), count: values.count)
    _ = self.values.update(fromContentsOf: values)
  }

  deinit { munmap(pages, byteCount) }
}
