/// A folder of compiled models, from which a compile of a model that is known takes the result.
///
/// ```swift
/// let cache = CompileCache(directory: "/var/cache/app", sizeLimit: 1 << 30)
/// let network = try model.compile(options: CompileOptions(cache: cache))
/// print(network.isCached)
/// ```
/// The folder is made when the first network is stored. Any number of processes may use it at the
/// same time. It deserves the trust of a program: let nobody else write there.
public struct CompileCache: Sendable, Hashable {
  /// The folder; relative to the working directory unless it begins with `/`.
  public let directory: String
  /// The most bytes that all files of the folder take together.
  ///
  /// When a network is stored, those that were used least recently are removed.
  public let sizeLimit: Int

  /// The limit where none is stated: 4 GiB.
  public static let standardSizeLimit = 4 << 30

  /// Describes a cache; nothing is read or written.
  ///
  /// - Parameters:
  ///   - directory: the folder; relative to the working directory unless it begins with `/`.
  ///   - sizeLimit: the most bytes that all its files take together.
  public init(directory: String, sizeLimit: Int = CompileCache.standardSizeLimit) {
    self.directory = directory
    self.sizeLimit = sizeLimit
  }
}
