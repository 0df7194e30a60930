import ArgumentParser
import Forge
import ForgeSystem
import FoundationEssentials

/// Lists, shortens and checks a folder of compiled networks.
struct CacheCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Lists, prunes or checks a folder of compiled networks, which --cache fills.",
    discussion: """
      EXAMPLES
        forge bench net.onnx --cache ~/.cache/forge
        forge cache list ~/.cache/forge
        forge cache prune ~/.cache/forge --limit 1G
        forge cache verify ~/.cache/forge
      """,
    subcommands: [List.self, Prune.self, Verify.self])

  /// The folder of a command.
  struct Folder: ParsableArguments {
    @Argument(help: "The folder.", completion: .directory)
    var directory: String

    /// The cache; a folder that does not exist is an error.
    var cache: CompileCache {
      get throws {
        guard FileManager.default.fileExists(atPath: directory) else {
          throw ValidationError("there is no folder \(directory.printable)")
        }
        return CompileCache(directory: directory)
      }
    }
  }

  /// Lists the files.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the files, the least recently used first.",
      discussion: """
        Networks are compiled files. Hashes tell a file of weights or a network that has not \
        changed, so it need not be read. Imported are model files whose network is known.

        EXAMPLES
          forge cache list ~/.cache/forge
        """)

    @OptionGroup var folder: Folder

    func run() throws {
      let entries = try folder.cache.entries()
      var total = 0
      for entry in entries {
        total += entry.byteCount
        print(CacheCommand.line(entry))
      }
      print(String(format: "%8.1f MB in %ld files", Double(total) * 1e-6, entries.count))
    }
  }

  /// Removes files.
  struct Prune: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes the least recently used files.",
      discussion: """
        Programs that have loaded a network keep it.

        EXAMPLES
          forge cache prune ~/.cache/forge --limit 1G
        """)

    @OptionGroup var folder: Folder

    @Option(help: "The most bytes to keep, with the units K, M and G.")
    var limit: ByteCountArgument

    func run() throws {
      for entry in try folder.cache.prune(to: limit.count) {
        print("removed \(CacheCommand.line(entry))")
      }
    }
  }

  /// Checks the files.
  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks the digests of all files and names those that cannot be used.",
      discussion: """
        A file of another version of Forge or for another processor cannot be used here, either. \
        The exit code is 1 if there is one.

        EXAMPLES
          forge cache verify ~/.cache/forge
        """)

    @OptionGroup var folder: Folder

    func run() throws {
      let cache = try folder.cache
      let count = try cache.entries().count
      let unusable = try cache.unusableEntries()
      for (entry, reason) in unusable { print("\(entry.path.printable): \(reason.printable)") }
      print("\(unusable.count) of \(count) files cannot be used")
      if !unusable.isEmpty { throw ExitCode.failure }
    }
  }

  private static func line(_ entry: CompileCache.Entry) -> String {
    let date = Date(timeIntervalSince1970: Double(entry.lastUse))
    return String(format: "%8.1f MB  ", Double(entry.byteCount) * 1e-6)
      + date.formatted(.iso8601) + "  \(entry.kind.rawValue.padding(to: 8))  "
      + entry.path.printable
  }
}
