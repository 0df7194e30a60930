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
  /// The path leads to a folder, a device or a pipe.
  case notARegularFile
  /// A name cannot be part of a file name.
  case badName
  /// The file has another number of bytes than its values need.
  case wrongSize
  /// There are more or fewer values, or parameters, than needed.
  case wrongCount
  /// The values have another shape than the layer needs.
  case wrongShape
  /// The values have a type that Forge does not read.
  case wrongElementType
  /// The file is no HDF5 file.
  case notHDF5
  /// The file is cut off, altered, or contradicts itself.
  case damaged
  /// The file asks for something that Forge never does, such as reading another file.
  case refused
  /// The file is valid but uses a form that is not supported.
  case unsupported
  /// There is no such entry in the file.
  case entryMissing
  /// Two entries have the same name.
  case duplicate
  /// The file has parameters for a layer that the layer does not take.
  case unused
  /// There is not enough memory.
  case outOfMemory
}
