import ForgeShapes

/// A safetensors file: what it holds, and its values.
///
/// ```swift
/// for tensor in try SafeTensors("model.safetensors").tensors { print(tensor) }
/// // conv1.weight  8×1×3×3  f32  288 bytes
/// ```
/// The header is read with every bound checked: the tensors must fill the file one after the other,
/// none may overlap or lie outside, and each must have as many bytes as its sizes need. The values
/// are read from the file when they are used; one that is cut or changed meanwhile is an error.
public struct SafeTensors: Sendable {
  /// One tensor of a file.
  public struct Tensor: Sendable, CustomStringConvertible {
    /// The name: `conv1.weight`.
    public var name: String { key.text }
    /// The sizes, outermost first; none for a single value.
    public let sizes: [Int]
    /// The type of the values; `nil` when Forge does not read it.
    public let elementType: ElementType?
    /// The type in words: `f32`; as the file has it where Forge does not read it: `F8_E4M3`.
    public let typeName: String
    /// The bytes of the file that are the values.
    public let byteRange: Range<Int>
    /// The name as it is stored.
    let key: EntryName

    /// The tensor as one line of a listing.
    public var description: String { entry.description }

    var entry: WeightFile.Entry {
      WeightFile.Entry(
        name, sizes: sizes, elementType, typeName: typeName, byteCount: byteRange.count)
    }
  }

  /// The path of the file, as it was given.
  public let path: String
  /// The tensors in the order of their bytes.
  public let tensors: [Tensor]
  /// The metadata of the file, by name.
  public var metadata: [String: String] {
    Dictionary(texts.map { ($0.name.text, $0.text) }) { first, _ in first }
  }
  private let texts: [(name: EntryName, text: String)]
  private let file: InputFile
  private let indices: [EntryName: Int]

  /// Opens a file and reads its header.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - limits: what reading the header may cost.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate` or `refused`.
  public init(_ path: String, limits: LoadLimits = LoadLimits()) throws(LoadError) {
    try self.init(try InputFile(path: path), limits: limits)
  }

  /// Uses bytes in memory as a file and reads its header.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: where they come from, for messages.
  ///   - limits: what reading the header may cost.
  /// - Throws: ``LoadError``: `damaged`, `duplicate`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(try InputFile.copying(bytes, name: name), limits: limits)
  }

  init(_ file: InputFile, limits: LoadLimits) throws(LoadError) {
    let header = try file.locating { () throws(LoadError) in
      try SafeTensorsHeader(file, LoadBudget(limits, file))
    }
    self.file = file
    path = file.path
    tensors = header.tensors
    texts = header.texts
    indices = Dictionary(zip(header.tensors.map(\.key), 0...)) { _, last in last }
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
    guard let data = try values(of: EntryName(name), layout: layout) else {
      throw file.located(.noSuchEntry(found: tensors.prefix(9).map(\.name)), name)
    }
    return data
  }
}

extension SafeTensors: ParameterFileEntries {
  func located(_ error: LoadError, _ entry: String?) -> LoadError { file.located(error, entry) }

  func values(
    of name: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)? {
    guard let tensor = indices[name].map({ tensors[$0] }) else { return nil }
    guard let type = tensor.elementType else {
      throw file.located(.unreadableType(tensor.typeName), name.text)
    }
    return FileValues(
      file: try InputFile(tensor.byteRange, of: file, entry: name.text),
      count: tensor.byteRange.count / type.byteCount, elementType: type, layout: layout,
      sizes: tensor.sizes)
  }
}
