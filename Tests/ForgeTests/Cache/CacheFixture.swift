import Forge
import ForgeTestSupport
import Foundation

/// A folder for one test, and what its tests do with it.
struct CacheFixture {
  let path = NSTemporaryDirectory() + "forge-cache-\(UUID().uuidString)"

  /// Calls a body with a new folder, which is removed afterwards.
  static func with<Result>(_ body: (CacheFixture) throws -> Result) rethrows -> Result {
    let fixture = CacheFixture()
    defer { try? FileManager.default.removeItem(atPath: fixture.path) }
    return try body(fixture)
  }

  var cache: CompileCache { CompileCache(directory: path) }
  var options: CompileOptions { CompileOptions(cache: cache) }

  /// The paths of all files, also of others than the cache's.
  var files: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().map { path + "/" + $0 }
  }

  /// The paths of the networks.
  var networks: [String] { files.filter { $0.hasSuffix(".forge") } }
}

extension CompiledModel {
  /// What the cache did, without paths: `cached`, `stored`, `replaced`, or the reason.
  var cacheText: String {
    switch report.cache {
    case .cached: "cached"
    case .stored(_, nil): "stored"
    case .stored(_, let fault?): "replaced: \(fault)"
    case .notStored(let reason): reason
    case nil: "none"
    }
  }
}

extension Model {
  /// What the cache does in a compile.
  func cacheText(_ options: CompileOptions) throws -> String {
    try compile(options: options).cacheText
  }
}
