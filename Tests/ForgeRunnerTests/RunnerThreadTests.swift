import ForgeRunner
import Synchronization
import Testing

/// A network that writes down the threads that each of its slots was made for.
private final class CountingNetwork: BatchNetwork {
  /// `nil` is as many as the network was made for.
  private let given = Mutex<[Int?]>([])
  private let batches = Mutex<[Int?]>([])

  var threads: [Int?] { given.withLock { $0 } }
  var batch: [Int?] { batches.withLock { $0 } }

  private func make(batch: Int?, threads: Int?) -> Int {
    batches.withLock { $0.append(batch) }
    return given.withLock {
      $0.append(threads)
      return $0.count
    }
  }

  func makeSlot() -> Int { make(batch: nil, threads: nil) }
  func makeSlot(threads: Int) -> Int { make(batch: nil, threads: threads) }
  func makeSlot(batch: Int) -> Int { make(batch: batch, threads: nil) }
  func makeSlot(batch: Int, threads: Int) -> Int { make(batch: batch, threads: threads) }
  func encode(_ input: Int, into slot: Int) {}
  func encode(_ input: Int, into slot: Int, at index: Int) {}
  func run(_ slot: Int) {}
  func run(_ slot: Int, batch: Int, until stop: borrowing StopSignal) {}
  func fetch(from slot: Int) -> Int { slot }
  func fetch(from slot: Int, at index: Int) -> Int { slot }
}

/// The number of threads of a runner's predictions.
@Suite(.timeLimit(.minutes(20))) struct RunnerThreadTests {
  @Test func severalSlotsUseOneThreadEach() throws {
    for count in [2, 3, 8] {
      let network = CountingNetwork()
      _ = try Runner(network, inflightBuffers: count)
      #expect(network.threads == Array(repeating: 1, count: count))
      let batches = CountingNetwork()
      _ = try Runner(batches, inflightBuffers: count, batch: 4, within: .zero)
      #expect(batches.threads == Array(repeating: 1, count: count))
      #expect(batches.batch == Array(repeating: 4, count: count))
    }
  }

  @Test func singleSlotUsesNetworkThreads() throws {
    let network = CountingNetwork()
    _ = try Runner(network, inflightBuffers: 1)
    #expect(network.threads == [nil])
    let batches = CountingNetwork()
    _ = try Runner(batches, inflightBuffers: 1, batch: 4, within: .zero)
    #expect(batches.threads == [nil])
    #expect(batches.batch == [4])
  }

  @Test(arguments: [1, 2, 5, 1000]) func explicitThreadCountIsUsed(threads: Int) throws {
    for count in [1, 3] {
      let network = CountingNetwork()
      _ = try Runner(network, inflightBuffers: count, threads: threads)
      #expect(network.threads == Array(repeating: threads, count: count))
      let batches = CountingNetwork()
      _ = try Runner(
        batches, inflightBuffers: count, batch: 2, within: .milliseconds(1), threads: threads)
      #expect(batches.threads == Array(repeating: threads, count: count))
      #expect(batches.batch == Array(repeating: 2, count: count))
    }
  }

  @Test(arguments: [0, -1, .min] as [Int]) func invalidThreadCounts(threads: Int) throws {
    let network = CountingNetwork()
    for make in [
      { _ = try Runner(network, inflightBuffers: 2, threads: threads) },
      { _ = try Runner(network, batch: 2, within: .zero, threads: threads) },
    ] {
      let error = try #require(throws: RunnerError.self) { try make() }
      #expect(error.kind == .invalidCount)
      #expect(
        "\(error)" == """
          threads must be positive
            received  threads: \(threads)
            needs     at least 1
          """)
    }
    #expect(network.threads.isEmpty)
  }

  /// A network without thread support creates its slots as usual.
  @Test func networksWithoutThreadSupport() async throws {
    let network = GateNetwork()
    let runner = try Runner(network, inflightBuffers: 2, threads: 3)
    #expect(network.log.madeSlots == 2)
    #expect(try await runner.predict(4) == -4)
  }
}
