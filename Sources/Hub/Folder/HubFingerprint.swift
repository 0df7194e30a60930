import ForgeLoaders

/// What determines the numbers of a folder: its files and how they are computed.
///
/// The digest of lines such as `config.json 5feceb66…` and `precision float32`, in order.
struct HubFingerprint {
  private var lines = ["forge \(Self.numerics)"]

  /// The number of the rules by which Forge computes; it grows when results change beyond rounding.
  private static let numerics = 1
  private static let files = [
    "config.json", "model.safetensors", "model.safetensors.index.json", "tokenizer.json",
    "tokenizer_config.json", "vocab.txt", "modules.json", "config_sentence_transformers.json",
  ]
  /// The bytes that are read at a time.
  private static let partCount = 1 << 20

  /// Adds a fact.
  mutating func add(_ name: String, _ value: some CustomStringConvertible) {
    lines.append("\(name) \(value)")
  }

  /// Adds the files of a folder that ForgeHub reads; those that are missing are left out.
  ///
  /// - Throws: ``HubError``: `unreadable`.
  mutating func add(_ folder: HubFolder, as name: String, others: [String]) throws(HubError) {
    for file in Self.files + others {
      guard let digest = try Self.digest(folder.path(of: file)) else { continue }
      add("\(name)\(name.isEmpty ? "" : "/")\(file)", digest)
    }
  }

  /// The digest of all lines, in hexadecimal digits.
  func digest() -> String {
    var digest = SHA256()
    Array(lines.joined(separator: "\n").utf8).withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }

  /// The digest of a file; `nil` if there is none.
  static func digest(_ path: String) throws(HubError) -> String? {
    do throws(LoadError) {
      let file = try InputFile(path: path)
      var digest = SHA256()
      var bytes = [UInt8](repeating: 0, count: min(partCount, max(1, file.count)))
      for start in stride(from: 0, to: file.count, by: bytes.count) {
        let range = start..<min(start + bytes.count, file.count)
        var failure: LoadError?
        bytes.withUnsafeMutableBytes { memory in
          let part = UnsafeMutableRawBufferPointer(rebasing: memory[..<range.count])
          do throws(LoadError) { try file.read(range, into: part) } catch { failure = error }
          digest.update(UnsafeRawBufferPointer(part))
        }
        if let failure { throw failure }
      }
      return digest.finish()
    } catch {
      if error.kind == .fileMissing { return nil }
      throw HubError(error)
    }
  }
}
