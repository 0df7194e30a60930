#if HDF5
  /// What is wrong inside an HDF5 file; ``HDF5File`` adds the path and the entry.
  enum HDF5Fault: Error {
    /// The file contradicts itself or ends too early; at a byte of the file, where that helps.
    case damaged(String, at: Int? = nil)
    /// The file uses a form of storage that is not read.
    case unsupported(String)
    /// The file points out of itself.
    case refused(String)
    /// The values have a type that is not read.
    case elementType(String)

    /// The error a user sees.
    func error(path: String, entry: String? = nil) -> LoadError {
      switch self {
      case .damaged(let what, let offset):
        .damagedHDF5(path, entry: entry, what, offset: offset)
      case .unsupported(let what):
        .unsupportedHDF5(path, entry: entry, what)
      case .refused(let what):
        .refusedHDF5(path, entry: entry, what)
      case .elementType(let type):
        .wrongElementType(path, entry: entry, type)
      }
    }
  }

  /// What the whole walk through one file may cost, whatever the file says of itself.
  struct HDF5Budget {
    /// Links in all groups together.
    static let maximumLinks = 1 << 17
    /// Groups inside groups.
    static let maximumDepth = 64
    /// Bytes of one path, and of all paths together.
    static let maximumPathBytes = 4096
    static let maximumNameBytes = 1 << 26
    /// Bytes of one dataset.
    static let maximumDatasetBytes = 1 << 40
    /// Messages of one object, nodes of one tree.
    static let maximumMessages = 1 << 16
    static let maximumNodes = 1 << 20

    private var links = 0
    private var nameBytes = 0

    /// Counts one link and the bytes of its path.
    mutating func countLink(path: String) throws(HDF5Fault) {
      links += 1
      nameBytes += path.utf8.count
      guard links <= Self.maximumLinks else {
        throw .refused("more than \(Self.maximumLinks) entries")
      }
      guard path.utf8.count <= Self.maximumPathBytes, nameBytes <= Self.maximumNameBytes else {
        throw .refused("names of more than \(Self.maximumPathBytes) bytes")
      }
    }
  }
#endif
