struct SentencePieceText: Sendable {
  func encode(_ bytes: [UInt8], _ core: TokenizerCore, type: Int32, word: Int32?, _ workspace: Workspace) throws(TokenizerError) -> Encoding { Encoding() }
  func decode(_ ids: [Int32], _ core: TokenizerCore) throws(TokenizerError) -> String { "" }
}
extension Tokenizer { public init(sentencePiece path: String) throws(TokenizerError) { throw .malformed("x") } }
