import ForgeTestSupport
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

  /// A decoded JSON file, in which `"nan"`, `"inf"` and `"-inf"` are numbers too.
  static func load<Content: Decodable>(_ name: String, as: Content.Type) throws -> Content {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(
      Content.self, from: Data(contentsOf: folder.appending(path: name)))
  }

  /// A decoded safetensors file of ``FixtureFile``.
  static func decode<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
    try FixtureFile.decode(type, from: folder.appending(path: name))
  }

  /// Where files of a test are written: in memory if the system has such a folder.
  static let scratch =
    FileManager.default.isWritableFile(atPath: "/dev/shm")
    ? URL(filePath: "/dev/shm") : FileManager.default.temporaryDirectory

  /// Writes a file that looks old: of a new one a reader waits until changes would show.
  static func write(_ bytes: some Sequence<UInt8>, to url: URL) throws {
    try Data(bytes).write(to: url)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: url.path)
  }

  /// Calls `body` with the path of a file of these bytes, which is removed afterwards.
  static func withFile<Result>(
    _ bytes: some Sequence<UInt8>, ending suffix: String, _ body: (String) throws -> Result
  ) throws -> Result {
    let url = scratch.appending(path: "forge-\(UUID().uuidString).\(suffix)")
    try write(bytes, to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url.path)
  }
}
