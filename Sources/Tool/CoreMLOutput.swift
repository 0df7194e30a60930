import ArgumentParser
import Forge
import ForgeExporters
import ForgeToolSupport

/// A Core ML file that the tool writes.
enum CoreMLOutput {
  /// Whether a path is that of such a file.
  static func fits(_ path: String) -> Bool { path.hasSuffix(".mlmodel") }

  /// Checks what was given beside `--coreml`.
  static func check(_ command: ExportCommand) throws {
    guard fits(command.output) else {
      throw ValidationError("with --coreml the output is a file: its name ends with .mlmodel")
    }
    guard command.type == .float32 || command.type == .float16 else {
      throw ValidationError("with --coreml the type is f32 or f16")
    }
    guard command.name == nil, command.loops else {
      throw ValidationError("--name and --no-loops go with --swift")
    }
  }

  /// Writes a model.
  static func write(_ model: Model, to path: String, _ options: CoreMLOptions) throws {
    try Progress.during("writing \(path)") { try model.write(coreML: path, options: options) }
  }
}
