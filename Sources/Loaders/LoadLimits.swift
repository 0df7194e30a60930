import ForgeShapes

/// What reading the structure of a weight file may cost.
///
/// ```swift
/// let file = try WeightFile("huge.safetensors", limits: .init(entries: 1 << 20))
/// ```
/// The defaults take every file that training programs write and refuse files made to exhaust
/// memory or time. A file that goes beyond a limit gives a ``LoadError`` of kind `refused` that
/// names the limit. Raise a limit only for files you trust.
public struct LoadLimits: Sendable, Hashable {
  /// Entries of a file: tensors, arrays, datasets, groups.
  public var entries: Int
  /// The nesting of groups.
  public var depth: Int
  /// Bytes of one name.
  public var nameBytes: Int
  /// Bytes of structure that are read or made: names, headers, descriptions of models.
  public var structureBytes: Int
  /// Bytes of structure, and steps of reading it, for each byte of the file.
  ///
  /// Small files have a floor: 16 MB of structure, and as many steps as that takes.
  public var structurePerByte: Int
  /// Bytes of one entry of an archive that is decompressed into memory.
  public var inflatedBytes: Int
  /// Decompressed bytes of one entry for each byte of the file.
  ///
  /// Small files have a floor of 64 MB.
  public var inflatedPerByte: Int

  /// Sets limits; those that are not given have their defaults.
  ///
  /// - Parameters:
  ///   - entries: entries of a file.
  ///   - depth: the nesting of groups.
  ///   - nameBytes: bytes of one name.
  ///   - structureBytes: bytes of structure that are read or made.
  ///   - structurePerByte: bytes of structure for each byte of the file.
  ///   - inflatedBytes: bytes of one decompressed entry.
  ///   - inflatedPerByte: decompressed bytes of one entry for each byte of the file.
  public init(
    entries: Int = 1 << 17, depth: Int = 64, nameBytes: Int = 4096,
    structureBytes: Int = 1 << 26, structurePerByte: Int = 8,
    inflatedBytes: Int = 1 << 33, inflatedPerByte: Int = 16
  ) {
    self.entries = entries
    self.depth = depth
    self.nameBytes = nameBytes
    self.structureBytes = structureBytes
    self.structurePerByte = structurePerByte
    self.inflatedBytes = inflatedBytes
    self.inflatedPerByte = inflatedPerByte
  }

  /// The bytes of one decompressed entry in a file of `fileBytes` bytes.
  func inflatedBytes(in fileBytes: Int) -> Int {
    min(inflatedBytes, max(1 << 26, fileBytes.multipliedSaturated(by: inflatedPerByte)))
  }
}
