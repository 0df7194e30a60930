import ArgumentParser
import Forge

/// Lists the contents of a weight file.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Lists what a weight file holds: HDF5, safetensors, NumPy, Keras archives.")

  @Argument(help: "The file.")
  var file: String

  func run() throws {
    let weights = try WeightFile(file)
    for entry in weights.entries {
      print(entry)
      if let problem = entry.problem { print("  \(problem)".replacing("\n", with: "\n  ")) }
    }
    let count = weights.entries.count
    let entries = count == 1 ? "1 entry" : "\(count) entries"
    let bytes = weights.entries.reduce(0) { $0 + $1.byteCount }
    print("\(weights.format.rawValue): \(entries), \(LoadError.bytes(bytes))")
    let isDamaged = weights.entries.contains { [.damaged, .wrongSize].contains($0.problem?.kind) }
    if isDamaged { throw ExitCode.failure }
  }
}
