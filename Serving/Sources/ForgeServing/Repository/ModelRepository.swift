import CServingSystem
import Dispatch
import Forge
import Foundation
import Logging
import Synchronization

/// The models of a server: which there are, which are ready, and their changes while it runs.
public final class ModelRepository: Sendable {
  /// How models are loaded and unloaded while the server runs.
  public enum Mode: String, Sendable, CaseIterable {
    /// All models are loaded at the start; nothing changes.
    case none
    /// Clients load and unload models; at the start none is loaded but those that are asked for.
    case explicit
    /// All models are loaded, and the folder is looked at again from time to time.
    case poll
  }

  /// What the index says about a version.
  public struct IndexEntry: Sendable, Hashable {
    /// The name of the model.
    public let name: String
    /// The version; empty if none was loaded.
    public let version: String
    /// `READY` or `UNAVAILABLE`.
    public let state: String
    /// Why it is not ready.
    public let reason: String
  }

  /// A model that was loaded, or failed to.
  private struct Entry {
    var versions: [Int: any ServedVersion] = [:]
    /// Why it is not ready, or the last load failed.
    var reason = ""
    var stamp: [String: ModelSource.FileStamp] = [:]
  }

  /// How models are loaded and unloaded.
  public let mode: Mode
  private let folder: RepositoryFolder
  private let options: ModelOptions
  private let logger: Logger
  private let entries = Mutex<[String: Entry]>([:])
  private let loading = Atomic<Int>(0)
  /// Whether the models of the start have been loaded.
  private let hasStarted = Atomic<Bool>(false)
  /// Whether the server has been told to end.
  private let isDraining = Atomic<Bool>(false)
  /// Loads run one after the other and block a thread of their own.
  private let queue = DispatchQueue(label: "forge.serving.load")

  /// Opens a repository; nothing is loaded yet.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - mode: how models are loaded and unloaded.
  ///   - options: how models are run.
  ///   - logger: receives what was loaded and what failed.
  /// - Throws: ``ServingError`` when there is no such folder.
  public convenience init(
    _ path: String, mode: Mode = .none, options: ModelOptions = ModelOptions(),
    logger: Logger = Logger(label: "forge.serving")
  ) throws {
    self.init(try RepositoryFolder(path), mode, options, logger)
  }

  // The optimizer of Swift 6.3 fails on an initializer that throws in a class with locks.
  private init(
    _ folder: RepositoryFolder, _ mode: Mode, _ options: ModelOptions, _ logger: Logger
  ) {
    self.folder = folder
    self.mode = mode
    self.options = options
    self.logger = logger
  }

  // MARK: Looking up

  /// A ready version of a model, the latest unless one is stated.
  ///
  /// - Throws: ``ServingError`` of kind `notFound` or `unavailable`.
  package func model(
    _ name: String, version: String? = nil
  ) throws(ServingError) -> any ServedVersion {
    try entries.withLock { (entries) throws(ServingError) in
      guard let entry = entries[name] else {
        throw ServingError(.notFound, "unknown model \"\(name)\"")
      }
      guard !entry.versions.isEmpty else {
        throw ServingError(
          .unavailable, "the model \"\(name)\" is not ready: \(entry.reason)")
      }
      guard let version, !version.isEmpty else {
        // There is a version, and so a largest one.
        if let latest = entry.versions.max(by: { $0.key < $1.key }) { return latest.value }
        throw ServingError(.notFound, "unknown model \"\(name)\"")
      }
      guard let number = Int(version), let model = entry.versions[number] else {
        throw ServingError(
          .notFound,
          "the model \"\(name)\" has no version \"\(version)\"; it has "
            + entry.versions.keys.sorted().map(String.init).joined(separator: ", "))
      }
      return model
    }
  }

  /// The ready versions of a model, in order.
  package func versions(of name: String) -> [Int] {
    entries.withLock { $0[name]?.versions.keys.sorted() ?? [] }
  }

  /// All ready versions by name and number.
  package var ready: [any ServedVersion] {
    entries.withLock { entries in entries.values.flatMap(\.versions.values) }
      .sorted { ($0.name, $0.version) < ($1.name, $1.version) }
  }

  /// Whether nothing is being loaded, and no load at the start or by polling has failed.
  package var isReady: Bool {
    !isDraining.load(ordering: .acquiring) && hasStarted.load(ordering: .acquiring)
      && loading.load(ordering: .acquiring) == 0
      && (mode == .explicit
        || entries.withLock {
          $0.values.allSatisfy { !$0.versions.isEmpty || $0.reason == "unloaded" }
        })
  }

  /// What there is in the folder and in memory.
  public func index() async -> [IndexEntry] {
    let (sources, failures) = await onQueue { self.folder.models() }
    return entries.withLock { entries in
      var result: [IndexEntry] = []
      for name in Set(sources.keys).union(failures.keys).union(entries.keys).sorted() {
        let entry = entries[name] ?? Entry()
        for version in entry.versions.keys.sorted() {
          result.append(
            IndexEntry(name: name, version: "\(version)", state: "READY", reason: entry.reason))
        }
        if entry.versions.isEmpty {
          result.append(
            IndexEntry(
              name: name, version: "", state: "UNAVAILABLE",
              reason: failures[name]?.message ?? entry.reason))
        }
      }
      return result
    }
  }

  // MARK: Changing

