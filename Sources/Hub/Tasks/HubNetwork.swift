import Forge
import ForgeSystem
import ForgeText
import Synchronization

/// A compiled network of a folder, with memory for many texts at a time.
///
/// Texts are not padded: each takes the time of its own length. Many texts are shared among
/// threads, longest first, so that no thread ends long after the others.
final class HubNetwork: Sendable {
  let hub: HubModel
  let tokenizer: Tokenizer
  private let network: CompiledModel
  private let threads: Int
  private let spares = ForkSafe<[ContextBox]>([])

  /// A context that one thread uses at a time.
  ///
  /// `@unchecked Sendable`: it is passed on, never shared.
  private final class ContextBox: @unchecked Sendable {
    let context: Context
    init(_ context: Context) { self.context = context }
  }

  /// Compiles a network.
  ///
  /// - Throws: ``HubError`` of kind `compile`, or `fileMissing` if there is no tokenizer.
  init(
    _ hub: HubModel, _ options: CompileOptions, threads: Int?,
    strategy: TokenTruncation.Strategy? = nil
  ) throws(HubError) {
    guard var tokenizer = hub.tokenizer else { throw .noTokenizer(hub.path) }
    if let strategy { tokenizer.truncation?.strategy = strategy }
    self.hub = hub
    self.tokenizer = tokenizer
    do throws(CompileError) { network = try hub.model.compile(options: options) } catch {
      throw .notCompiled(error, hub.path)
    }
    self.threads = max(1, min(threads ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), 256))
  }

  /// The tokens of texts or pairs.
  func encode(_ texts: [String]) throws(HubError) -> [TokenizedText] {
    do throws(TokenizerError) {
      return try tokenizer.encode(batch: texts, threads: threads)
    } catch { throw .tokenizer(error, hub.path) }
  }

  func encode(pairs: [(String, String)]) throws(HubError) -> [TokenizedText] {
    do throws(TokenizerError) {
      return try tokenizer.encode(pairs: pairs, threads: threads)
    } catch { throw .tokenizer(error, hub.path) }
  }

  /// The results of a closure for the output of each text, in the order of the texts.
  ///
  /// - Throws: ``HubError`` of kind `prediction`: that of the first text with one.
  func map<Result: Sendable>(
    _ texts: [TokenizedText], _ body: @escaping @Sendable (Int, Span<Float>) -> Result
  ) throws(HubError) -> [Result] {
    let order = texts.indices.sorted {
      (texts[$1].count, $0) < (texts[$0].count, $1)
    }
    let work = Work(texts: texts, order: order, body)
    // One text has all threads of its network; of many each has one.
    let workers = min(threads, texts.count)
    SharedWork.run(threads: workers) { [self] in run(work, threads: workers > 1 ? 1 : nil) }
    var results: [Result] = []
    results.reserveCapacity(texts.count)
    let found = work.results.withLock { $0 }
    for result in found {
      switch result {
      case .success(let value): results.append(value)
      case .failure(let error): throw .notPredicted(error, hub.path)
      // Every place of the order is taken by one of the threads, which have ended.
      case nil: throw HubError(.prediction, "a text was left out", path: hub.path)
      }
    }
    return results
  }

  private final class Work<Value: Sendable>: Sendable {
    let texts: [TokenizedText]
    let order: [Int]
    let body: @Sendable (Int, Span<Float>) -> Value
    let next = Atomic<Int>(0)
    let results: ForkSafe<[Result<Value, PredictionError>?]>

    init(
      texts: [TokenizedText], order: [Int],
      _ body: @escaping @Sendable (Int, Span<Float>) -> Value
    ) {
      (self.texts, self.order, self.body) = (texts, order, body)
      results = ForkSafe([Result<Value, PredictionError>?](repeating: nil, count: texts.count))
    }
  }

  private func run<Value>(_ work: Work<Value>, threads: Int?) {
    var box: ContextBox?
    defer {
      if let box, threads == 1 {
        spares.withLock { if $0.count < 64 { $0.append(box) } }
      }
    }
    while true {
      let rank = work.next.add(1, ordering: .relaxed).oldValue
      guard rank < work.order.count else { return }
      let index = work.order[rank]
      let result: Result<Value, PredictionError>
      do throws(PredictionError) {
        let context: ContextBox
        if let box {
          context = box
        } else {
          let spare = threads == 1 ? spares.withLock { $0.popLast() } : nil
          context =
            if let spare { spare } else { ContextBox(try Context(network, threads: threads)) }
          box = context
        }
        result = .success(try value(context.context, work.texts[index]) { work.body(index, $0) })
      } catch { result = .failure(error) }
      work.results.withLock { $0[index] = result }
    }
  }

  /// Predicts a text.
  private func value<Value>(
    _ context: Context, _ text: TokenizedText, _ body: (Span<Float>) -> Value
  ) throws(PredictionError) -> Value {
    let length = text.count
    // Without tokens there are no features; a mean of them is 0.
    if length == 0, hub.head == .features { return body([Float]().span) }
    try context.setLength(length)
    func write(_ input: Int, _ values: [Int32]) {
      context.withInput(input) { span in
        for index in 0..<min(length, span.count) { span[index] = Float(values[index]) }
      }
    }
    write(0, text.ids)
    if hub.inputs.contains(.types) { write(1, text.typeIDs) }
    try context.predict()
    // The numbers of each token, or of the whole text.
    let count: Int =
      switch hub.head {
      case .features: length * hub.channels
      case .tokenClassification: length * hub.labels.count
      case .sequenceClassification: hub.labels.count
      case .embedding, .nextToken: .max
      }
    guard
      let value = context.withOutput(
        0,
        { output in
          body(output.extracting(0..<min(output.count, count)))
        })
    else { throw PredictionError(.unknownName, "the network has no output") }
    return value
  }
}
