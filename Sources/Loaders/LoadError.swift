import ForgeShapes

/// Why a parameter, or the file that holds it, cannot be loaded.
///
/// ```
/// weights/conv1_W.bin: the file has the wrong size
///   received  5996 bytes
///   needs     6000 bytes, 1500 values of 4 bytes
///   remedy    check that the file belongs to this layer
/// ```
public struct LoadError: Error, Sendable {
  /// The kind of an error.
  public enum Kind: String, Hashable, Sendable {
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

  /// The kind of an error.
  public let kind: Kind
  /// What is wrong, in a clause without a full stop.
  public let headline: String
  /// The file or folder, as the user named it.
  public var path: String?
  /// The object inside the file.
  public var entry: String?
  /// The layer the parameter was asked for.
  public var layer: String?
  /// The role of the parameter in its layer.
  public var type: ParameterType?
  /// What is needed.
  public var expected: String?
  /// What was found.
  public var received: String?
  /// A remedy for the user.
  public var remedy: String?
  /// The error underneath, when there is one.
  public var cause: (any Error)?

  init(
    _ kind: Kind, _ headline: String, path: String? = nil, entry: String? = nil,
    spec: ParameterSpec? = nil, received: String? = nil, expected: String? = nil,
    remedy: String? = nil, cause: (any Error)? = nil
  ) {
    self.kind = kind
    self.headline = headline
    self.path = path
    self.entry = entry
    self.layer = spec?.layer
    self.type = spec?.type
    self.expected = expected
    self.received = received
    self.remedy = remedy
    self.cause = cause
  }
}

extension LoadError: CustomStringConvertible {
  /// The error as text: file and entry, what is wrong, then labelled lines.
  public var description: String {
    let place = [path, entry].compactMap(\.self).map { "\($0): " }.joined()
    let details = [
      ("received", received), ("needs", expected), ("remedy", remedy),
      ("cause", cause.map { "\($0)" }),
    ].compactMap { label, text in text.map { (label: label, text: $0) } }
    return Problem.text(headline: place + headline, details: details)
  }
}
