import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// Hashes the values of parameters, and remembers the hashes of ranges of files.
final class ParameterHashes {
  private let folder: CacheFolder
  private let threads: Int
  private var files: [FileStamp: FileHashes] = [:]
  /// The seconds at the beginning, before anything was read.
  private let start = CacheFolder.now

  /// Hashes with some threads; what is remembered is in a folder.
  init(in folder: CacheFolder, threads: Int) {
    (self.folder, self.threads) = (folder, threads)
  }

  /// Smaller ranges are read each time.
  private static let leastBytes = 1 << 16

  /// The hash of the bytes of a parameter.
  ///
  /// - Throws: what reading them throws.
  func hash(of data: any ParameterData) throws -> ContentHash {
    try CompileWatch.check()
    guard let place = (data as? any FiledParameterData)?.filePlace,
      place.range.count >= Self.leastBytes,
      let (stamp, range) = try place.file.stamp(of: place.range)
    else { return try read(data) }
    if files[stamp] == nil { files[stamp] = FileHashes(of: stamp, in: folder) }
    if let known = files[stamp]?[range] { return known }
    let hash = try read(data)
    // A file that was written just now may be written again without a trace.
    if stamp.isOld(at: start), try place.file.stamp(of: place.range)?.0 == stamp {
      files[stamp]?[range] = hash
    }
    return hash
  }

  private func read(_ data: any ParameterData) throws -> ContentHash {
    var hash: ContentHash?
    try data.withBytes(atLeast: data.count * data.elementType.byteCount) { bytes in
      let values = UnsafeRawBufferPointer(
        rebasing: bytes.prefix(data.count * data.elementType.byteCount))
      hash = ContentHash(of: values, threads: threads)
    }
    guard let hash else { throw CompileKey.Refusal(reason: "\(data.origin) has no values") }
    return hash
  }

  /// Writes what was learned; a folder that cannot be written learns nothing.
  func save() {
    for file in files.values { file.save(in: folder) }
  }
}
