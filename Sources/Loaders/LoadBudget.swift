import ForgeShapes

/// Tracks the remaining limits while the structure of a file is read.
///
/// Readers take from the budget before they do work whose amount the file determines: reading or
/// allocating bytes, listing entries, taking steps. So memory and time are bounded by the limits
/// and the size of the file. The parsers and caches of one reader share a budget, on one thread.
final class LoadBudget {
  /// The limits of the budget.
  let limits: LoadLimits
  private let file: InputFile
  private let byteLimit: Int
  private var bytes = 0
  private var entries = 0
  private var steps = 0

  /// The minimum byte budget of any file.
  private static let leastBytes = 1 << 24
  /// The number of bytes in the budget for each step, such as visiting an entry.
  private static let bytesPerStep = 32
  /// Hashing a string takes quadratic time in the combining marks on one character.
  private static let marksPerStep = 32

  init(_ limits: LoadLimits, _ file: InputFile) {
    self.limits = limits
    self.file = file
    byteLimit = min(
      limits.structureBytes,
      max(Self.leastBytes, file.count.multipliedSaturated(by: limits.structurePerByte)))
  }

  // These methods throw `refused`, with the name of the exceeded limit.

  /// Takes bytes of structure that are about to be read or allocated.
  func take(bytes count: Int) throws(LoadError) {
    try take(
      count, from: &bytes, of: byteLimit, "more than \(LoadError.bytes(byteLimit)) of structure",
      byteLimitName)
  }

  /// Takes entries that are about to be listed.
  func take(entries count: Int) throws(LoadError) {
    try take(
      count, from: &entries, of: limits.entries, "more than \(limits.entries) entries", "entries")
  }

  /// Takes steps: units of work of about equal cost.
  func take(steps count: Int) throws(LoadError) {
    let limit = byteLimit / Self.bytesPerStep
    try take(
      count, from: &steps, of: limit, "a structure of more than \(limit) steps", byteLimitName)
  }

  /// Checks a nesting depth.
  func check(depth: Int) throws(LoadError) {
    try check(depth, limits.depth, "a structure more than \(limits.depth) levels deep", "depth")
  }

  /// Checks the length of a name.
  func check(nameBytes count: Int) throws(LoadError) {
    try check(
      count, limits.nameBytes, "a name of more than \(LoadError.bytes(limits.nameBytes))",
      "nameBytes")
  }

  /// Creates a name and takes its bytes.
  func name(_ bytes: some Collection<UInt8>) throws(LoadError) -> EntryName {
    try check(nameBytes: bytes.count)
    try take(bytes: bytes.count)
    let name = EntryName(bytes)
    // The public API converts names to strings, which users may hash.
    try take(steps: 1 + name.markRun * name.markRun / Self.marksPerStep)
    return name
  }

  private var byteLimitName: String {
    byteLimit < limits.structureBytes ? "structurePerByte" : "structureBytes"
  }

  private func take(
    _ count: Int, from used: inout Int, of limit: Int, _ what: @autoclosure () -> String,
    _ name: String
  ) throws(LoadError) {
    try check(count >= 0 ? count : .max, limit - used, what(), name)
    used += count
  }

  private func check(
    _ count: Int, _ limit: Int, _ what: @autoclosure () -> String, _ name: String
  ) throws(LoadError) {
    guard count <= limit else { throw file.located(.beyondLimit(what(), limit: name)) }
  }
}
