import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// A compiled file: a header, facts, and the memory that kernels read.
///
/// | bytes | content |
/// | --- | --- |
/// | 0 to 7 | the signature `FORGEnet` |
/// | 8 to 15 | the version of this table |
/// | 16 to 31 | the digest of all bytes that follow |
/// | 32 to 39 | the number of bytes of the file |
/// | 40 to 47 | the number of bytes of the facts |
/// | from 48 | the facts: the place and size of each piece of memory, then those of the network |
/// | then | the pieces of memory, each at a multiple of 64 |
///
/// All numbers are little-endian. The digest detects every altered byte. It does not detect a
/// deliberate change with a new digest, so open only files that you would trust as programs.
struct CompiledFile {
  private static let signature = FileContents.compiledSignature
  private static let version: UInt64 = 2
  private static let digestPlace = 16
  private static let headerBytes = 48
  /// The digest covers the bytes from here on.
  private static let coveredPlace = 32

  /// Writes a file, replacing an existing one in one step.
  ///
  /// - Throws: `LoadError` if the file cannot be written, and `NoMemory`.
  static func write(_ content: StoredWriter, to path: String) throws {
    try write(try bytes(of: content), to: path)
  }

  /// Writes the bytes of a file, replacing an existing one in one step.
  ///
  /// - Throws: `LoadError` if the file cannot be written.
  static func write(_ file: StoredBytes, to path: String) throws(LoadError) {
    defer { withExtendedLifetime(file) {} }
    try FileReplacement.replace(path, with: [file.bytes])
  }

  /// The bytes of a file.
  ///
  /// - Throws: `NoMemory`.
  static func bytes(of content: StoredWriter) throws -> StoredBytes {
    let memories = content.memories
    var table = StoredWriter()
    // The table has the same size whatever the places are.
    func places(from start: Int) -> [Int] {
      var place = start
      return memories.flatMap { memory in
        place = AlignedMemory.round(place, to: AlignedMemory.alignment)
        defer { place += memory.byteCount }
        return [place, memory.byteCount]
      }
    }
    table.write(places(from: 0))
    let factBytes = table.facts.count + content.facts.count
    let placed = places(from: headerBytes + factBytes)
    table = StoredWriter()
    table.write(placed)
    let byteCount =
      placed.count >= 2
      ? placed[placed.count - 2] + placed[placed.count - 1] : headerBytes + factBytes
    return try StoredBytes(count: byteCount) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      bytes.copyBytes(from: signature)
      store(version, in: bytes, at: 8)
      store(UInt64(byteCount), in: bytes, at: 32)
      store(UInt64(factBytes), in: bytes, at: 40)
      var place = headerBytes
      for piece in [table.facts, content.facts] {
        UnsafeMutableRawBufferPointer(rebasing: bytes[place...]).copyBytes(from: piece)
        place += piece.count
      }
      for (index, memory) in memories.enumerated() {
        UnsafeMutableRawBufferPointer(rebasing: bytes[placed[2 * index]...])
          .copyMemory(from: memory.bytes)
      }
      let digest = ContentDigest(of: UnsafeRawBufferPointer(rebasing: bytes[coveredPlace...]))
      store(digest.low, in: bytes, at: digestPlace)
      store(digest.high, in: bytes, at: digestPlace + 8)
    }
  }

  private static func store(
    _ number: UInt64, in bytes: UnsafeMutableRawBufferPointer, at place: Int
  ) {
    bytes.storeBytes(of: number.littleEndian, toByteOffset: place, as: UInt64.self)
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// Reads the bytes of an open file with some threads, or maps them.
  ///
  /// - Throws: `LoadError` if the file cannot be read, ``StoredMisfit`` if it is not a compiled
  ///   file or was cut, and `NoMemory`.
  static func bytes(of file: FileDescriptor, isMapped: Bool, threads: Int) throws -> StoredBytes {
    let count = try file.identity().count
    // A large file of another kind is not read.
    var beginning: [UInt8] = Array(repeating: 0, count: headerBytes)
    let found = try beginning.withUnsafeMutableBytes { bytes throws(LoadError) in
      try file.read(at: 0, into: bytes)
    }
    guard found == headerBytes, beginning.starts(with: signature) else {
      throw StoredMisfit.foreign("it is not a compiled network")
    }
    if isMapped, let mapped = file.mapped(count) { return mapped }
    return try StoredBytes(count: count) { bytes in
      guard try file.fill(bytes, threads: threads) else { throw StoredMisfit.damaged }
    }
  }

  /// The bytes that the digest covers.
  static func covered(of file: StoredBytes) -> Range<Int> {
    coveredPlace..<max(file.bytes.count, coveredPlace)
  }

  /// The digest that a file states; `nil` if it is too short for one.
  static func statedDigest(of file: StoredBytes) -> ContentHash? {
    guard file.bytes.count >= headerBytes else { return nil }
    return ContentHash(
      words: [
        number(file.bytes, at: digestPlace), number(file.bytes, at: digestPlace + 8), 0, 0,
      ])
  }

  /// A reader of the facts, once the digest has been checked by some threads.
  ///
  /// - Parameters:
  ///   - file: the bytes of the file.
  ///   - threads: the threads; `nil` if the digest was checked before.
  /// - Returns: the reader, behind the table of memory.
  /// - Throws: ``StoredMisfit``.
  static func reader(of file: StoredBytes, threads: Int?) throws(StoredMisfit) -> StoredReader {
    let bytes = file.bytes
    guard bytes.count >= headerBytes, bytes.starts(with: signature) else { throw .damaged }
    guard number(bytes, at: 8) == version else {
      throw .foreign("another version of Forge has written it")
    }
    guard number(bytes, at: 32) == UInt64(bytes.count) else { throw .damaged }
    if let threads {
      let digest = ContentDigest(
        of: UnsafeRawBufferPointer(rebasing: bytes[coveredPlace...]), threads: threads)
      guard digest.low == number(bytes, at: digestPlace),
        digest.high == number(bytes, at: digestPlace + 8)
      else { throw .damaged }
    }
    guard let factBytes = Int(exactly: number(bytes, at: 40)),
      factBytes <= bytes.count - headerBytes
    else { throw .damaged }
    let facts = UnsafeRawBufferPointer(rebasing: bytes[headerBytes...].prefix(factBytes))
    var table = StoredReader(facts: facts, memories: [], owner: file)
    let places = try table.read([Int].self)
    var memories: [UnsafeRawBufferPointer] = []
    for index in stride(from: 0, to: places.count - 1, by: 2) {
      let (start, count) = (places[index], places[index + 1])
      guard start >= 0, count >= 0, count <= bytes.count, start <= bytes.count - count,
        start.isMultiple(of: AlignedMemory.alignment)
      else { throw .damaged }
      memories.append(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
    let rest = try table.bytes(table.remaining)
    return StoredReader(facts: rest, memories: memories, owner: file)
  }
}
