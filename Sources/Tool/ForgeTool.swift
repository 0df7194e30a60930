import ArgumentParser
import CForgeProcess
import ForgeSystem
import ForgeToolSupport

/// The command-line tool.
@main
struct ForgeTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forge",
    abstract: "Inspects networks and weight files, runs and compares them, and times predictions.",
    discussion: """
      EXAMPLES
        forge check net.onnx                                 does it work?
        forge run net.onnx --input x.npy --output y.npy
        forge run net.h5 --input cat.jpg --preset imageNet
        forge graph net.onnx -o net.svg
        forge bench net.onnx --threads 4

      The exit code is 0 for success, 1 for an error or a difference, 64 for wrong arguments. \
      --generate-completion-script bash|zsh|fish prints completions for the shell.
      """,
    subcommands: [
      RunCommand.self, CheckCommand.self, SummaryCommand.self, InspectCommand.self,
      GraphCommand.self, PlanCommand.self, DiffCommand.self, VerifyCommand.self,
      BenchCommand.self, ProfileCommand.self, QuantizeCommand.self, EditCommand.self,
      ExportCommand.self, SwiftInterfaceCommand.self,
      WeightsCommand.self, CompileCommand.self, CacheCommand.self, DetectCommand.self,
      TransformCommand.self, ClassifyCommand.self, EmbedCommand.self, GenerateCommand.self,
      DevicesCommand.self,
    ])

  /// Runs the command of the arguments; the exit code is 1 when its report cannot be written.
  ///
  /// What a command or the parser of the arguments says is escaped.
  static func main() {
    var code = ExitCode.success
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
    } catch {
      code = (error as? ToolError)?.kind == .fixedByFile ? .validationFailure : exitCode(for: error)
      let text = fullMessage(for: error)
      if !text.isEmpty {
        if code == .success { print(text) } else { ToolOutput.writeError(text) }
      }
    }
    if let failure = StandardOutput.failure() {
      StandardError.write("Error: the report cannot be written: \(failure)\n")
      if code == .success { code = .failure }
    }
    ForgeSystem.exit(code.rawValue)
  }

  /// The arguments of the process.
  ///
  /// Swift reads them from /proc, which a container need not have.
  private static var arguments: [String]? {
    guard let values = forge_arguments() else { return nil }
    let count = Int(forge_argument_count())
    return (0..<count).dropFirst().compactMap { values[$0].map { String(cString: $0) } }
  }
}
