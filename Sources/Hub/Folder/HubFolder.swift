import ForgeLoaders
import ForgeShapes

typealias LoadErrorOfHub = LoadError

/// The settings files of a folder.
struct HubFolder: Sendable {
  /// The path, as given.
  let path: String
  let limits: HubLimits

  /// The deepest nesting of a settings file; the library's have five levels.
  private static let maximumDepth = 32

  /// The path of a file.
  func path(of name: String) -> String {
    if path.isEmpty { return name }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  /// A folder within this one, named in a file.
  ///
  /// - Throws: ``HubError`` of kind `invalid` for a name that leads elsewhere.
  func folder(_ name: String, namedIn file: String) throws(HubError) -> HubFolder {
    if name.isEmpty || name == "." { return self }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
      !name.utf8.contains(0), name.utf8.count <= 255
    else { throw .invalid("path", "\"\(name)\"", in: file, needs: "a folder in this one") }
    return HubFolder(path: path(of: name), limits: limits)
  }

  /// The bytes of a file; `nil` if there is none.
  ///
  /// - Throws: ``HubError``: `unreadable`, `malformed` or `tooLarge`.
  func bytes(of name: String) throws(HubError) -> [UInt8]? {
    let path = path(of: name)
    let size: Int
    reading: do throws(LoadError) {
      let file = try InputFile(path: path)
      size = file.count
      guard size <= limits.settingBytes else { break reading }
      var bytes = [UInt8](repeating: 0, count: file.count)
      var failure: LoadError?
      bytes.withUnsafeMutableBytes { memory in
        do throws(LoadError) { try file.read(0..<file.count, into: memory) } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      return bytes
    } catch {
      if error.kind == .fileMissing { return nil }
      throw HubError(error)
    }
    throw .tooLarge(path, size, limit: limits.settingBytes)
  }

  /// Whether there is a file that can be opened.
  func has(_ name: String) -> Bool { (try? InputFile(path: path(of: name))) != nil }

  /// The JSON of a file; `nil` if there is none.
  ///
  /// - Throws: ``HubError``: `unreadable`, `malformed` or `tooLarge`.
  func json(_ name: String) throws(HubError) -> JSONValue? {
    guard let bytes = try bytes(of: name) else { return nil }
    let path = path(of: name)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .wrongForm(path, needs: "JSON in UTF-8")
    }
    do throws(LoadError) {
      return try JSONValue.python(text, name: path, maximumDepth: Self.maximumDepth)
    } catch { throw HubError(error) }
  }

  /// The settings in config.json.
  ///
  /// - Throws: ``HubError``: `fileMissing`, and those of reading.
  func configuration() throws(HubError) -> Settings {
    guard let settings = try settings("config.json") else {
      throw HubError(
        .fileMissing, "there is no configuration", path: path(of: "config.json"),
        needs: "the config.json of a network of transformers")
    }
    return settings
  }

  /// The settings in a file of one JSON object; `nil` if there is none.
  ///
  /// - Throws: ``HubError``: `unreadable`, `malformed` or `tooLarge`.
  func settings(_ name: String) throws(HubError) -> Settings? {
    guard let json = try json(name) else { return nil }
    guard let object = json.object else {
      throw .wrongForm(path(of: name), needs: "a JSON object")
    }
    return Settings(object, path: path(of: name))
  }
}
