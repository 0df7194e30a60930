import ForgeShapes

/// How the features of a text's tokens become one vector.
///
/// The vectors of several modes are concatenated.
public struct TextPooling: Sendable, Hashable {
  /// One way.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The features of the first token.
    case firstToken
    /// The largest number of each channel.
    case maximum
    /// The mean of all tokens.
    case mean
    /// The sum of all tokens, divided by the square root of their number.
    case meanBySquareRoot
    /// The mean of all tokens, of which token `t`, from 1, counts `t` times.
    case weightedMean
    /// The features of the last token.
    case lastToken
  }

  /// The modes, in the order of their parts of the vector.
  public let modes: [Mode]
  /// Whether the tokens of a prompt are pooled, too.
  public let includesPrompt: Bool

  /// Creates a pooling.
  ///
  /// - Parameters:
  ///   - modes: the modes, at least one; the mean if there is none.
  ///   - includesPrompt: whether the tokens of a prompt are pooled, too.
  public init(_ modes: Mode..., includesPrompt: Bool = true) {
    self.init(modes: modes, includesPrompt: includesPrompt)
  }

  init(modes: [Mode], includesPrompt: Bool) {
    self.modes = modes.isEmpty ? [.mean] : modes
    self.includesPrompt = includesPrompt
  }

  private static let names: [String: Mode] = [
    "cls": .firstToken, "max": .maximum, "mean": .mean, "mean_sqrt_len_tokens": .meanBySquareRoot,
    "weightedmean": .weightedMean, "lasttoken": .lastToken,
  ]

  /// Reads the config.json of sentence-transformers' Pooling; the mean if it states no mode.
  ///
  /// - Throws: ``HubError``: `invalid` or `unsupported`.
  init(_ settings: Settings) throws(HubError) {
    let flags: [(String, Mode)] = [
      ("pooling_mode_cls_token", .firstToken), ("pooling_mode_max_tokens", .maximum),
      ("pooling_mode_mean_tokens", .mean),
      ("pooling_mode_mean_sqrt_len_tokens", .meanBySquareRoot),
      ("pooling_mode_weightedmean_tokens", .weightedMean),
      ("pooling_mode_lasttoken", .lastToken),
    ]
    var modes: [Mode] = []
    if let value = settings["pooling_mode"] {
      for part in value.array ?? [value] {
        guard let text = part.text, let mode = Self.names[text], modes.count < flags.count else {
          throw settings.unsupported(
            "pooling_mode", needs: Self.names.keys.sorted().joined(separator: ", "))
        }
        modes.append(mode)
      }
    } else {
      // Older folders have a flag for each mode; their parts are in this order.
      for (name, mode) in flags where try settings.flag(name) { modes.append(mode) }
    }
    for name in settings.names where name.hasPrefix("pooling_mode_") {
      guard flags.contains(where: { $0.0 == name }) else {
        try settings.refuse(name)
        continue
      }
    }
    self.init(modes: modes, includesPrompt: try settings.flag("include_prompt", default: true))
  }

  /// The vector of features [length][channels].
  ///
  /// - Parameters:
  ///   - features: the features, one token after the other.
  ///   - channels: the channels of a token.
  ///   - promptLength: the number of tokens of the prompt, which are left out unless
  ///     ``includesPrompt``.
  /// - Returns: as many numbers as channels for each mode; 0 if no token is left.
  func pool(_ features: Span<Float>, channels: Int, promptLength: Int = 0) -> [Float] {
    let length = channels > 0 ? features.count / channels : 0
    let first = includesPrompt ? 0 : min(max(0, promptLength), length)
    var result: [Float] = []
    result.reserveCapacity(channels.multipliedSaturated(by: modes.count))
    for mode in modes { result += pool(mode, features, channels, first..<length) }
    return result
  }

  private func pool(
    _ mode: Mode, _ features: Span<Float>, _ channels: Int, _ tokens: Range<Int>
  ) -> [Float] {
    guard let first = tokens.first, let last = tokens.last else {
      return [Float](repeating: 0, count: max(0, channels))
    }
    switch mode {
    case .firstToken, .lastToken:
      let start = (mode == .firstToken ? first : last) * channels
      return (start..<start + channels).map { features[$0] }
    case .maximum:
      var best = (first * channels..<(first + 1) * channels).map { features[$0] }
      for token in tokens.dropFirst() {
        for channel in 0..<channels {
          best[channel] = max(best[channel], features[token * channels + channel])
        }
      }
      return best
    case .mean, .meanBySquareRoot, .weightedMean:
      var sum = [Float](repeating: 0, count: channels)
      var total: Float = 0
      for token in tokens {
        // Weights count from the first token of the text, hidden or not.
        let weight = mode == .weightedMean ? Float(token + 1) : 1
        total += weight
        for channel in 0..<channels {
          sum[channel] += weight * features[token * channels + channel]
        }
      }
      let divisor = mode == .meanBySquareRoot ? total.squareRoot() : total
      return sum.map { $0 / divisor }
    }
  }
}
