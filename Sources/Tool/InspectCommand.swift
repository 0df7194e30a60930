import ArgumentParser
import Forge

/// Lists what a weight file holds.
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect", abstract: "Lists what an HDF5 weight file holds.")

  @Argument(help: "The file.")
  var file: String

  func run() throws {
    #if HDF5
      let entries = try HDF5File(file).entries
      for entry in entries { print(entry) }
      print("\(entries.count) entries, \(entries.reduce(0) { $0 + $1.byteCount }) bytes")
    #else
      throw ValidationError("this build of forge reads no HDF5 files: its trait HDF5 is off")
    #endif
  }
}
