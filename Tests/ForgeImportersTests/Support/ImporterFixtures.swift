import Foundation

/// The files of the importer tests.
enum ImporterFixtures {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

  /// The path of a fixture: `Darknet/detector.cfg`.
  static func path(_ name: String) -> String { folder.appending(path: name).path }

  /// The bytes of a fixture.
  static func bytes(_ name: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: folder.appending(path: name)))
  }

  /// A decoded JSON file.
  static func load<Content: Decodable>(_ name: String, as: Content.Type) throws -> Content {
    try JSONDecoder().decode(
      Content.self, from: Data(contentsOf: folder.appending(path: name)))
  }

  /// `shared/data` beside the checkout, with files of other programs.
  static let shared = folder.appending(path: "../../../../shared/data").standardized

  /// Whether a shared file is there.
  static func hasShared(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: shared.appending(path: name).path)
  }

  /// Calls `body` with the path of a file of these bytes, which is removed afterwards.
  static func withFile<Result>(
    _ bytes: some Sequence<UInt8>, ending suffix: String, _ body: (String) throws -> Result
  ) throws -> Result {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "forge-\(UUID().uuidString).\(suffix)")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url.path)
  }
}
