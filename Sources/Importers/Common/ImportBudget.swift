import Forge
import Synchronization

/// What an import may take for the constants that it computes: memory and work.
///
/// A file of a hundred bytes can ask for any number of computed values. ``HostTensor`` therefore
/// takes from the budget before it computes. Memory is given back when nothing holds the values any
/// more. The budget grows with the bytes that are really there, in the model file and beside it.
///
/// The budget belongs to the import that runs in the present task; outside of an import nothing is
/// counted.
package final class ImportBudget: Sendable {
  @TaskLocal private static var current: ImportBudget?

  /// The bytes that computed constants may hold for each byte of the files.
  private static let bytesPerByte = 8
  /// The elements that may be read or written for each byte of the files.
  private static let elementsPerByte = 16

  private let limits: ImportLimits
  private let path: String?
  private let fileBytes = Atomic(0)
  private let files = Mutex<Set<EntryName>>([])
  private let heldBytes = Atomic(0)
  private let elements = Atomic(0)

  private init(_ limits: ImportLimits, path: String?) {
    self.limits = limits
    self.path = path
  }

  /// Memory that computed values hold, given back when the last copy of them is released.
  package final class Held: Sendable {
    private let byteCount: Int
    private let budget: ImportBudget

    fileprivate init(_ byteCount: Int, _ budget: ImportBudget) {
      self.byteCount = byteCount
      self.budget = budget
    }

    deinit { budget.heldBytes.subtract(byteCount, ordering: .relaxed) }
  }

  // MARK: Imports

  /// Runs an import with a budget of its own.
  static func during<Value>(
    _ limits: ImportLimits, fileBytes: Int, path: String?,
    _ body: () throws(ImportError) -> Value
  ) throws(ImportError) -> Value {
    let budget = ImportBudget(limits, path: path)
    budget.fileBytes.store(fileBytes, ordering: .relaxed)
    let result = $current.withValue(budget) {
      Result { () throws(ImportError) in try body() }
    }
    return try result.get()
  }

  /// Adds the bytes of a file beside the model; a file counts once.
  static func add(file path: String, bytes: Int) {
    guard let current, current.files.withLock({ $0.insert(EntryName(path)).inserted }) else {
      return
    }
    let sum = current.fileBytes.load(ordering: .relaxed).addingSaturated(bytes)
    current.fileBytes.store(sum, ordering: .relaxed)
  }

  /// The bytes of all files of the present import.
  static var bytesOfFiles: Int { current?.fileBytes.load(ordering: .relaxed) ?? 0 }

  // MARK: Taking

  /// Takes the work on some elements and memory for them that is soon given back.
  ///
  /// - Parameters:
  ///   - count: the number of elements that are read or written.
  ///   - width: the bytes of an element in memory; 0 if only work is taken.
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  package static func take(_ count: Int, width: Int) throws(ImportError) {
    guard let current else { return }
    try current.check(count.multipliedSaturated(by: width))
    try current.work(on: count)
  }

  /// Takes the work on some elements, and memory for them until the result is released.
  ///
  /// - Parameters:
  ///   - count: the number of elements that are computed.
  ///   - width: the bytes of an element in memory.
  /// - Returns: the memory, which the values hold; `nil` outside of an import.
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  package static func hold(_ count: Int, width: Int) throws(ImportError) -> Held? {
    guard let current else { return nil }
    let byteCount = count.multipliedSaturated(by: width)
    try current.check(byteCount)
    try current.work(on: count)
    current.heldBytes.add(byteCount, ordering: .relaxed)
    return Held(byteCount, current)
  }

  /// Takes memory that the model keeps.
  ///
  /// - Throws: ``ImportError`` of kind `tooLarge`.
  package static func keep(_ count: Int, width: Int) throws(ImportError) {
    guard let current else { return }
    let byteCount = count.multipliedSaturated(by: width)
    try current.check(byteCount)
    current.heldBytes.add(byteCount, ordering: .relaxed)
  }

  private func check(_ byteCount: Int) throws(ImportError) {
    let limit = limits.foldedBytes.addingSaturated(
      fileBytes.load(ordering: .relaxed).multipliedSaturated(by: Self.bytesPerByte))
    let needed = heldBytes.load(ordering: .relaxed).addingSaturated(byteCount)
    guard needed <= limit else {
      throw .beyondBudget(
        "the constants computed while importing are too large", ImportError.bytes(needed),
        needs: "at most \(limit)", limit: "foldedBytes", path: path)
    }
  }

  private func work(on count: Int) throws(ImportError) {
    let limit = limits.foldedElements.addingSaturated(
      fileBytes.load(ordering: .relaxed).multipliedSaturated(by: Self.elementsPerByte))
    let sum = elements.load(ordering: .relaxed).addingSaturated(count)
    elements.store(sum, ordering: .relaxed)
    guard sum <= limit else {
      throw .beyondBudget(
        "the constants take too much work to compute while importing",
        "more than \(limit) elements", needs: nil, limit: "foldedElements", path: path)
    }
  }
}

extension ForgeError where ErrorKind == ImportErrorKind {
  /// The error of a file that asks for more than it may, by the caller's limits and its own size.
  static func beyondBudget(
    _ headline: String, _ received: String, needs: String?, limit: String, path: String?
  ) -> ImportError {
    ImportError(
      .tooLarge, headline, path: path, received: received, needs: needs,
      remedy: "for a file that you trust, raise \(limit) in ImportLimits, or forge --trusted")
  }
}
