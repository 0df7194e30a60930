import ArgumentParser
import Foundation

/// The command-line tool.
@main
struct ForgeTool: ParsableCommand {
  /// Runs a command; what a command or the parser of the arguments says is escaped.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      let (text, code) = (fullMessage(for: error), exitCode(for: error))
      if !text.isEmpty {
        if code.isSuccess { print(text) } else { ToolOutput.writeError(text) }
      }
      Foundation.exit(code.rawValue)
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "forge",
    abstract: "Looks at networks and weight files, runs and compares them, and times predictions.",
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
      BenchCommand.self, ProfileCommand.self, DevicesCommand.self,
    ])
}
