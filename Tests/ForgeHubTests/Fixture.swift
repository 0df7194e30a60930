import Forge
import ForgeHub
import Foundation

/// The folders of Fixtures, which Scripts/references/make_hub_references.py writes.
enum Fixture {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// What transformers answers.
  struct Answer: Decodable {
    let ids: [Float]
    let mask: [Float]?
    let types: [Float]?
    let output: [Float]

    private enum CodingKeys: String, CodingKey {
      case ids = "input_ids"
      case mask = "attention_mask"
      case types = "token_type_ids"
      case output
    }

    /// The inputs by name.
    func inputs(of hub: HubModel) -> [String: [Float]] {
      var inputs = ["input_ids": ids]
      if hub.inputs.contains(.types) { inputs["token_type_ids"] = types ?? ids.map { _ in 0 } }
      if hub.inputs.contains(.mask) { inputs["attention_mask"] = mask ?? ids.map { _ in 1 } }
      return inputs
    }
  }

  static func answers(_ name: String) throws -> [Answer] {
    try decoded("\(name)/answers.json")
  }

  static func decoded<Value: Decodable>(_ name: String) throws -> Value {
    let url = folder.appendingPathComponent(name)
    return try JSONDecoder().decode(Value.self, from: Data(contentsOf: url))
  }

  /// A copy of a folder in a temporary one, with files that a test changes; `nil` removes a file.
  static func changed(_ name: String, _ files: [String: String?]) throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    let source = folder.appendingPathComponent(name)
    for file in try FileManager.default.subpathsOfDirectory(atPath: source.path) {
      let target = copy.url.appendingPathComponent(file)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      var isFolder: ObjCBool = false
      let path = source.appendingPathComponent(file)
      _ = FileManager.default.fileExists(atPath: path.path, isDirectory: &isFolder)
      if !isFolder.boolValue { try FileManager.default.copyItem(at: path, to: target) }
    }
    for (file, text) in files {
      let target = copy.url.appendingPathComponent(file)
      if let text {
        try FileManager.default.createDirectory(
          at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: target)
      } else {
        try FileManager.default.removeItem(at: target)
      }
    }
    return copy
  }

  /// A copy of a folder whose config.json has other values; `nil` removes one.
  static func configured(_ name: String, _ values: [String: Any?]) throws -> TemporaryFolder {
    let data = try Data(contentsOf: folder.appendingPathComponent("\(name)/config.json"))
    var settings = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    for (name, value) in values { settings[name] = value }
    let text = String(
      decoding: try JSONSerialization.data(withJSONObject: settings), as: UTF8.self)
    return try changed(name, ["config.json": text])
  }
}

/// A folder that is removed with the value.
final class TemporaryFolder {
  let url: URL
  var path: String { url.path }

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "forge-hub-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
