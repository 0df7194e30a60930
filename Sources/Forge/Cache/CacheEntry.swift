import ForgeLoaders
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// An entry of a cache that was found sound.
struct CacheEntry {
  /// The path of the file.
  let path: String
  /// Its bytes, mapped.
  let file: StoredBytes
  let stored: StoredModel

  /// Opens the entry of a key.
  ///
  /// Its digest is computed once for each version of the file, which the folder remembers as the
  /// hashes of a file of weights.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - folder: the folder of the cache.
  ///   - options: the options of the compile, for the device and the threads of a prediction.
  ///   - threads: the threads that check the digest.
  /// - Throws: `LoadError`, `fileMissing` if there is none, ``StoredMisfit`` if it cannot be used,
  ///   and `NoMemory`.
  init(_ key: String, in folder: CacheFolder, _ options: CompileOptions, threads: Int) throws {
    let name = key + CacheFolder.entrySuffix
    let start = CacheFolder.now
    let descriptor = try folder.open(name)
    let stamp = try descriptor.stamp()
    file = try CompiledFile.bytes(of: descriptor, isMapped: true, threads: threads)
    let digest = CompiledFile.statedDigest(of: file)
    var hashes = FileHashes(of: stamp, in: folder)
    let isChecked = digest != nil && hashes[CompiledFile.covered(of: file)] == digest
    stored = try StoredModel(
      file, on: options.device, threads: options.threads,
      readingThreads: isChecked ? nil : threads)
    guard stored.description.key == key else {
      throw StoredMisfit.foreign("it holds a different network")
    }
    path = folder.path(of: name)
    guard !isChecked else { return }
    // The time of use would be a change, too: that of the hashes stands for it.
    if stamp.isOld(at: start), let digest, try descriptor.stamp() == stamp {
      hashes[CompiledFile.covered(of: file)] = digest
      hashes.save(in: folder)
    } else if stamp.isWrittenBefore(start) {
      descriptor.touch()
    }
  }
}
