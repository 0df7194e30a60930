import ForgeHub
import Foundation
import Testing

/// Fingerprints change with everything that changes vectors, and with nothing else.
@Suite struct FingerprintTests {
  private func fingerprint(_ folder: String) throws -> String {
    try TextEncoder(contentsOf: folder).fingerprint()
  }

  private func fingerprint(_ folder: TemporaryFolder) throws -> String {
    try withExtendedLifetime(folder) { try fingerprint(folder.path) }
  }

  @Test func filesMatter() throws {
    let first = try fingerprint(Fixture.path("sentence-modes"))
    #expect(first.count == 64)
    #expect(try fingerprint(try Fixture.changed("sentence-modes", [:])) == first)
    let unread = try Fixture.changed("sentence-modes", ["README.md": "text", "answers.json": nil])
    #expect(try fingerprint(unread) == first)
    for file in [
      "config.json", "tokenizer.json", "tokenizer_config.json", "modules.json",
      "1_Pooling/config.json", "2_Dense/config.json", "config_sentence_transformers.json",
    ] {
      let copy = try Fixture.changed("sentence-modes", [:])
      let url = copy.url.appendingPathComponent(file)
      try (try Data(contentsOf: url) + Data(" ".utf8)).write(to: url)
      #expect(try fingerprint(copy) != first, "\(file)")
    }
    for file in ["model.safetensors", "2_Dense/model.safetensors"] {
      let copy = try Fixture.changed("sentence-modes", [:])
      let url = copy.url.appendingPathComponent(file)
      var data = try Data(contentsOf: url)
      data[data.count - 1] ^= 1
      try data.write(to: url)
      #expect(try fingerprint(copy) != first, "\(file)")
    }
  }

  @Test func useMatters() throws {
    let path = Fixture.path("sentence-cls")
    let all = [
      try TextEncoder(contentsOf: path), try TextEncoder(contentsOf: path, dimensions: 5),
      try TextEncoder(contentsOf: path, pooling: TextPooling(.mean)),
      try TextEncoder(contentsOf: path, normalizes: true),
      try TextEncoder(contentsOf: path, maximumLength: 9),
      try TextEncoder(contentsOf: path, options: .init(precision: .halfWeights)),
    ]
    #expect(Set(try all.map { try $0.fingerprint() }).count == all.count)
    let again = try TextEncoder(contentsOf: path, threads: 1).fingerprint()
    #expect(try all[0].fingerprint() == again)
  }

  /// The digests are those of Python's hashlib for bytes `(7i² + i) mod 251`.
  @Test(arguments: [
    (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    (55, "198c7215af6b6e1f49af15e637080eb8193ea27cfd689b754f832834cea59518"),
    (56, "b9a81bf47843219a81953d67a8b24ee7d93e1e569c467a877b1836c512acf2e3"),
    (63, "58743f5cd0d84cf70b430015125c7d9df2a269d8b115d6fda4750f782c6a97fb"),
    (64, "35edc780f77bcc2b73f3d9801afa4feca56bc217625d7656f58c627c69d91a0e"),
    (65, "733fa2aa2a43f9d3e34c3f7ebc1b5d89f86a95a067ccda34f477bbb5b81e6429"),
    (119, "c041eea12cbcc415699b890297c3912c2e6f67cc9d972d405520c82b7f30264c"),
    (120, "c8d54ad0b427a3b1733a5d288b5b4af7ed4cee26ed9f49a682cf116a1f3b51e8"),
    (128, "bc10c10a5bda872f1e85d2c8225f55e0a0feb177d5036ca09266f9c517a02914"),
    (1000, "8d4f1b2ac6dc2ed1dee04bbd06e2f56d6aa27ad1f90de37b796ce27062ddf944"),
    (3_000_001, "840fed5d26aada0c1cce12ad79d34417e200f9ed68fe35ee082a5690823a9a82"),
  ])
  func digests(_ count: Int, _ expected: String) {
    let bytes = (0..<count).map { (index: Int) -> UInt8 in
      let number = 7 * index * index + index
      return UInt8(number % 251)
    }
    for part in [max(1, count), 1, 7, 64, 100] where count / part < 100_000 {
      var digest = SHA256()
      for start in stride(from: 0, to: count, by: part) {
        bytes[start..<min(start + part, count)].withUnsafeBytes { digest.update($0) }
      }
      #expect(digest.finish() == expected, "parts of \(part)")
    }
  }
}
