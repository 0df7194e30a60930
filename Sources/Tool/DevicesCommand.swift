import ArgumentParser
import Forge
import ForgeSystem
import FoundationEssentials

/// Lists the devices that predictions can run on.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract:
      "Lists the compute devices: instruction sets, cores that may be used, caches, memory.",
    discussion: """
      EXAMPLES
        forge devices --json
      """)

  @Flag(help: "Print a JSON array.")
  var json = false

  func run() throws {
    guard json else {
      for device in Device.all { print(device) }
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    ToolOutput.write(json: try encoder.encode(Device.all))
  }
}
