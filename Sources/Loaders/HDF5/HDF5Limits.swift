/// Bounds that no HDF5 file of parameters exceeds, whatever its size.
enum HDF5Limits {
  /// Links that lead to links.
  static let maximumHops = 64
  /// Bytes of one dataset.
  static let maximumDatasetBytes = 1 << 40
  /// Messages of one object.
  static let maximumMessages = 1 << 16
  /// Bytes that one stored byte can represent: the largest ratio of deflate.
  static let maximumRatio = 1032
}
