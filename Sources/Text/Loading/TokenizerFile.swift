extension Tokenizer {
  /// Reads `tokenizer.json` as the library `tokenizers` of Hugging Face writes it.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - limits: limits on its size and on the work of patterns.
  /// - Throws: ``TokenizerError``: `fileMissing`, `unreadable`, `tooLarge`, `malformed`, `invalid`
  ///   or `unsupported`.
  public init(
    contentsOf path: String, limits: TokenizerLimits = TokenizerLimits()
  ) throws(TokenizerError) {
    let bytes = try FileBytes.read(path, limits: limits)
    do throws(TokenizerError) { try self.init(json: bytes, limits: limits) } catch {
      throw error.of(path)
    }
  }

  /// Reads the bytes of a `tokenizer.json`.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - limits: limits on its size and on the work of patterns.
  /// - Throws: ``TokenizerError``: `tooLarge`, `malformed`, `invalid` or `unsupported`.
  public init(
    json bytes: [UInt8], limits: TokenizerLimits = TokenizerLimits()
  ) throws(TokenizerError) {
    guard bytes.count <= limits.fileBytes else {
      throw .tooLarge("bytes", bytes.count, limit: limits.fileBytes, "fileBytes")
    }
    let fields = try JSONSlice(document: bytes).fields()
    if let version = fields["version"], try version.string() != "1.0" {
      throw .unsupported("version", try version.string())
    }
    var reader = PartReader(limits: limits)
    let normalizer = try fields["normalizer"].map { slice throws(TokenizerError) in
      try reader.normalizer(slice)
    }
    let model = try ModelReader(limits: limits).model(
      try fields.required("model"), readsBytes: try PartReader.endsInBytes(fields))
    let preTokenizer = try fields["pre_tokenizer"].map { slice throws(TokenizerError) in
      try reader.preTokenizer(slice, keepsBytes: (model as? BPEModel)?.readsBytes ?? false)
    }
    let postProcessor = try fields["post_processor"].map { slice throws(TokenizerError) in
      try reader.postProcessor(slice)
    }
    let decoder = try fields["decoder"].map { slice throws(TokenizerError) in
      try reader.decoder(slice)
    }
    let added = try AddedTokens(
      try reader.addedTokens(fields["added_tokens"]), model: model.table,
      normalizer: normalizer)
    let core = TokenizerCore(
      normalizer: normalizer, preTokenizer: preTokenizer, model: model,
      postProcessor: postProcessor, decoder: decoder, added: added, limits: limits)
    self.init(
      core, truncation: try PartReader.truncation(fields["truncation"]),
      padding: try PartReader.padding(fields["padding"]))
  }
}

extension Optional where Wrapped == JSONSlice {
  /// The result of a closure for a value that is there.
  fileprivate func map<Result>(
    _ body: (JSONSlice) throws(TokenizerError) -> Result
  ) throws(TokenizerError) -> Result? {
    guard let self else { return nil }
    return try body(self)
  }
}
