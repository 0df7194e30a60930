import ForgeShapes

/// How a compile has used the cache of its options.
public enum CacheUse: Sendable, Hashable, CustomStringConvertible {
  /// The network comes from this file; nothing was compiled.
  case cached(path: String)
  /// The network was compiled and stored in this file. `replacing` says why an existing file could
  /// not be used; `nil` if there was none.
  case stored(path: String, replacing: String?)
  /// The network was compiled and is not in the cache, for this reason.
  case notStored(reason: String)

  /// The use in one line.
  public var description: String {
    switch self {
    case .cached(let path): "loaded from \(path.printable)"
    case .stored(let path, nil): "compiled, stored as \(path.printable)"
    case .stored(let path, let fault?):
      "compiled, stored as \(path.printable) in place of a file that cannot be used: "
        + fault.printable
    case .notStored(let reason): "compiled, not stored: \(reason.printable)"
    }
  }
}
