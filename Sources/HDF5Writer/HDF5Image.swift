internal import CForgeHDF5
import ForgeLoaders
import ForgeShapes

/// An HDF5 file that libhdf5 creates in memory.
///
/// The library never writes to a disk, because it would not close a file that a full disk refused.
struct HDF5Image: ~Copyable {
  private static let reserveBytes = 1 << 20

  private let file: hid_t
  /// The final path, for messages.
  private let path: String

  /// Creates an empty file for values of `byteCount` bytes.
  init(byteCount: Int, for path: String) throws(LoadError) {
    let (room, overflow) = byteCount.addingReportingOverflow(Self.reserveBytes)
    guard !overflow else { throw .outOfMemory(path, byteCount: byteCount) }
    // The library holds the file and returns a copy.
    try AvailableMemory.check(room.multipliedSaturated(by: 2), for: path)
    let file = HDF5Library.exclusively { forge_hdf5_create(room) } ?? -1
    guard file >= 0 else { throw .entryNotWritten(path, "/") }
    self.file = file
    self.path = path
  }

  deinit {
    let file = file
    _ = HDF5Library.exclusively { H5Fclose(file) }
  }

  /// Writes a text as an attribute of a group.
  func write(_ text: String, as attribute: String, of group: String) throws(LoadError) {
    try write([EntryName(text)], as: attribute, of: group, isSingle: true)
  }

  /// Writes texts as an attribute of a group, which is created if needed.
  func write(
    _ texts: [EntryName], as attribute: String, of group: String, isSingle: Bool = false
  ) throws(LoadError) {
    let width = max(texts.map(\.count).max() ?? 0, 1)
    let bytes = texts.flatMap { text in
      text.bytes.map { CChar(bitPattern: $0) }
        + Array(repeating: 0, count: width - text.count)
    }
    let count = isSingle ? -1 : Int64(texts.count)
    let done = HDF5Library.exclusively {
      forge_hdf5_write_texts(file, group, attribute, bytes, width, count)
    }
    guard done == 1 else { throw .entryNotWritten(path, "\(group), \(attribute)") }
  }

  /// Writes a dataset of single or half precision.
  func write(
    _ values: UnsafeRawBufferPointer, as type: StoredType, sizes: [Int], at entry: String
  ) throws(LoadError) {
    let sizes = sizes.map { UInt64($0) }
    let done = HDF5Library.exclusively {
      forge_hdf5_write_floats(
        file, entry, Int32(clamping: sizes.count), sizes, type == .float16 ? 1 : 0,
        values.baseAddress)
    }
    guard done == 1 else { throw .entryNotWritten(path, entry) }
  }

  /// The bytes of the file.
  func bytes() throws(LoadError) -> RawMemory {
    let size = HDF5Library.exclusively {
      H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(file, nil, 0)
    }
    guard let size, size >= 0 else { throw .entryNotWritten(path, "/") }
    let memory = try RawMemory(byteCount: size, for: path)
    let copied = HDF5Library.exclusively {
      H5Fget_file_image(file, memory.bytes.baseAddress, memory.bytes.count)
    }
    guard copied == size else { throw .entryNotWritten(path, "/") }
    return memory
  }
}
