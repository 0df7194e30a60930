import Forge
import ForgeImporters
import Foundation

/// A model in the folder of a repository: its versions and its configuration.
struct ModelSource: Sendable {
  /// The name.
  let name: String
  /// The model of each version.
  let files: [Int: Location]
  /// What config.pbtxt says.
  let configuration: ModelConfiguration
  /// What changes when a file of the model does.
  let stamp: [String: FileStamp]

  /// Where a version is.
  enum Location: Sendable, Hashable {
    /// A file of a format that Forge imports.
    case file(String)
    /// A folder of the Hub with the network and the tokenizer of a text encoder.
    case encoder(String)
  }

  /// When a file was changed, and its size.
  struct FileStamp: Sendable, Hashable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int
    let node: UInt64
  }

  /// The versions to serve.
  var versions: [Int] { configuration.policy.versions(of: Array(files.keys)) }
}

/// The folder of a repository.
///
/// A model is a file of a format that Forge imports, such as `mobilenet.onnx`, or a folder in
/// Triton's layout, `mobilenet/1/model.onnx` with an optional `mobilenet/config.pbtxt`. A folder of
/// the Hub, with `config.json` and `tokenizer.json`, is a text encoder. Names come from listing the
/// folder; no name of a request becomes a part of a path.
struct RepositoryFolder: Sendable {
  /// The real path of the folder.
  let root: String
  /// The largest config.pbtxt that is read, and the most entries of a folder.
  private static let limits = (configurationBytes: 1 << 20, entries: 10_000)

  /// Opens a folder.
  ///
  /// - Throws: ``ServingError`` of kind `notFound`.
  init(_ path: String) throws(ServingError) {
    guard let real = Self.realPath(path), Self.isFolder(real) else {
      throw ServingError(.notFound, "the repository is not a folder: \(path)")
    }
    root = real
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private static func isFolder(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// The entries of a folder that are inside the repository, hidden ones left out.
  private func entries(of folder: String) -> [(name: String, path: String)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().prefix(Self.limits.entries).compactMap { name in
      guard !name.hasPrefix("."), let path = Self.realPath("\(folder)/\(name)"),
        path.hasPrefix(root == "/" ? "/" : "\(root)/")
      else { return nil }
      // The extension of a link's name counts, so the path keeps it.
      return (name, "\(folder)/\(name)")
    }
  }

  /// The models in the folder by name, and the errors of entries that are not models.
  func models() -> (sources: [String: ModelSource], failures: [String: ServingError]) {
    var sources: [String: ModelSource] = [:]
    var failures: [String: ServingError] = [:]
    for (entry, path) in entries(of: root) {
      let isFolder = Self.isFolder(path)
      let dot = entry.lastIndex(of: ".")
      let isFile =
        dot.map { ModelFile.extensions.contains(entry[$0...].dropFirst().lowercased()) } ?? false
      if isFile, let dot {
        let name = String(entry[..<dot])
        // A folder of the same name wins.
        guard !name.isEmpty, sources[name] == nil else { continue }
        sources[name] = ModelSource(
          name: name, files: [1: .file(path)], configuration: .none, stamp: stamp([path]))
      } else if isFolder {
        do throws(ServingError) {
          if let source = try source(entry, in: path) { sources[entry] = source }
        } catch {
          sources[entry] = nil
          failures[entry] = error
        }
      }
    }
    return (sources, failures)
  }

  /// The model in a folder of Triton's layout; `nil` if it is not a model.
  private func source(_ name: String, in folder: String) throws(ServingError) -> ModelSource? {
    var files: [Int: ModelSource.Location] = [:]
    var paths: [String] = []
    var configuration = ModelConfiguration.none
    let entries = entries(of: folder)
    if Self.isEncoder(entries) {
      return ModelSource(
        name: name, files: [1: .encoder(folder)], configuration: .none,
        stamp: stamp(self.paths(in: folder)))
    }
    if let (_, path) = entries.first(where: { $0.name == "config.pbtxt" }) {
      configuration = try ModelConfiguration(try text(path))
      paths.append(path)
    }
    guard configuration.name == nil || configuration.name == name else {
      throw .invalid("config.pbtxt has the name \"\(configuration.name ?? "")\"")
    }
    for (entry, path) in entries {
      guard let version = Int(entry), version > 0, "\(version)" == entry, Self.isFolder(path)
      else { continue }
      if Self.isEncoder(self.entries(of: path)) {
        files[version] = .encoder(path)
        paths += self.paths(in: path)
        continue
      }
      guard let file = modelFile(in: path, configuration) else { continue }
      files[version] = .file(file)
      paths.append(file)
    }
    if files.isEmpty, paths.isEmpty { return nil }
    guard !files.isEmpty else {
      throw .invalid("no version holds a model file, such as 1/model.onnx")
    }
    return ModelSource(
      name: name, files: files, configuration: configuration, stamp: stamp(paths))
  }

  /// Whether a folder is that of a text encoder.
  private static func isEncoder(_ entries: [(name: String, path: String)]) -> Bool {
    ["config.json", "modules.json"].contains { name in entries.contains { $0.name == name } }
      && entries.contains { $0.name == "tokenizer.json" }
  }

  /// The files in a folder of the Hub and in the folders of its modules.
  private func paths(in folder: String) -> [String] {
    entries(of: folder).flatMap { entry in
      Self.isFolder(entry.path) ? entries(of: entry.path).map(\.path) : [entry.path]
    }
  }

  private func modelFile(in folder: String, _ configuration: ModelConfiguration) -> String? {
    let files = entries(of: folder)
    if let name = configuration.fileName { return files.first { $0.name == name }?.path }
    let models = files.filter { file in
      file.name.lastIndex(of: ".").map {
        ModelFile.extensions.contains(file.name[$0...].dropFirst().lowercased())
      } ?? false
    }
    return (models.first { $0.name.hasPrefix("model.") } ?? (models.count == 1 ? models[0] : nil))?
      .path
  }

  private func text(_ path: String) throws(ServingError) -> String {
    guard let size = Self.status(path)?.st_size, size <= Self.limits.configurationBytes,
      let data = FileManager.default.contents(atPath: path)
    else { throw .invalid("config.pbtxt cannot be read, or is longer than 1 MiB") }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .invalid("config.pbtxt is not UTF-8")
    }
    return text
  }

  private func stamp(_ paths: [String]) -> [String: ModelSource.FileStamp] {
    var result: [String: ModelSource.FileStamp] = [:]
    for path in paths {
      guard let status = Self.status(path) else { continue }
      result[path] = ModelSource.FileStamp(
        seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
        size: Int(status.st_size), node: UInt64(status.st_ino))
    }
    return result
  }
}
