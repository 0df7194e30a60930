import ForgeShapes

/// A safetensors file: what it holds, and its values.
///
/// ```swift
/// for tensor in try SafeTensors("model.safetensors").tensors { print(tensor) }
/// // conv1.weight  8×1×3×3  f32  288 bytes
/// ```
/// The header is read with every bound checked: the tensors must fill the file one after the other,
/// none may overlap or lie outside, and each must have as many bytes as its sizes need. The values
/// stay in the mapped file and are read when they are used.
public struct SafeTensors: Sendable {
  /// One tensor of a file.
  public struct Tensor: Sendable, CustomStringConvertible {
    /// The name: `conv1.weight`.
    public let name: String
    /// The sizes, outermost first; none for a single value.
    public let sizes: [Int]
    /// The type of the values; `nil` when Forge does not read it.
    public let elementType: ElementType?
    /// The type in words: `f32`; as the file has it where Forge does not read it: `F8_E4M3`.
    public let typeName: String
    /// The bytes of the file that are the values.
    public let byteRange: Range<Int>

    /// The tensor as one line of a listing.
    public var description: String {
      "\(name)  \(LoadError.sizeText(sizes))  \(typeName)  \(LoadError.bytes(byteRange.count))"
    }
  }

  /// The path of the file, as it was given.
  public let path: String
  /// The tensors in the order of their bytes.
  public let tensors: [Tensor]
  /// The texts the file carries besides, by name.
  public let metadata: [String: String]
  private let mapping: FileMapping
  private let indices: [String: Int]

  /// Opens a file and reads its header.
  ///
  /// - Parameter path: the file; relative to the working directory unless it begins with `/`.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate` or `refused`.
  public init(_ path: String) throws(LoadError) {
    try self.init(try FileMapping(path: path))
  }

  /// Reads the header of a mapped file.
  init(_ mapping: FileMapping) throws(LoadError) {
    let header = try SafeTensorsHeader(mapping)
    self.mapping = mapping
    path = mapping.path
    tensors = header.tensors
    metadata = header.metadata
    indices = Dictionary(
      uniqueKeysWithValues: header.tensors.enumerated().map { ($1.name, $0) })
  }

  /// The values of a tensor.
  ///
  /// - Parameters:
  ///   - name: the tensor.
  ///   - layout: the axis order of the values.
  /// - Returns: the values, which are read when they are used.
  /// - Throws: ``LoadError``: `entryMissing` or `wrongElementType`.
  public func data(
    named name: String, layout: ParameterLayout = .pytorch
  ) throws(LoadError) -> any ParameterData {
    guard let data = try find(name, layout: layout) else {
      throw .noSuchEntry(path, name, found: tensors.map(\.name))
    }
    return data
  }

  /// The values of a tensor, or `nil` when there is none of that name.
  func find(_ name: String, layout: ParameterLayout) throws(LoadError) -> MappedValues? {
    guard let tensor = indices[name].map({ tensors[$0] }) else { return nil }
    guard let type = tensor.elementType else {
      throw .unreadableType(path, entry: name, tensor.typeName)
    }
    return MappedValues(
      FileRange(mapping, tensor.byteRange, entry: name),
      count: tensor.byteRange.count / type.byteCount, elementType: type, layout: layout,
      sizes: tensor.sizes)
  }
}
