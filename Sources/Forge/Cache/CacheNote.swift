import ForgeLoaders
import ForgeOperations
import ForgeSystem

/// A small file of a cache: facts, and a hash of them.
enum CacheNote {
  private static let hashBytes = 32

  /// What a file says, which is thereby used; `nil` if it is missing, damaged or not as expected.
  static func read<Value>(
    _ name: String, in folder: CacheFolder,
    _ body: (inout StoredReader) throws(StoredMisfit) -> Value
  ) -> Value? {
    guard let bytes = folder.content(of: name), isWhole(bytes),
      let owner = try? StoredBytes(
        count: bytes.count,
        fill: { memory in bytes.withUnsafeBytes { memory.copyMemory(from: $0) } })
    else { return nil }
    let facts = UnsafeRawBufferPointer(rebasing: owner.bytes.dropLast(hashBytes))
    var reader = StoredReader(facts: facts, memories: [], owner: owner)
    guard let value = try? body(&reader), reader.remaining == 0 else { return nil }
    return value
  }

  /// Replaces a file in one step, if the folder can be written.
  static func write(_ name: String, _ facts: StoredWriter, to folder: CacheFolder) {
    var writer = facts
    writer.write(facts.facts.withUnsafeBytes { ContentHash(of: $0) })
    writer.facts.withUnsafeBytes { bytes in
      try? folder.write(name) { path throws(LoadError) in
        try FileReplacement.replace(path, with: [bytes])
      }
    }
  }

  /// Whether a file has the hash that it states.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= hashBytes else { return false }
    var writer = StoredWriter()
    writer.write(bytes.dropLast(hashBytes).withUnsafeBytes { ContentHash(of: $0) })
    return writer.facts.elementsEqual(bytes.suffix(hashBytes))
  }
}
