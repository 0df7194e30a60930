import Foundation
import Testing

/// The Swift compiler, asked to type-check a source against the modules of this build.
struct TypeChecker {
  /// What came of it.
  struct Result {
    /// The processor time in seconds: what an idle machine takes, however busy this one is.
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
    let (status, seconds, output) = try Self.run([
      "swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path, file.path,
    ])
    let pattern = /Net\.swift:(\d+):\d+: error:/
    let lines = output.matches(of: pattern).compactMap { Int($0.output.1) }
    return Result(seconds: seconds, status: status, output: output, errorLines: lines)
  }

  /// Runs a command, and measures the processor time of it and of all that it starts.
  private static func run(
    _ command: [String]
  ) throws -> (status: Int32, seconds: Double, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // `times` prints the shell's own times, then those of its children: "0m0.51s 0m0.08s".
    let script = "\"$@\"; status=$?; times; exit $status"
    process.arguments = ["sh", "-c", script, "sh"] + command
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let output = String(decoding: data, as: UTF8.self)
    let times = output.matches(of: /(\d+)m(\d+)[.,](\d+)s/).suffix(2)
    try #require(times.count == 2, "no times in \(output)")
    let seconds = times.reduce(0) { sum, time in
      sum + 60 * (Double(time.1) ?? 0) + (Double("\(time.2).\(time.3)") ?? 0)
    }
    return (process.terminationStatus, seconds, output)
  }
}
