import Forge
import ForgeAudio
import ForgeText

/// Transcribes speech with a Whisper network.
///
/// ```swift
/// let transcriber = try Transcriber(contentsOf: "whisper-tiny")
/// print(try transcriber.transcribe(values).text)  // of 16 000 samples per second
/// ```
/// ForgeAudio's `Sound` reads files and changes their rate.
///
/// Each token is the most likely one (greedy). The caller cuts a sound of more than
/// ``maximumSamples``, best at a pause. All threads can share a transcriber.
///
/// Source: Radford and others, Robust Speech Recognition via Large-Scale Weak Supervision, 2022;
/// `WhisperForConditionalGeneration.generate` of transformers, without times.
public struct Transcriber: Sendable {
  /// The folder.
  public let hub: HubAudioModel
  /// The codes of the languages that the network knows, such as `en`, in alphabetical order; empty
  /// for a network of one language.
  public var languages: [String] { settings.languages.keys.sorted() }
  /// The maximum number of samples: 480 000, which are 30 seconds.
  public var maximumSamples: Int { Self.hop * hub.steps }

  /// The samples of a step.
  private static let hop = 160
  /// The maximum number of tokens that the decoder takes at a time.
  private static let partLength = 8

  private let settings: TranscriptSettings
  private let tokenizer: Tokenizer
  private let encoder, decoder: CompiledModel
  /// The maximum number of tokens, with those in front of the text.
  private let positions: Int

  /// Reads a folder and compiles its networks.
  ///
  /// - Parameters:
  ///   - folder: the folder of a Whisper, with generation_config.json and tokenizer.json.
  ///   - options: the options of the compile, such as the precision.
  ///   - limits: limits on what the files may state.
  /// - Throws: ``HubError``, as ``HubAudioModel``; `tokenizer`, `compile`.
  public init(
    contentsOf folder: String, options: CompileOptions = CompileOptions(),
    limits: HubLimits = HubLimits()
  ) throws(HubError) {
    let root = HubFolder(path: folder, limits: limits)
    let config = try root.configuration()
    hub = try HubAudioModel(contentsOf: folder, limits: limits)
    guard var tokenizer = try TokenizerFiles(root).tokenizer else { throw .noTokenizer(folder) }
    (tokenizer.padding, tokenizer.truncation) = (nil, nil)
    self.tokenizer = tokenizer
    let parts = try WhisperDecoder(config, limits: limits, channels: hub.channels)
    settings = try TranscriptSettings(root, config, parts)
    positions = parts.positions

    let tensors = try HubTensors(root)
    let sound = Input(shape: [hub.steps, hub.bands], name: "input_features")
    let listening = try WhisperEncoder(config, limits: limits)
    var heard = Model(inputs: [sound], outputs: parts.sound(listening.features(of: sound)))
    heard.parameters = HubParameters(
      tensors: tensors, prefixes: WhisperEncoder.prefixes + ["model."]
    ) { listening.place(of: $0) }
    let ids = Input(shape: [.upTo(Self.partLength)], name: "input_ids")
    let inputs = parts.soundInputs(steps: hub.steps / 2)
    var written = Model(
      inputs: [ids] + inputs,
      outputs: [parts.logits(ids, sound: inputs) --> Identity(name: "logits")])
    written.parameters = HubParameters(tensors: tensors, prefixes: WhisperDecoder.prefixes) {
      parts.place(of: $0)
    }
    do throws(CompileError) {
      encoder = try heard.compile(options: options)
      decoder = try written.compile(options: options)
    } catch { throw .notCompiled(error, folder) }
  }

