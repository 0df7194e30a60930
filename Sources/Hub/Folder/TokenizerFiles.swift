import ForgeLoaders
import ForgeText

/// The tokenizer of a folder, and what its settings say of lengths.
struct TokenizerFiles: Sendable {
  let tokenizer: Tokenizer?
  /// The maximum number of tokens; `nil` if the settings do not say.
  let maximumLength: Int?
  /// The side that is cut off; `nil` if the settings do not say.
  let truncationSide: TextSide?

  /// Reads tokenizer.json, or the vocab.txt of a BERT, and tokenizer_config.json.
  ///
  /// - Throws: ``HubError``: `tokenizer`, and those of settings.
  init(_ folder: HubFolder) throws(HubError) {
    let settings = try folder.settings("tokenizer_config.json")
    // A tokenizer without a limit has 10³⁰ here.
    let length = try settings?.number("model_max_length") ?? .infinity
    maximumLength = length >= 1 && length < 1e9 ? Int(length) : nil
    switch try settings?.text("truncation_side") {
    case "left": truncationSide = .left
    case "right": truncationSide = .right
    default: truncationSide = nil
    }
    let path = folder.path(of: "tokenizer.json")
    do throws(TokenizerError) {
      if folder.has("tokenizer.json") {
        tokenizer = try Tokenizer(contentsOf: path)
      } else if folder.has("vocab.txt") {
        tokenizer = try Tokenizer(
          bertVocabulary: folder.path(of: "vocab.txt"),
          lowercases: (try? settings?.flag("do_lower_case", default: true)) ?? true)
      } else {
        tokenizer = nil
      }
    } catch { throw .tokenizer(error, folder.path) }
  }
}
