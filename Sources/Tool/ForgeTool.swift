import ArgumentParser

/// The command-line tool.
@main
struct ForgeTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forge",
    abstract: "Looks at networks and weight files, and times predictions.",
    subcommands: [
      SummaryCommand.self, InspectCommand.self, BenchCommand.self, ProfileCommand.self,
      DevicesCommand.self,
    ])
}
