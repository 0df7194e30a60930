import ForgeLoaders

/// What the files of a folder say about the texts that its network writes.
struct GenerationSettings: Sendable {
  /// The ids that end a text.
  var ends: Set<Int32> = []
  /// The id that begins a text without a prompt.
  var start: Int32?
  /// The id after which the decoder of an encoder-decoder writes.
  var decoderStart: Int32?
  /// The first id of each text of an encoder-decoder; `nil` if it is chosen.
  var forcedFirst: Int32?
  /// The id that ends a text of an encoder-decoder that has no room left; `nil` if none does.
  var forcedLast: Int32?
  /// The ids that are never chosen.
  var banned: Set<Int32> = []
  /// The options of generation_config.json.
  var options = GenerationOptions()

  /// The values of the library that change texts and that Forge does not have, each with those that
  /// change nothing.
  private static let others: KeyValuePairs<String, [Double]> = [
    "num_beams": [1], "num_beam_groups": [1], "penalty_alpha": [0], "typical_p": [1],
    "min_p": [0], "epsilon_cutoff": [0], "eta_cutoff": [0], "top_h": [1],
    "encoder_repetition_penalty": [1], "no_repeat_ngram_size": [0],
    "encoder_no_repeat_ngram_size": [0], "diversity_penalty": [0], "length_penalty": [1],
    "guidance_scale": [1], "min_length": [0], "min_new_tokens": [0], "bad_words_ids": [],
    "force_words_ids": [],
    "suppress_tokens": [], "begin_suppress_tokens": [], "sequence_bias": [],
    "exponential_decay_length_penalty": [], "constraints": [], "watermarking_config": [],
    "dola_layers": [], "stop_strings": [],
  ]

  /// The values that only an encoder-decoder has.
  private static let forced = ["forced_bos_token_id", "forced_eos_token_id"]

  /// Reads config.json and generation_config.json.
  ///
  /// - Parameters:
  ///   - folder: the folder.
  ///   - isPair: whether the network has an encoder and a decoder.
  ///   - stated: the options of the caller, which replace those of the file.
  /// - Throws: ``HubError``: `invalid`, or `unsupported` for a value of generation_config.json that
  ///   Forge does not have.
  init(
    _ folder: HubFolder, isPair: Bool = false, options stated: GenerationOptions?
  ) throws(HubError) {
    let config = try folder.settings("config.json")
    let settings = try folder.settings("generation_config.json")
    for file in [config, settings] {
      if let ids = try file?.ids("eos_token_id") { ends = ids }
      if let ids = try file?.ids("bos_token_id") { start = ids.min() }
      if let ids = try file?.ids("decoder_start_token_id") { decoderStart = ids.min() }
    }
    if isPair {
      decoderStart = decoderStart ?? start
      let file = settings ?? config
      forcedFirst = try file?.ids(Self.forced[0])?.min()
      forcedLast = try file?.ids(Self.forced[1])?.min()
    }
    banned = try Self.banned(settings).subtracting(ends)
    if let stated {
      options = stated
    } else if let settings {
      for name in Self.forced where !isPair && settings[name] != nil {
        throw settings.unsupported(
          name, needs: "no such value", remedy: "pass the options yourself")
      }
      options = try Self.options(settings)
    }
    try options.validate(folder.path(of: "generation_config.json"))
  }

  /// The ids in `bad_words_ids` that are texts by themselves.
  private static func banned(_ settings: Settings?) throws(HubError) -> Set<Int32> {
    guard let settings, let value = settings["bad_words_ids"], let texts = value.array else {
      return []
    }
    var ids: Set<Int32> = []
    for text in texts.prefix(1 << 16) where text.array?.count == 1 {
      guard let id = text.array?.first?.integer.flatMap({ Int32(exactly: $0) }) else {
        throw settings.wrong("bad_words_ids", value, needs: "lists of ids")
      }
      ids.insert(id)
    }
    return ids
  }

  private static func options(_ settings: Settings) throws(HubError) -> GenerationOptions {
    for (name, neutral) in others {
      guard let value = settings[name] else { continue }
      let number = value.flag == false ? 0 : try? settings.number(name)
      if name == "bad_words_ids", value.array?.allSatisfy({ $0.array?.count == 1 }) == true {
        continue
      }
      guard let number, neutral.contains(number) else {
        throw settings.unsupported(
          name, needs: neutral.first.map { "\($0)" } ?? "no such value",
          remedy: "pass the options yourself")
      }
    }
    var options = GenerationOptions()
    let tokens = 1...(1 << 30)
    if let count = try settings.integer("max_new_tokens", in: tokens) {
      options.maximumTokens = count
    }
    options.repetitionPenalty = Float(try settings.number("repetition_penalty") ?? 1)
    guard try settings.flag("do_sample") else { return options }
    options.temperature = Float(try settings.number("temperature") ?? 1)
    // The library keeps 50 tokens where the file does not say; 0 keeps all.
    let count = try settings.integer("top_k", in: 0...(1 << 30)) ?? 50
    options.topK = count == 0 ? nil : count
    options.topP = try settings.number("top_p").map { Float($0) }
    return options
  }
}

extension Settings {
  /// An id, or a list of ids; `nil` if there is none.
  func ids(_ name: String) throws(HubError) -> Set<Int32>? {
    guard let value = self[name] else { return nil }
    let parts = value.array ?? [value]
    var ids: Set<Int32> = []
    for part in parts {
      guard let id = part.integer.flatMap({ Int32(exactly: $0) }), parts.count <= 1 << 16 else {
        throw wrong(name, value, needs: "an id, or a list of ids")
      }
      ids.insert(id)
    }
    return ids
  }
}
