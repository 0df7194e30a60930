import Forge

/// The sections of a Darknet configuration, in order.
///
/// A line is `[type]`, `key=value`, empty, or a comment that begins with `#` or `;`. Spaces have no
/// meaning. Of a key that is repeated the first value counts, as in Darknet.
struct DarknetConfiguration {
  /// The file, for messages.
  let path: String
  /// The sections: the network's own, then one per layer.
  let sections: [DarknetSection]

  /// Longer files are not configurations.
  private static let maximumBytes = 1 << 24

  /// Reads a file.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge` or `malformed`.
  init(path: String, limits: ImportLimits) throws(ImportError) {
    let limit = min(limits.fileBytes, Self.maximumBytes)
    let file: InputFile
    do throws(LoadError) { file = try InputFile(path: path) } catch {
      throw ImportError(loading: error)
    }
    guard file.count <= limit else {
      throw .tooLarge("\(file.count) bytes", limit: "fileBytes", limit, path: path)
    }
    let bytes: [UInt8]
    do throws(LoadError) { bytes = try file.bytes(at: 0, count: file.count) } catch {
      throw ImportError(loading: error)
    }
    try self.init(text: String(decoding: bytes, as: UTF8.self), path: path, limits: limits)
  }

  /// Reads the text of a file.
  ///
  /// - Throws: ``ImportError``: `tooLarge` or `malformed`.
  init(text: String, path: String, limits: ImportLimits) throws(ImportError) {
    var sections: [DarknetSection] = []
    var number = 0
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let code = line.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ";") }
      let words = code.filter { !Self.spaces.contains($0) }
      guard let first = words.first, first != 0 else { continue }
      let text = String(decoding: words, as: UTF8.self)
      if first == UInt8(ascii: "[") {
        guard words.last == UInt8(ascii: "]"), words.count > 2 else {
          throw .darknetLine(path, number, text, needs: "[type] or key=value")
        }
        // A layer takes a few lines, and each of its weights may be made up.
        guard sections.count <= limits.nodes / 8 else {
          throw .tooLarge("more sections", limit: "nodes", limits.nodes / 8, path: path)
        }
        let type = String(decoding: words.dropFirst().dropLast(), as: UTF8.self)
        try limits.check(name: type, path: path)
        sections.append(
          DarknetSection(
            type: DarknetSection.type(ofAlias: type), index: sections.count - 1, line: number,
            path: path))
        continue
      }
      guard let equals = words.firstIndex(of: UInt8(ascii: "=")), equals > 0 else {
        throw .darknetLine(path, number, text, needs: "[type] or key=value")
      }
      guard !sections.isEmpty else {
        throw .darknetLine(path, number, text, needs: "[net] before it")
      }
      let key = String(decoding: words[..<equals], as: UTF8.self)
      try limits.check(name: key, path: path)
      let value = String(decoding: words[(equals + 1)...], as: UTF8.self)
      sections[sections.count - 1].add(key, value)
    }
    guard sections.first?.type == "net" else {
      throw ImportError(
        .malformed, "this is not a Darknet configuration", path: path,
        received: sections.first.map { "[\($0.type)] first" } ?? "no section",
        needs: "[net] first")
    }
    guard sections.count > 1 else {
      throw ImportError(.malformed, "the network has no layers", path: path)
    }
    self.path = path
    self.sections = sections
  }

  private static let spaces: Set<UInt8> = [9, 11, 12, 13, 32]
}

/// One section: a type with options.
struct DarknetSection {
  /// The type, by its long name: `convolutional`.
  let type: String
  /// The number of the layer as `from=` and `layers=` count them; −1 for the network.
  let index: Int
  private let line: Int
  let path: String
  private var options: [String: String] = [:]

  init(type: String, index: Int, line: Int, path: String) {
    self.type = type
    self.index = index
    self.line = line
    self.path = path
  }

  /// The name of the layer in the model: `convolutional12`.
  var name: String { "\(type)\(index)" }

  mutating func add(_ key: String, _ value: String) {
    if options[key] == nil { options[key] = value }
  }

  /// The long form of a type's name.
  static func type(ofAlias name: String) -> String {
    switch name {
    case "network": "net"
    case "conv": "convolutional"
    case "conn": "connected"
    case "max": "maxpool"
    case "avg": "avgpool"
    case "soft": "softmax"
    case "Gaussian_yolo": "gaussian_yolo"
    default: name
    }
  }

  // MARK: Options

  /// Whether an option is given.
  func has(_ key: String) -> Bool { options[key] != nil }

  /// A text, or `absent`.
  func string(_ key: String, _ absent: String) -> String { options[key] ?? absent }

  /// An integer, or `absent`.
  ///
  /// - Throws: ``ImportError`` of kind `malformed` for another text.
  func int(_ key: String, _ absent: Int) throws(ImportError) -> Int {
    guard let text = options[key] else { return absent }
    return try int(text, key)
  }

  /// Integers separated by commas; `nil` if the option is not given.
  ///
  /// - Throws: ``ImportError`` of kind `malformed` for another text.
  func ints(_ key: String) throws(ImportError) -> [Int]? {
    guard let text = options[key] else { return nil }
    var values: [Int] = []
    for part in text.split(separator: ",") { values.append(try int(String(part), key)) }
    return values
  }

  /// A number, or `absent`.
  ///
  /// - Throws: ``ImportError`` of kind `malformed` for another text.
  func float(_ key: String, _ absent: Float) throws(ImportError) -> Float {
    try floats(key)?.first ?? absent
  }

  /// Numbers separated by commas; `nil` if the option is not given.
  ///
  /// - Throws: ``ImportError`` of kind `malformed` for another text.
  func floats(_ key: String) throws(ImportError) -> [Float]? {
    guard let text = options[key] else { return nil }
    var values: [Float] = []
    for part in text.split(separator: ",") {
      guard let value = Float(part), value.isFinite else {
        throw error(.malformed, "\(key)=\(text)", needs: "numbers")
      }
      values.append(value)
    }
    return values
  }

  private func int(_ text: String, _ key: String) throws(ImportError) -> Int {
    guard let value = Int(text) else {
      throw error(.malformed, "\(key)=\(text)", needs: "an integer")
    }
    return value
  }

  // MARK: Messages

  /// An error at this section.
  func error(
    _ kind: ImportErrorKind, _ headline: String, received: String? = nil, needs: String? = nil
  ) -> ImportError {
    ImportError(
      kind, headline, path: path,
      entry: index < 0 ? "line \(line): [net]" : "line \(line): layer \(index) [\(type)]",
      received: received, needs: needs)
  }
}

extension ForgeError where ErrorKind == ImportErrorKind {
  fileprivate static func darknetLine(
    _ path: String, _ line: Int, _ text: String, needs: String
  ) -> ImportError {
    ImportError(
      .malformed, "line \(line) of the configuration cannot be parsed", path: path,
      received: "\"\(text.prefix(80))\"", needs: needs)
  }
}
