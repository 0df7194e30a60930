import ForgeShapes

/// A folder with one raw file per parameter, Float32 by default, found by layer name and type.
///
/// ```swift
/// let network = try model.compile(parameters: try ParameterDirectory("weights"))
/// ```
/// This reads `weights/conv1_W.bin` and `weights/conv1_b.bin` for the layer `conv1`. The source has
/// no value for a parameter without a file; a file of the wrong size is an error.
public struct ParameterDirectory: ParameterSource {
  /// The folder.
  public let path: String
  private var prefix = ""
  private var suffixes: [ParameterType: String] = [:]
  /// The extension with its dot; empty without one.
  private var ext = ""
  private let layout: ParameterLayout
  private let elementType: ElementType
  private var rule: (@Sendable (String, ParameterType) -> String)?

  /// Opens a folder whose files are named `prefix+name+suffix.ext`.
  ///
  /// - Parameters:
  ///   - path: the folder; relative to the working directory unless it begins with `/`.
  ///   - prefix: the text before every layer name.
  ///   - suffixes: the text after the layer name for each type; other types have ``suffix(for:)``.
  ///   - ext: the extension, without its dot; no extension if empty.
  ///   - layout: the axis order of the values.
  ///   - elementType: the type of all values.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, or `notARegularFile` for a
  ///   file.
  public init(
    _ path: String, prefix: String = "", suffixes: [ParameterType: String] = [:],
    ext: String = "bin", layout: ParameterLayout = .forge, elementType: ElementType = .float32
  ) throws(LoadError) {
    try Folder.isFolder(path, required: true)
    self.path = path
    self.prefix = prefix
    self.suffixes = suffixes
    self.ext = ext.isEmpty ? "" : "." + ext
    self.layout = layout
    self.elementType = elementType
  }

  /// Opens a folder whose files are named by a custom rule.
  ///
  /// - Parameters:
  ///   - path: the folder; relative to the working directory unless it begins with `/`.
  ///   - layout: the axis order of the values.
  ///   - elementType: the type of all values.
  ///   - fileName: returns the file name with its extension for a layer name and a type.
  /// - Throws: ``LoadError``: `badName`, `fileMissing`, `unreadable`, or `notARegularFile` for a
  ///   file.
  public init(
    _ path: String, layout: ParameterLayout = .forge, elementType: ElementType = .float32,
    fileName: @escaping @Sendable (_ layer: String, _ type: ParameterType) -> String
  ) throws(LoadError) {
    try Folder.isFolder(path, required: true)
    self.path = path
    self.layout = layout
    self.elementType = elementType
    rule = fileName
  }

  /// The default suffix of a type: `_W`, `_b`, or `_` and the name, as in `_gamma`.
  ///
  /// - Parameter type: what the parameter is to its layer.
  /// - Returns: the suffix.
  public static func suffix(for type: ParameterType) -> String {
    switch type {
    case .weights: "_W"
    case .biases: "_b"
    default: "_\(type.name)"
    }
  }

  /// The folder.
  public var origin: String? { path }

  /// The names of the layers with files, sorted; with a custom rule, the names of the files.
  public var availableNames: [String] {
    let files = Set((try? Folder.names(in: path)) ?? [])
    guard rule == nil else { return files.sorted() }
    let endings = Set(suffixes.values).union(
      ParameterNames.kerasTypes.filter { suffixes[$0] == nil }.map(Self.suffix(for:)))
    var names: Set<String> = []
    for file in files where file.hasPrefix(prefix) && file.hasSuffix(ext) {
      let stem = file.dropLast(ext.count)
      // Uses the longest matching suffix, because one suffix may end with another.
      let ending = endings.filter { stem.hasSuffix($0) }.max { $0.count < $1.count }
      guard let ending, stem.count > prefix.count + ending.count else { continue }
      names.insert(String(stem.dropFirst(prefix.count).dropLast(ending.count)))
    }
    return names.sorted()
  }

  /// The file of a parameter, or `nil` when the folder has none.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the file, which is read when its values are used, or `nil`.
  /// - Throws: ``LoadError``: `badName`, `unreadable`, `notARegularFile`, `wrongSize`.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    guard !spec.layer.isEmpty else { return nil }
    let name =
      rule?(spec.layer, spec.type)
      ?? prefix + spec.layer + (suffixes[spec.type] ?? Self.suffix(for: spec.type)) + ext
    do {
      return try ParameterFile(
        path: try ParameterFile.path(of: name, in: path), count: spec.count, layout: layout,
        elementType: elementType)
    } catch {
      if error.kind == .fileMissing { return nil }
      throw error.asked(for: spec)
    }
  }
}
