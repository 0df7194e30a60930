import ForgeSystem
import Synchronization

extension Tokenizer {
  /// The tokens of many texts, on several threads.
  ///
  /// - Parameters:
  ///   - texts: the texts.
  ///   - addsTokens: whether tokens such as [CLS] are added.
  ///   - threads: the number of threads; that of the processors if `nil`.
  /// - Returns: the encodings in the order of the texts, filled up to one length if the tokenizer
  ///   fills up.
  /// - Throws: ``TokenizerError`` as ``encode(_:addsTokens:)``: that of the first text with one.
  public func encode(
    batch texts: [String], addsTokens: Bool = true, threads: Int? = nil
  ) throws(TokenizerError) -> [TokenizedText] {
    try encode(
      count: texts.count, addsTokens: addsTokens, threads: threads
    ) { [.text(texts[$0])] }
  }

  /// The tokens of many pairs of texts, on several threads.
  ///
  /// - Parameters:
  ///   - pairs: the pairs of texts.
  ///   - addsTokens: whether tokens such as [SEP] are added.
  ///   - threads: the number of threads; that of the processors if `nil`.
  /// - Returns: the encodings in the order of the pairs.
  /// - Throws: ``TokenizerError`` as ``encode(_:addsTokens:)``: that of the first pair with one.
  public func encode(
    pairs: [(String, String)], addsTokens: Bool = true, threads: Int? = nil
  ) throws(TokenizerError) -> [TokenizedText] {
    try encode(count: pairs.count, addsTokens: addsTokens, threads: threads) {
      [.text(pairs[$0].0), .text(pairs[$0].1)]
    }
  }

  private func encode(
    count: Int, addsTokens: Bool, threads: Int?, _ inputs: @Sendable @escaping (Int) -> [Input]
  ) throws(TokenizerError) -> [TokenizedText] {
    let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let parts = max(1, min(threads ?? processors, 256, count / BatchWork.grain))
    let work = BatchWork(count: count) { index, workspace throws(TokenizerError) in
      try encode(inputs(index), addsTokens: addsTokens, pads: false, workspace)
    }
    var encodings = try work.run(core, threads: parts)
    padding?.apply(&encodings)
    return encodings
  }
}

/// A batch that threads share: each takes the next few texts until none is left.
private final class BatchWork: Sendable {
  typealias Body = @Sendable (Int, Workspace) throws(TokenizerError) -> TokenizedText

  /// The texts that a thread takes at a time.
  static let grain = 8

  private let count: Int
  private let body: Body
  private let next = Atomic<Int>(0)
  private let results = ForkSafe<[Int: [Result<TokenizedText, TokenizerError>]]>([:])

  init(count: Int, _ body: @escaping Body) { (self.count, self.body) = (count, body) }

  /// Runs the batch and returns its results, in order.
  func run(_ core: TokenizerCore, threads: Int) throws(TokenizerError) -> [TokenizedText] {
    SharedWork.run(threads: threads) { [self] in work(core) }
    let parts = results.withLock { $0 }
    var encodings: [TokenizedText] = []
    encodings.reserveCapacity(count)
    for start in stride(from: 0, to: count, by: Self.grain) {
      for result in parts[start] ?? [] { encodings.append(try result.get()) }
    }
    return encodings
  }

  private func work(_ core: TokenizerCore) {
    try? core.withWorkspace { workspace throws(TokenizerError) in
      while true {
        let start = next.add(Self.grain, ordering: .relaxed).oldValue
        guard start < count else { return }
        var list: [Result<TokenizedText, TokenizerError>] = []
        for index in start..<min(start + Self.grain, count) {
          do throws(TokenizerError) {
            list.append(.success(try body(index, workspace)))
          } catch {
            list.append(.failure(error))
          }
        }
        results.withLock { $0[start] = list }
      }
    }
  }
}