  /// Loads all models of the folder, or those that are named.
  ///
  /// - Returns: the names that failed, with the reasons.
  @discardableResult
  public func loadAll(_ names: [String]? = nil) async -> [String: String] {
    let (sources, failures) = await onQueue { self.folder.models() }
    var failed = failures.mapValues(\.message)
    for (name, error) in failures { record(error, of: name) }
    for name in names ?? sources.keys.sorted() where !isDraining.load(ordering: .acquiring) {
      do { try await load(name) } catch { failed[name] = error.message }
    }
    hasStarted.store(true, ordering: .releasing)
    return failed
  }

  /// Loads a model, or again what is loaded; the old version answers until the new one is ready.
  ///
  /// - Parameter name: the name of the model.
  /// - Throws: ``ServingError`` when there is no such model or it cannot be loaded. What was loaded
  ///   before stays.
  public func load(_ name: String) async throws(ServingError) {
    loading.add(1, ordering: .acquiringAndReleasing)
    defer { loading.subtract(1, ordering: .acquiringAndReleasing) }
    let result = await onQueue { () -> Result<[any ServedVersion], ServingError> in
      do throws(ServingError) { return .success(try self.loadNow(name)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let old): retire(old)
    case .failure(let error):
      record(error, of: name)
      logger.error("model not loaded", metadata: ["model": "\(name)", "reason": "\(error)"])
      throw error
    }
  }

  /// Unloads a model: it answers what it has accepted, and its memory is given back.
  ///
  /// - Parameter name: the name of the model.
  /// - Throws: ``ServingError`` when there is no such model.
  public func unload(_ name: String) async throws(ServingError) {
    let old = await onQueue {
      self.entries.withLock { entries -> [any ServedVersion]? in
        guard let entry = entries[name] else { return nil }
        entries[name] = Entry(reason: "unloaded")
        return Array(entry.versions.values)
      }
    }
    guard let old else { throw ServingError(.notFound, "unknown model \"\(name)\"") }
    for model in old { await model.shutDown() }
    logger.info("model unloaded", metadata: ["model": "\(name)"])
    await returnMemory(of: old)
  }

  /// Loads what is new or changed in the folder, and unloads what has gone.
  public func poll() async {
    let (sources, failures) = await onQueue { self.folder.models() }
    let known = entries.withLock { $0.mapValues(\.stamp) }
    for (name, error) in failures { record(error, of: name) }
    for (name, source) in sources.sorted(by: { $0.key < $1.key }) where known[name] != source.stamp
    {
      try? await load(name)
    }
    for name in known.keys where sources[name] == nil && failures[name] == nil {
      try? await unload(name)
      entries.withLock { $0[name] = nil }
    }
  }

  /// The server has been told to end: it is not ready anymore, and loads nothing more.
  func beginDraining() { isDraining.store(true, ordering: .releasing) }

  /// Answers what has been accepted, and accepts nothing more.
  func shutDown() async {
    for model in ready { await model.shutDown() }
  }

  private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  private func record(_ error: ServingError, of name: String) {
    // A request for an unknown model leaves nothing behind.
    guard error.kind != .notFound else { return }
    entries.withLock { $0[name, default: Entry()].reason = error.message }
  }

  /// Loads the versions of a model and returns those that they replace.
  private func loadNow(_ name: String) throws(ServingError) -> [any ServedVersion] {
    let (sources, failures) = folder.models()
    if let failure = failures[name] { throw failure }
    guard let source = sources[name] else {
      throw ServingError(.notFound, "the repository has no model \"\(name)\"")
    }
    let versions = source.versions
    guard !versions.isEmpty else {
      throw .invalid("the version policy of \"\(name)\" leaves no version")
    }
    // A load that failed is not tried again until a file changes.
    entries.withLock { $0[name]?.stamp = source.stamp }
    var loaded: [Int: any ServedVersion] = [:]
    for version in versions {
      guard let location = source.files[version] else { continue }
      let start = ContinuousClock.now
      do {
        let model: any ServedVersion =
          switch location {
          case .file(let path):
            try ServedModel(
              name, version: version, path: path, configuration: source.configuration,
              options: options)
          case .encoder(let path):
            try ServedEncoder(
              name, version: version, path: path, configuration: source.configuration,
              options: options)
          }
        loaded[version] = model
        logger.info(
          "model loaded",
          metadata: [
            "model": "\(name)", "version": "\(version)", "plan": "\(model.plan)",
            "time": "\((ContinuousClock.now - start).short)",
          ])
      } catch let error as ServingError {
        throw error
      } catch {
        // The text of an import error has the path, which is the server's own affair.
        let text = ServingError.line(error).replacingOccurrences(of: folder.root, with: "")
        throw .invalid("the model \"\(name)\" cannot be loaded: \(text)")
      }
    }
    return entries.withLock { entries in
      let old = entries[name]?.versions.values.map { $0 } ?? []
      entries[name] = Entry(versions: loaded, reason: "", stamp: source.stamp)
      return old
    }
  }

  /// Lets replaced versions finish, while the new ones answer.
  private func retire(_ old: [any ServedVersion]) {
    guard !old.isEmpty else { return }
    Task {
      for model in old { await model.shutDown() }
      await self.returnMemory(of: old)
    }
  }

  /// Gives the memory of models back to the system once nobody holds them.
  private func returnMemory(of models: [any ServedVersion]) async {
    // The threads of a runner end shortly after it.
    queue.asyncAfter(deadline: .now() + .milliseconds(200)) { malloc_trim(0) }
  }
}
