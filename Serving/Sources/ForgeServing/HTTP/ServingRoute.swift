/// What a request is about, by its path.
package enum ServingRoute: Hashable {
  case page
  case metrics
  case server
  case live
  case ready
  case model(String, version: String?)
  case modelReady(String, version: String?)
  case configuration(String, version: String?)
  /// The statistics of a model, or of all.
  case statistics(String?, version: String?)
  case infer(String, version: String?)
  case index
  /// The vectors of texts, as OpenAI's clients ask for them.
  case embeddings
  /// The text encoders, or one of them, as OpenAI's clients ask for them.
  case encoders(String?)
  case load(String)
  case unload(String)
  /// Parts of Triton that a CPU server of one process has no use for.
  case absent(String)

  /// Reads a path; `nil` for one that no route has.
  package init?(path: Substring) {
    var parts: [String] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
      guard parts.count < 8, let name = Self.decoded(part) else { return nil }
      parts.append(name)
    }
    switch parts.first {
    case nil: self = .page
    case "metrics" where parts.count == 1: self = .metrics
    case "v1" where parts.count == 2 && parts[1] == "embeddings": self = .embeddings
    case "v1" where (2...3).contains(parts.count) && parts[1] == "models":
      self = .encoders(parts.count == 3 ? parts[2] : nil)
    case "v2":
      guard let route = Self(v2: parts[1...]) else { return nil }
      self = route
    default: return nil
    }
  }

  private init?(v2 parts: ArraySlice<String>) {
    let rest = Array(parts)
    switch (rest.first, rest.count) {
    case (nil, _): self = .server
    case ("health", 2) where rest[1] == "live": self = .live
    case ("health", 2) where rest[1] == "ready": self = .ready
    case ("models", 2) where rest[1] == "stats": self = .statistics(nil, version: nil)
    case ("models", 2...):
      guard let route = Self(model: rest[1], rest[2...]) else { return nil }
      self = route
    case ("repository", 2) where rest[1] == "index": self = .index
    case ("repository", 4) where rest[1] == "models" && rest[3] == "load": self = .load(rest[2])
    case ("repository", 4) where rest[1] == "models" && rest[3] == "unload": self = .unload(rest[2])
    case ("systemsharedmemory", _), ("cudasharedmemory", _): self = .absent("shared memory")
    case ("trace", _): self = .absent("settings of traces")
    case ("logging", _): self = .absent("settings of logs")
    default: return nil
    }
  }

  private init?(model name: String, _ parts: ArraySlice<String>) {
    var rest = parts
    var version: String?
    if rest.first == "versions" {
      guard rest.count >= 2 else { return nil }
      version = rest[rest.startIndex + 1]
      rest = rest.dropFirst(2)
    }
    guard rest.count <= 1 else {
      if rest.first == "trace" {
        self = .absent("settings of traces")
        return
      }
      return nil
    }
    switch rest.first {
    case nil: self = .model(name, version: version)
    case "ready": self = .modelReady(name, version: version)
    case "config": self = .configuration(name, version: version)
    case "stats": self = .statistics(name, version: version)
    case "infer": self = .infer(name, version: version)
    default: return nil
    }
  }

  /// Whether the route is read with GET; the others are for POST.
  var isRead: Bool {
    switch self {
    case .infer, .index, .load, .unload, .embeddings: false
    default: true
    }
  }

  /// Whether it is one of OpenAI's, whose errors have a form of their own.
  var isOfOpenAI: Bool {
    switch self {
    case .embeddings, .encoders: true
    default: false
    }
  }

  /// Whether it needs no token: the probes of an orchestrator have none.
  var isOpen: Bool { self == .live || self == .ready }

  /// A part of a path without its percent signs; `nil` if it is not UTF-8.
  private static func decoded(_ part: Substring) -> String? {
    guard part.contains("%") else { return String(part) }
    var bytes: [UInt8] = []
    var rest = part.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst(), let low = rest.popFirst(),
        let a = Character(Unicode.Scalar(high)).hexDigitValue,
        let b = Character(Unicode.Scalar(low)).hexDigitValue
      else { return nil }
      bytes.append(UInt8(a << 4 | b))
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
