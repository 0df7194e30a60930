import ArgumentParser
import Forge

/// The folder of compiled models that a command looks into first.
struct CacheArguments: ParsableArguments {
  @Option(
    name: .customLong("cache"),
    help: ArgumentHelp(
      "A folder that caches compiled networks.",
      valueName: "folder"))
  var directory: String?

  /// The argument, if it is given.
  var given: [String] { GivenArguments.names(["cache": directory]) }

  /// The cache; `nil` if none is given.
  var cache: CompileCache? { directory.map { CompileCache(directory: $0) } }
}
