import ForgeShapes

/// A safetensors file: its tensors, their values, and metadata.
///
/// ```swift
/// for tensor in try SafeTensors("model.safetensors").tensors { print(tensor) }
/// // conv1.weight  8×1×3×3  f32  288 bytes
/// ```
/// Every bound in the header is checked. The tensors must fill the file without gaps or overlaps,
/// and each must have the number of bytes that its sizes need. Values are read on use; a file that
/// was truncated or changed since opening is an error.
public struct SafeTensors: Sendable {
  /// One tensor of a file.
  public struct Tensor: Sendable, CustomStringConvertible {
    /// The name: `conv1.weight`.
    public var name: String { key.text }
    /// The sizes, outermost first; none for a single value.
    public let sizes: [Int]
    /// The type of the values; `nil` when Forge does not read it.
    public let elementType: ElementType?
    /// The name of the type: `f32`, or the file's own if unsupported: `F8_E4M3`.
    public let typeName: String
    /// The byte range of the values in the file.
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

  /// The path of the file, as given.
  public let path: String
  /// The tensors, in the order of their offsets.
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
  ///   - limits: the limits for reading the header.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, `notARegularFile`, `damaged`,
  ///   `duplicate` or `refused`.
  public init(_ path: String, limits: LoadLimits = LoadLimits()) throws(LoadError) {
    try self.init(try InputFile(path: path), limits: limits)
  }

  /// Uses bytes in memory as a file and reads its header.
  ///
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - name: the origin of the bytes, for error messages.
  ///   - limits: the limits for reading the header.
  /// - Throws: ``LoadError``: `damaged`, `duplicate`, `refused` or `outOfMemory`.
  public init(
    bytes: [UInt8], name: String = "memory", limits: LoadLimits = LoadLimits()
  ) throws(LoadError) {
    try self.init(try InputFile.copying(bytes, name: name), limits: limits)
  }

  init(_ file: InputFile, limits: LoadLimits) throws(LoadError) {
    let header = try OtherFormat.naming(file, readAs: .safeTensors) { () throws(LoadError) in
      try file.locating { () throws(LoadError) in
        try SafeTensorsHeader(file, LoadBudget(limits, file))
      }
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
  ///   - name: the name of the tensor.
  ///   - layout: the axis order of the values.
  /// - Returns: the values, which are read when they are used.
  /// - Throws: ``LoadError``: `entryMissing` or `wrongElementType`.
  public func data(
    named name: String, layout: ParameterLayout = .pytorch
  ) throws(LoadError) -> any ParameterData {
    guard let data = try stored(EntryName(name), layout: layout) else {
      throw file.located(.noSuchEntry(found: tensors.prefix(9).map(\.name)), name)
    }
    return data
  }
}

extension SafeTensors: ParameterFileEntries {
  func located(_ error: LoadError, _ entry: String?) -> LoadError { file.located(error, entry) }

  /// The values of a tensor; 8-bit integers that have scales are multiplied by them.
  func values(
    of name: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)? {
    guard let values = try stored(name, layout: layout) else { return nil }
    guard values.elementType == .int8,
      let scales = try stored(Self.scaleName(of: name), layout: layout)
    else { return values }
    guard let scaled = ScaledValues(values, times: scales) else {
      throw file.located(.scalesMisfit(scales.sizes ?? [], of: values.sizes ?? []), name.text)
    }
    return scaled
  }

  /// The name of the scales of a tensor of 8-bit integers.
  static func scaleName(of name: EntryName) -> EntryName {
    EntryName(name.bytes + Array("_scale".utf8))
  }

  /// The names of the tensors, without those of scales.
  var parameterKeys: [EntryName] {
    var scales: Set<EntryName> = []
    for tensor in tensors where tensor.elementType == .int8 {
      scales.insert(Self.scaleName(of: tensor.key))
    }
    return tensors.map(\.key).filter { !scales.contains($0) }
  }

  /// The values of a tensor as they are stored.
  private func stored(
    _ name: EntryName, layout: ParameterLayout
  ) throws(LoadError) -> FileValues? {
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
