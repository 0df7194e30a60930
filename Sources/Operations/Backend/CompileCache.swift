/// A folder of compiled models, from which a compile loads the result if it is there.
///
/// ```swift
/// let cache = CompileCache(directory: "/var/cache/app", sizeLimit: 1 << 30)
/// let network = try model.compile(options: CompileOptions(cache: cache))
/// print(network.isCached)
/// ```
/// The folder is created when the first network is stored. Any number of processes may use it at
/// the same time. Trust it like a program: let nobody else write there.
public struct CompileCache: Sendable, Hashable {
  /// The folder; relative to the working directory unless it begins with `/`.
  public let directory: String
  /// The most bytes that the files of the folder may take together.
  ///
  /// When a network is stored, the least recently used ones are removed.
  public let sizeLimit: Int

  /// The default limit: 4 GiB.
  public static let standardSizeLimit = 4 << 30

  /// Describes a cache; nothing is read or written.
  ///
  /// - Parameters:
  ///   - directory: the folder; relative to the working directory unless it begins with `/`.
  ///   - sizeLimit: the most bytes that its files may take together.
  public init(directory: String, sizeLimit: Int = CompileCache.standardSizeLimit) {
    self.directory = directory
    self.sizeLimit = sizeLimit
  }
}
