import Forge

/// A model file of any format that Forge imports.
///
/// ```swift
/// let imported = try ModelFile("mobilenet.onnx").imported()
/// let network = try imported.model.compile()
/// ```
/// The format follows from the first bytes where these tell it, and else from the extension. Files
/// that hold weights only are opened by `WeightFile`.
public struct ModelFile: Sendable {
  /// The path of the file, as given.
  public let path: String
  /// The file of the weights, for formats that keep them apart: Darknet's `.weights`.
  public var weights: String?
  /// Sizes, constants and limits.
  public var options: ImportOptions

  /// Describes a model file, which is not opened yet.
  ///
  /// - Parameters:
  ///   - path: the file; relative to the working directory unless it begins with `/`.
  ///   - weights: the file of the weights, for formats that keep them apart.
  ///   - sizes: the sizes of inputs, by name, with the axes of the file.
  ///   - constants: the values of inputs that are bound while importing, by name.
  ///   - limits: the limits on the file.
  public init(
    _ path: String, weights: String? = nil, sizes: [String: [InputSize]] = [:],
    constants: [String: StoredTensor] = [:], limits: ImportLimits = ImportLimits()
  ) {
    self.path = path
    self.weights = weights
    options = ImportOptions(sizes: sizes, constants: constants, limits: limits)
  }

  /// The formats that are imported, with their extensions: `ONNX (.onnx)`.
  public static var formatNames: [String] { formats.map { $0.description } }

  /// Reads the file.
  ///
  /// - Returns: the model, its inputs and its outputs.
  /// - Throws: ``ImportError``: `fileMissing` and `unreadable`; `unsupported` when the file has
  ///   another format, which the error names with what to do instead; and what the importer of the
  ///   format throws.
  public func imported() throws(ImportError) -> ImportedModel {
    var imported = try format().imported(self)
    imported.model.metadata.interface = FileInterface(imported).bytes
    return imported
  }

  /// Whether the file is surely of a format that is not imported, and that holds more than weights.
  package var isForeign: Bool {
    guard let head = try? FileHead(path), let format = ForeignFormat(head) else { return false }
    return format.isCertain && !format.isOfWeights
  }

  /// What the file says about itself, such as its producer, without importing it.
  package func facts() throws(ImportError) -> [ModelFact] {
    let format = try format()
    return [ModelFact("format", format.name)] + (try format.facts(self))
  }

  /// The format of the file.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable` or `unsupported`.
  package func format(
    of formats: [any ModelFormat.Type] = Self.formats
  ) throws(ImportError) -> any ModelFormat.Type {
    let head: FileHead
    do throws(LoadError) { head = try FileHead(path) } catch { throw .unopened(error) }
    let named = formats.first { $0.extensions.contains(head.extension) }
    let bytes = head.bytes[...]
    if head.isFolder {
      let found = formats.first {
        $0.recognizes(folder: head.entries, extension: head.extension)
      }
      if let found { return found }
    } else if let contents = head.contents,
      // No format that is imported is text of these kinds.
      contents.isCertain || contents.role == .text && named != nil
    {
      if case .model(let name) = contents.role,
        let found = formats.first(where: { $0.name == name })
      {
        return found
      }
      if let named, head.bytes.isEmpty { throw .otherContents(named.name, head, path) }
    } else {
      if let named, named.recognizes(bytes) != false { return named }
      if let found = formats.first(where: { $0.recognizes(bytes) == true }),
        // Signatures of containers are shared with files of weights.
        named != nil || ForeignFormat(head) == nil
      {
        return found
      }
    }
    if let foreign = ForeignFormat(head), !head.bytes.isEmpty || named == nil {
      throw .foreign(foreign, path)
    }
    if let named { throw .otherContents(named.name, head, path) }
    throw .unknownFormat(formats.map { $0.description }, head, path)
  }
}

extension ImportError {
  /// The error of a file that cannot be opened, in the words of the loaders.
  fileprivate static func unopened(_ error: LoadError) -> ImportError {
    let kind: Kind =
      switch error.kind {
      case .fileMissing: .fileMissing
      default: .unreadable
      }
    return ImportError(kind, error.problem)
  }

  static func foreign(_ format: ForeignFormat, _ path: String) -> ImportError {
    ImportError(
      .unsupported,
      format.isOfWeights
        ? "the file holds weights, but no network" : "this format is not imported",
      path: path, received: format.name, remedy: format.remedy)
  }

  fileprivate static func otherContents(
    _ name: String, _ head: FileHead, _ path: String
  ) -> ImportError {
    ImportError(
      .malformed,
      head.isFolder
        ? "this is a folder, not a file of \(name)" : "the contents are not those of \(name)",
      path: path, received: head.isFolder ? nil : head.beginning)
  }

  fileprivate static func unknownFormat(
    _ known: [String], _ head: FileHead, _ path: String
  ) -> ImportError {
    ImportError(
      .unsupported, "the format of the model is not known", path: path,
      received: head.isFolder
        ? "a folder" : head.extension.isEmpty ? "no extension" : "the extension .\(head.extension)",
      needs: (known.dropLast() + known.suffix(1).map { known.count > 1 ? "or \($0)" : $0 })
        .joined(separator: ", "))
  }
}
