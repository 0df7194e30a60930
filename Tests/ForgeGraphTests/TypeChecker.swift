import Foundation
import Testing

/// The Swift compiler, asked to type-check a source against the modules of this build.
struct TypeChecker {
  /// What came of it.
  struct Result {
    /// The wall time in seconds.
    let seconds: Double
    /// The exit status.
    let status: Int32
    /// Everything printed.
    let output: String
    /// The lines of the source that errors point at.
    let errorLines: [Int]
  }

  private let modules: URL

  /// Finds the modules beside the test executable; a missing one is a failure of the test.
  init(of module: String) throws {
    let executables = [
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
      Bundle.main.executablePath, CommandLine.arguments.first,
    ]
    // The executable lies in `release`, or in a bundle inside it.
    let folders = executables.compactMap(\.self).flatMap { path -> [URL] in
      let folder = URL(filePath: path).resolvingSymlinksInPath().deletingLastPathComponent()
      return [folder, folder.deletingLastPathComponent()]
    }
    modules = try #require(
      folders.map { $0.appending(path: "Modules") }.first { folder in
        let file = folder.appending(path: "\(module).swiftmodule")
        return FileManager.default.fileExists(atPath: file.path)
      },
      "no Modules folder with \(module) beside \(folders.map(\.path))")
  }

  /// Whether there is a compiler.
  static let isAvailable: Bool = (try? run(["swiftc", "--version"]))?.status == 0

  /// Type-checks a source.
  func check(_ source: String) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "forge-type-check-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Net.swift")
    try Data(source.utf8).write(to: file)
    let start = ContinuousClock.now
    let (status, output) = try Self.run([
      "swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path, file.path,
    ])
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let pattern = /Net\.swift:(\d+):\d+: error:/
    let lines = output.matches(of: pattern).compactMap { Int($0.output.1) }
    return Result(seconds: seconds, status: status, output: output, errorLines: lines)
  }

  private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
