import ForgeLoaders

/// What the files of a Whisper say about the texts that it writes.
struct TranscriptSettings: Sendable {
  /// The id that begins a text.
  let start: Int32
  /// The ids that end a text.
  private(set) var ends: Set<Int32> = []
  /// The ids of languages by their codes; empty for a network of one language.
  private(set) var languages: [String: Int32] = [:]
  /// The ids of `transcribe` and `translate`.
  private(set) var tasks: [String: Int32] = [:]
  /// The id that says that a text has no times; those of times follow it.
  private(set) var noTimes: Int32?
  /// The ids that no text has, and those that do not begin one.
  private(set) var suppressed: Set<Int32> = []
  private(set) var suppressedFirst: Set<Int32> = []
  /// The maximum number of tokens of a text; `nil` for those that the decoder takes.
  let maximumTokens: Int?

  /// Reads config.json and generation_config.json, which comes first.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`, and those of reading.
  init(_ folder: HubFolder, _ config: Settings, _ decoder: WhisperDecoder) throws(HubError) {
    let ids = 0...(decoder.vocabulary - 1)
    var start: Int?
    for file in [config, try folder.settings("generation_config.json")] {
      guard let file else { continue }
      start = try file.integer("decoder_start_token_id", in: ids) ?? start
      if let end = try file.ids("eos_token_id") { ends = end }
      if let none = try file.ids("suppress_tokens") { suppressed = none }
      if let none = try file.ids("begin_suppress_tokens") { suppressedFirst = none }
      noTimes = try file.integer("no_timestamps_token_id", in: ids).map { Int32($0) } ?? noTimes
      if let map = try file.map("lang_to_id", in: ids) {
        languages = [:]
        for (name, id) in map { languages[Self.code(name)] = id }
      }
      tasks = try file.map("task_to_id", in: ids) ?? tasks
      if let beams = try file.integer("num_beams", in: 0...(1 << 20)), beams > 1 {
        throw file.unsupported("num_beams", needs: "1")
      }
    }
    // In config.json the value is often that of another kind of network.
    maximumTokens = try folder.settings("generation_config.json")?.integer(
      "max_length", in: 1...(1 << 30))
    guard let start else {
      throw .missing("decoder_start_token_id", in: config.path, needs: "an id of the vocabulary")
    }
    self.start = Int32(start)
  }

  /// The code of a language: `en` for `<|en|>`.
  private static func code(_ name: String) -> String {
    guard name.hasPrefix("<|"), name.hasSuffix("|>"), name.utf8.count > 4 else { return name }
    return String(name.dropFirst(2).dropLast(2))
  }
}

extension Settings {
  /// Ids by name; `nil` if there are none.
  fileprivate func map(
    _ name: String, in ids: ClosedRange<Int>
  ) throws(HubError) -> [String: Int32]? {
    guard let map = try settings(name) else { return nil }
    var result: [String: Int32] = [:]
    for key in map.names {
      result[key] = Int32(try map.integer(key, in: ids, default: nil))
    }
    return result
  }
}
