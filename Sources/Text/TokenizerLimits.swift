/// Limits on the size of a tokenizer's files, and on the work of a text.
///
/// The defaults accept every tokenizer in use and refuse files made to exhaust memory or time.
/// What is kept in memory grows with the size of the file only.
public struct TokenizerLimits: Sendable, Hashable {
  /// The maximum size of a file in bytes.
  public var fileBytes: Int
  /// The maximum number of tokens, and of merges.
  public var tokens: Int
  /// The maximum number of normalizers, pre-tokenizers, decoders and post-processors.
  public var parts: Int
  /// The maximum number of instructions of a pattern.
  public var patternSize: Int
  /// The maximum steps of a pattern, beyond 256 for each byte of the text.
  public var patternSteps: Int
  /// The maximum size of a text in bytes, before and after normalization; 64 MiB at most.
  public var textBytes: Int

  /// Creates limits; those that are not given have defaults.
  ///
  /// - Parameters:
  ///   - fileBytes: the maximum size of a file in bytes.
  ///   - tokens: the maximum number of tokens, and of merges.
  ///   - parts: the maximum number of normalizers, pre-tokenizers, decoders and post-processors.
  ///   - patternSize: the maximum number of instructions of a pattern.
  ///   - patternSteps: the maximum steps of a pattern, beyond 256 for each byte of the text.
  ///   - textBytes: the maximum size of a text in bytes, before and after normalization; 64 MiB
  ///     at most.
  public init(
    fileBytes: Int = 64 << 20, tokens: Int = 1 << 22, parts: Int = 256, patternSize: Int = 4096,
    patternSteps: Int = 1 << 20, textBytes: Int = 1 << 24
  ) {
    self.fileBytes = fileBytes
    self.tokens = tokens
    self.parts = parts
    self.patternSize = patternSize
    self.patternSteps = patternSteps
    self.textBytes = min(textBytes, AlignedText.maximumCount)
  }
}
