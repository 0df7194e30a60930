import ForgeShapes

/// Limits on the memory and time for reading the structure of a weight file.
///
/// ```swift
/// let file = try WeightFile("huge.safetensors", limits: .init(entries: 1 << 20))
/// ```
/// The defaults accept files from training programs and refuse files made to exhaust memory or
/// time. A file that exceeds a limit throws a ``LoadError`` of kind `refused` that names the limit.
/// Raise limits only for trusted files.
public struct LoadLimits: Sendable, Hashable {
  /// The maximum number of entries of a file: tensors, arrays, datasets, groups.
  public var entries: Int
  /// The maximum nesting depth of groups.
  public var depth: Int
  /// The maximum length of a name in bytes.
  public var nameBytes: Int
  /// The maximum bytes of structure that are read or allocated: names, headers, model descriptions.
  public var structureBytes: Int
  /// The maximum bytes of structure, and steps of reading it, per byte of the file.
  ///
  /// The effective limit of structure is at least 16 MiB, with a step counted as 32 bytes.
  public var structurePerByte: Int
  /// The maximum decompressed size of one entry in bytes.
  public var inflatedBytes: Int
  /// The maximum decompressed bytes of one entry per byte of the file.
  ///
  /// The effective limit is at least 64 MiB.
  public var inflatedPerByte: Int

  /// Creates limits; parameters that are not given have defaults.
  ///
  /// - Parameters:
  ///   - entries: the maximum number of entries of a file.
  ///   - depth: the maximum nesting depth of groups.
  ///   - nameBytes: the maximum length of a name in bytes.
  ///   - structureBytes: the maximum bytes of structure that are read or allocated.
  ///   - structurePerByte: the maximum bytes of structure per byte of the file.
  ///   - inflatedBytes: the maximum decompressed size of one entry in bytes.
  ///   - inflatedPerByte: the maximum decompressed bytes of one entry per byte of the file.
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

  /// The maximum decompressed size of one entry in a file of `fileBytes` bytes.
  func inflatedBytes(in fileBytes: Int) -> Int {
    min(inflatedBytes, max(1 << 26, fileBytes.multipliedSaturated(by: inflatedPerByte)))
  }
}
