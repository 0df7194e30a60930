/// What is left of a file's limits while its structure is read.
///
/// Everything that a reader does in proportion to what a file claims is taken from the budget
/// first: bytes before they are read or made, entries before they are listed, steps before they are
/// gone. So memory and time are bounded by the limits and by the size of the file. It is an object,
/// so that the parsers and caches of one walk share it; a walk belongs to one thread.
final class LoadBudget {
  /// The limits the budget was made of.
  let limits: LoadLimits
  private let path: String
  private let byteLimit: Int
  private let stepLimit: Int
  /// Bytes of structure that were read or made.
  private(set) var bytes = 0
  /// Entries that were listed.
  private(set) var entries = 0
  /// Steps that were gone.
  private(set) var steps = 0

  /// The least that the size of a file lets it take.
  private static let leastBytes = 1 << 24
  /// A step, such as an entry or a message, is worth this many bytes.
  private static let bytesPerStep = 32
  /// Hashing a string takes time by the square of the marks on one character.
  private static let marksPerStep = 32

  /// The budget of one file.
  init(_ limits: LoadLimits, _ file: InputFile) {
    self.limits = limits
    path = file.path
    byteLimit = min(
      limits.structureBytes,
      max(Self.leastBytes, LoadLimits.product(file.count, limits.structurePerByte)))
    stepLimit = byteLimit / Self.bytesPerStep
  }

  /// Takes bytes of structure that are about to be read or made.
  ///
  /// - Throws: ``LoadError`` of kind `refused` when there are not as many left.
  func take(bytes count: Int) throws(LoadError) {
    guard count >= 0, count <= byteLimit - bytes else {
      throw .beyondLimit(
        path, "more than \(LoadError.bytes(byteLimit)) of structure",
        limit: byteLimit < limits.structureBytes ? "structurePerByte" : "structureBytes")
    }
    bytes += count
  }

  /// Takes entries that are about to be listed.
  ///
  /// - Throws: ``LoadError`` of kind `refused` when there are not as many left.
  func take(entries count: Int) throws(LoadError) {
    guard count >= 0, count <= limits.entries - entries else {
      throw .beyondLimit(path, "more than \(limits.entries) entries", limit: "entries")
    }
    entries += count
  }

  /// Takes steps: pieces of work of about the same length, such as visiting an entry or a message.
  ///
  /// - Throws: ``LoadError`` of kind `refused` when there are not as many left.
  func take(steps count: Int) throws(LoadError) {
    guard count >= 0, count <= stepLimit - steps else {
      throw .beyondLimit(
        path, "a structure of more than \(stepLimit) steps",
        limit: byteLimit < limits.structureBytes ? "structurePerByte" : "structureBytes")
    }
    steps += count
  }

  /// Throws when a depth, which the caller counts, is too large.
  func check(depth: Int) throws(LoadError) {
    guard depth <= limits.depth else { throw tooDeep }
  }

  /// A name, once its bytes are taken and found not to be too many.
  ///
  /// - Throws: ``LoadError`` of kind `refused`.
  func name(_ bytes: some Collection<UInt8>) throws(LoadError) -> EntryName {
    try check(nameBytes: bytes.count)
    try take(bytes: bytes.count)
    let name = EntryName(bytes)
    // Names become strings at the public interface, where users hash them.
    try take(steps: 1 + name.markRun * name.markRun / Self.marksPerStep)
    return name
  }

  /// Throws when a name of as many bytes is too long.
  func check(nameBytes count: Int) throws(LoadError) {
    guard count <= limits.nameBytes else {
      throw .beyondLimit(
        path, "a name of more than \(LoadError.bytes(limits.nameBytes))", limit: "nameBytes")
    }
  }

  private var tooDeep: LoadError {
    .beyondLimit(path, "a structure more than \(limits.depth) levels deep", limit: "depth")
  }
}
