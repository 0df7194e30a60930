import ForgeShapes

/// Why a parameter, or the file that holds it, cannot be loaded.
///
/// ```
/// weights/conv1_W.bin: the file has the wrong size
///   received  5996 bytes
///   needs     6000 bytes, 1500 values of 4 bytes
///   remedy    check that the file belongs to this layer
/// ```
public typealias LoadError = ForgeError<LoadErrorKind>

/// The kinds of ``LoadError``.
public enum LoadErrorKind: String, Hashable, Sendable {
  /// There is no such file or folder.
  case fileMissing
  /// The file is there but cannot be opened or read.
  case unreadable
  /// The path is not of the required kind: a regular file, or a folder.
  case notARegularFile
  /// A name or path is not valid in a file name or file.
  case badName
  /// The number of bytes does not match the values, or a range lies outside the file.
  case wrongSize
  /// There are more or fewer values, or parameters, than needed.
  case wrongCount
  /// The values do not have the shape that the layer needs.
  case wrongShape
  /// The values have a type that Forge does not read.
  case wrongElementType
  /// The file is not an HDF5 file.
  case notHDF5
  /// The file is truncated, altered or inconsistent.
  case damaged
  /// The file asks for something that Forge never does, such as reading another file.
  case refused
  /// The file is valid but uses an unsupported form, or the operation is not supported.
  case unsupported
  /// There is no such entry in the file.
  case entryMissing
  /// Two entries have the same name or meaning.
  case duplicate
  /// The file has parameters for a layer that the layer does not use.
  case unused
  /// There is not enough memory.
  case outOfMemory
}
