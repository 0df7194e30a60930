import Forge

/// What a Triton config.pbtxt says that concerns a CPU.
///
/// The other fields, such as those of GPUs and of optimizers, are accepted and have no effect.
package struct ModelConfiguration: Sendable {
  /// The versions that are served.
  package enum VersionPolicy: Sendable, Hashable {
    case latest(Int)
    case all
    case specific([Int])

    /// The versions to serve of those that exist.
    package func versions(of existing: [Int]) -> [Int] {
      let sorted = existing.sorted()
      return switch self {
      case .latest(let count): Array(sorted.suffix(count))
      case .all: sorted
      case .specific(let wanted): sorted.filter(wanted.contains)
      }
    }
  }

  /// The text; empty without a file.
  package let message: TextMessage
  /// The name; `nil` for that of the folder.
  package let name: String?
  /// The most examples of a request; 0 if the file does not state any.
  package let maximumBatch: Int
  /// The versions that are served.
  package let policy: VersionPolicy
  /// The file in the folder of a version; `nil` for `model` with any extension.
  package let fileName: String?
  /// The predictions that may be in flight.
  package let instances: Int?
  /// The largest of the preferred batch sizes.
  package let preferredBatch: Int?
  /// How long the first example of a batch waits for others.
  package let queueDelay: Duration?
  /// The requests that may wait.
  package let queueSize: Int?
  /// The time after which a sequence without requests ends.
  package let sequenceIdle: Duration?

  /// The configuration of a model without a file.
  package static let none = ModelConfiguration()

  private init() {
    message = TextMessage()
    (name, fileName) = (nil, nil)
    maximumBatch = 0
    policy = .latest(1)
    (instances, preferredBatch, queueSize) = (nil, nil, nil)
    (queueDelay, sequenceIdle) = (nil, nil)
  }

  /// Reads a configuration.
  ///
  /// - Throws: ``ServingError`` of kind `invalid`.
  package init(_ text: String) throws(ServingError) {
    let message = try TextMessage(text)
    self.message = message
    name = message["name"]
    fileName = message["default_model_filename"]
    maximumBatch = try Self.number(message, "max_batch_size", 0...4096) ?? 0
    policy = try Self.policy(message)
    for platform in [message["platform"], message["backend"]].compactMap(\.self)
    where platform.contains("ensemble") || platform == "python" {
      throw ServingError(.unsupported, "the backend \"\(platform)\" is not served")
    }
    guard !message.has("ensemble_scheduling") else {
      throw ServingError(.unsupported, "ensembles are not served")
    }
    let groups = message.messages("instance_group")
    var count = 0
    for group in groups {
      guard group["kind"] != "KIND_GPU" else { continue }
      count += try Self.number(group, "count", 1...1024) ?? 1
    }
    instances = count > 0 ? min(count, 1024) : nil
    let batching = message.messages("dynamic_batching").last
    var preferred: Int?
    for text in batching?.scalars("preferred_batch_size") ?? [] {
      preferred = max(preferred ?? 1, try Self.number(text, "preferred_batch_size", 1...4096))
    }
    preferredBatch = preferred
    queueDelay =
      try batching.flatMap { (message) throws(ServingError) in
        try Self.number(message, "max_queue_delay_microseconds", 0...60_000_000)
      }.map { .microseconds($0) }
    queueSize = try batching?.messages("default_queue_policy").last.flatMap {
      (message) throws(ServingError) in
      try Self.number(message, "max_queue_size", 0...1_000_000)
    }.flatMap { $0 == 0 ? nil : $0 }
    sequenceIdle = try message.messages("sequence_batching").last.flatMap {
      (message) throws(ServingError) in
      try Self.number(message, "max_sequence_idle_microseconds", 1...3_600_000_000)
    }.map { .microseconds($0) }
  }

  private static func policy(_ message: TextMessage) throws(ServingError) -> VersionPolicy {
    guard let policy = message.messages("version_policy").last else { return .latest(1) }
    if policy.has("all") { return .all }
    if let specific = policy.messages("specific").last {
      var versions: [Int] = []
      for text in specific.scalars("versions") {
        versions.append(try number(text, "versions", 1...(.max)))
      }
      return .specific(versions)
    }
    let latest = policy.messages("latest").last ?? TextMessage()
    return .latest(try number(latest, "num_versions", 1...1024) ?? 1)
  }

  private static func number(
    _ message: TextMessage, _ name: String, _ range: ClosedRange<Int>
  ) throws(ServingError) -> Int? {
    guard let text = message[name] else { return nil }
    return try number(text, name, range)
  }

  private static func number(
    _ text: String, _ name: String, _ range: ClosedRange<Int>
  ) throws(ServingError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw .invalid(
        "\(name) in the configuration is \(text.prefix(40)), and must be from "
          + "\(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The sizes of inputs for the importer, from the parameter `forge.sizes`.
  ///
  /// `ids=1x..512; mask=1x..512` states two inputs with up to 512 tokens, and
  /// `x=1x3x(h:32..960/32)x(w:32..960/32)` pictures of any height and width. Inputs that the
  /// parameter does not name have the sizes of the file.
  ///
  /// - Throws: ``ServingError`` of kind `invalid`.
  package func sizes() throws(ServingError) -> [String: [InputSize]] {
    var result: [String: [InputSize]] = [:]
    for parameter in message.messages("parameters") where parameter["key"] == "forge.sizes" {
      let text = parameter.messages("value").last?["string_value"] ?? ""
      for part in text.split(separator: ";") {
        let sides = part.split(separator: "=", maxSplits: 1)
        guard sides.count == 2 else { throw Self.wrongSizes(part) }
        guard let sizes = InputSize.list(sides[1].filter { !$0.isWhitespace }) else {
          throw Self.wrongSizes(part)
        }
        result[String(sides[0].filter { !$0.isWhitespace })] = sizes
      }
    }
    return result
  }

  private static func wrongSizes(_ part: Substring) -> ServingError {
    .invalid("forge.sizes holds \"\(part.prefix(80))\", and needs a form such as ids=1x..512")
  }
}
