import ForgeShapes

/// A folder with one raw file per parameter, Float32 unless said otherwise, found by layer name and
/// type.
///
/// ```swift
/// let network = try model.compile(parameters: try ParameterDirectory("weights"))
/// ```
/// reads `weights/conv1_W.bin` and `weights/conv1_b.bin` for the layer `conv1`. A parameter without
/// a file is missing, not an error of the folder; a file of the wrong size is an error.
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
  ///   - prefix: what stands before every name.
  ///   - suffixes: what stands after the name for each type; types that are not given have
  ///     ``suffix(for:)``.
  ///   - ext: the extension, without its dot; none when empty.
  ///   - layout: the axis order of the values.
  ///   - elementType: the type of all values.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, or `notARegularFile` for a file.
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

  /// Opens a folder whose files are named by a rule of your own.
  ///
  /// - Parameters:
  ///   - path: the folder; relative to the working directory unless it begins with `/`.
  ///   - layout: the axis order of the values.
  ///   - elementType: the type of all values.
  ///   - fileName: gives the file's name, extension included, for a layer name and a type.
  /// - Throws: ``LoadError``: `fileMissing`, `unreadable`, or `notARegularFile` for a file.
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

  /// The suffix of a type that was given none: `_W`, `_b`, or `_` and the name, as in `_gamma`.
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

  /// The layer names there are files for, sorted; with a rule of your own the files' names.
  public var availableNames: [String] {
    let files = Set((try? Folder.names(in: path)) ?? [])
    guard rule == nil else { return files.sorted() }
    let endings = Set(suffixes.values).union(
      ParameterNames.kerasTypes.filter { suffixes[$0] == nil }.map(Self.suffix(for:)))
    var names: Set<String> = []
    for file in files where file.hasPrefix(prefix) && file.hasSuffix(ext) {
      let stem = file.dropLast(ext.count)
      // The longest suffix that fits: "_b" must not cut a name that ends in "_sub".
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
