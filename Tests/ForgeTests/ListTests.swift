import Foundation
import Testing

/// Lists of the sources in which each thing of a kind has a line.
///
/// What is not in its list is compiled and never used, so that only a walk over the files finds it.
@Suite struct ListTests {
  /// A kind of thing: where its types or values are declared, and the file with the list.
  struct Kind: CustomTestStringConvertible, Sendable {
    let name: String
    /// The folders of the declarations, in Sources.
    let folders: [String]
    /// A declaration, whose first group is the name.
    let declaration: String
    /// The file of the list, in Sources.
    let list: String
    /// What stands before and after a name in the list.
    var line = ("", ".self")

    var testDescription: String { name }
  }

  static let kinds: [Kind] = [
    Kind(
      name: "rewrites", folders: ["Forge/Rewrite"],
      declaration: #"(?:struct|enum) (\w+): Rewrite\b"#, list: "Forge/Rewrite/Rewrite.swift"),
    Kind(
      name: "convolution algorithms", folders: ["CPU/Convolution"],
      declaration: #"struct (\w+): (?:Convolution|Measured|NarrowWeight)Algorithm\b"#,
      list: "CPU/Convolution/ConvolutionAlgorithmList.swift"),
    Kind(
      name: "weight formats", folders: ["Loaders/Formats"],
      declaration: #"static let (\w+) = WeightFormat\("#,
      list: "Loaders/Formats/WeightFormat.swift", line: (".", ",")),
    Kind(
      name: "model formats", folders: ["Importers"],
      declaration: #"(?:struct|enum) (\w+): ModelFormat\b"#,
      list: "Importers/Common/ModelFile+Formats.swift"),
    Kind(
      name: "commands of the tool", folders: ["Tool"],
      declaration: #"struct (\w+Command): \w*ParsableCommand\b"#, list: "Tool/ForgeTool.swift"),
  ]

  private func sources() -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
  }

  @Test(arguments: kinds)
  func everyOneIsInItsList(_ kind: Kind) throws {
    let declaration = try Regex(kind.declaration, as: (Substring, Substring).self)
    var declared: [String] = []
    for folder in kind.folders {
      let path = sources().appending(path: folder).path
      let files = try #require(FileManager.default.subpaths(atPath: path))
      for file in files where file.hasSuffix(".swift") {
        let text = try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
        declared += text.matches(of: declaration).map { String($0.output.1) }
      }
    }
    #expect(declared.count >= 4)
    let list = try String(contentsOf: sources().appending(path: kind.list), encoding: .utf8)
    for name in declared {
      #expect(list.contains("\(kind.line.0)\(name)\(kind.line.1)"), "\(name) is in no list")
    }
  }
}