  /// The text of speech.
  ///
  /// - Parameters:
  ///   - samples: one channel of 16 000 samples per second, −1 to 1, at most ``maximumSamples``;
  ///     a shorter sound is padded with silence.
  ///   - language: the code of the language, one of ``languages``; if `nil`, it is detected.
  ///   - translates: whether to translate into English.
  /// - Returns: the text and its language.
  /// - Throws: ``HubError``: `invalid` for too many samples, another language, or a network that
  ///   does not translate; `prediction`, `tokenizer`.
  public func transcribe(
    _ samples: [Float], language: String? = nil, translates: Bool = false
  ) throws(HubError) -> Transcript {
    guard samples.count <= maximumSamples else {
      throw .invalid(
        "samples", "\(samples.count)", in: hub.path, needs: "at most \(maximumSamples)")
    }
    let task = translates ? "translate" : "transcribe"
    guard !translates || settings.tasks[task] != nil else {
      throw .invalid("translates", "true", in: hub.path, needs: "a network that translates")
    }
    if let language, settings.languages[language] == nil {
      throw .invalid(
        "language", "\"\(language.prefix(80))\"", in: hub.path,
        needs: languages.isEmpty
          ? "no language: the network knows only one" : languages.joined(separator: ", "))
    }
    let sound = try heard(samples)
    let written: (ids: [Int32], language: Int32?)
    do throws(PredictionError) { written = try write(sound, language, task) } catch {
      throw .notPredicted(error, hub.path)
    }
    // Tokens of times are not part of the text.
    let ids = written.ids.filter { $0 <= settings.noTimes ?? .max }
    let text: String
    do throws(TokenizerError) { text = try tokenizer.decode(ids) } catch {
      throw .tokenizer(error, hub.path)
    }
    let code = written.language.flatMap { id in
      settings.languages.filter { $0.value == id }.keys.min()
    }
    return Transcript(text: text, ids: written.ids, language: code)
  }

  /// The keys and values of a sound, by the names of the decoder's inputs.
  private func heard(_ samples: [Float]) throws(HubError) -> [String: TensorValues] {
    let silence = [Float](repeating: 0, count: maximumSamples - samples.count)
    let spectrogram: Spectrogram
    do throws(AudioError) {
      spectrogram = try MelSpectrogram.whisper(bands: hub.bands).spectrogram(of: samples + silence)
    } catch { throw .notPredicted(error, hub.path) }
    do throws(PredictionError) {
      return try encoder.predict(["input_features": spectrogram.values]).outputs
    } catch { throw .notPredicted(error, hub.path) }
  }

  /// The tokens of a text, and that of its language.
  private func write(
    _ sound: [String: TensorValues], _ language: String?, _ task: String
  ) throws(PredictionError) -> (ids: [Int32], language: Int32?) {
    let context = try Context(decoder)
    for (name, values) in sound { try context.set(name, to: values.values) }
    var unseen = [settings.start]
    var length = 1
    var languageID = language.flatMap { settings.languages[$0] }
    if languageID == nil, !settings.languages.isEmpty {
      let known = Set(settings.languages.values)
      languageID = try Self.likeliest(try logits(unseen, context)) { known.contains($0) }
      unseen = []
    }
    let task = languageID == nil ? nil : settings.tasks[task]
    for id in [languageID, task, settings.noTimes] {
      guard let id else { continue }
      unseen.append(id)
      length += 1
    }
    var ids: [Int32] = []
    while length < positions, ids.count < settings.maximumTokens ?? .max {
      let logits = try logits(unseen, context)
      let token = try Self.likeliest(logits) { id in
        !settings.suppressed.contains(id)
          && !(ids.isEmpty && settings.suppressedFirst.contains(id))
      }
      if settings.ends.contains(token) { break }
      ids.append(token)
      unseen = [token]
      length += 1
    }
    return (ids, languageID)
  }

  /// The numbers of all tokens after some that the decoder has not seen.
  private func logits(
    _ ids: [Int32], _ context: Context
  ) throws(PredictionError) -> [Float] {
    for start in stride(from: 0, to: ids.count, by: Self.partLength) {
      let part = ids[start..<min(start + Self.partLength, ids.count)]
      try context.setLength(part.count)
      context.withInput(0) { input in
        for (index, id) in part.enumerated() { input[index] = Float(id) }
      }
      try context.predict()
    }
    return context.withOutput(0) { output in output.indices.map { output[$0] } } ?? []
  }

  /// The token with the largest number among those that may come.
  private static func likeliest(
    _ logits: [Float], _ mayCome: (Int32) -> Bool
  ) throws(PredictionError) -> Int32 {
    var best: (id: Int32, logit: Float)?
    for (index, logit) in logits.enumerated() where logit > best?.logit ?? -.infinity {
      let id = Int32(index)
      if mayCome(id) { best = (id, logit) }
    }
    guard let best else {
      throw PredictionError(.notFinite, "the network returns no number for the next token")
    }
    return best.id
  }
}
