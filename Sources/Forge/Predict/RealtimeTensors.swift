/// The inputs or the outputs of a real-time context: memory of its own for each, and memory of the
/// caller that the next prediction uses in its place.
///
/// Nothing but the initializer allocates, and nothing counts references.
struct RealtimeTensors: ~Copyable {
  private struct Tensor {
    /// The context's memory, for all examples.
    let own: UnsafeMutableBufferPointer<Float>
    /// The caller's memory for the next prediction.
    var bound: UnsafeMutableBufferPointer<Float>?
    /// The number of values of an example, at the present length.
    var count: Int
    /// Whether the caller's values are copied, because the context must check its own.
    let isCopied: Bool
  }

  private let tensors: UnsafeMutableBufferPointer<Tensor>
  /// The addresses that the steps of the plan use.
  private let bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  private let maximumBatch: Int

  /// Prepares tensors with memory of their own for `batch` examples.
  init(
    _ own: [UnsafeMutableBufferPointer<Float>],
    bases: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>, batch: Int, counts: [Int],
    copied: Set<Int> = []
  ) {
    tensors = .allocate(capacity: own.count)
    for (index, memory) in own.enumerated() {
      tensors.initializeElement(
        at: index,
        to: Tensor(own: memory, count: counts[index], isCopied: copied.contains(index)))
    }
    self.bases = bases
    maximumBatch = batch
  }

  deinit { tensors.deallocate() }

  var indices: Range<Int> { tensors.indices }

  /// The context's memory of a tensor, for all examples; `nil` if there is no such tensor.
  func own(_ index: Int) -> UnsafeMutableBufferPointer<Float>? {
    tensors.indices.contains(index) ? tensors[index].own : nil
  }

  /// Sets the number of values of an example.
  func set(count: Int, of index: Int) { tensors[index].count = count }

  /// The number of values of this many examples, which are as far apart as those of the longest
  /// sequence.
  func count(_ index: Int, batch: Int) -> Int {
    (batch - 1) * (tensors[index].own.count / maximumBatch) + tensors[index].count
  }

  // MARK: Memory of the caller

  /// Remembers memory for the next prediction; returns whether there is such a tensor.
  func bind(_ index: Int, to memory: UnsafeMutableBufferPointer<Float>) -> Bool {
    guard tensors.indices.contains(index) else { return false }
    tensors[index].bound = memory
    return true
  }

  /// The caller's memory of a tensor.
  func bound(_ index: Int) -> UnsafeMutableBufferPointer<Float>? { tensors[index].bound }

  /// The first tensor whose bound memory does not hold exactly `batch` examples.
  func firstMisfit(batch: Int) -> Int? {
    for index in tensors.indices {
      if let bound = tensors[index].bound, bound.count != count(index, batch: batch) {
        return index
      }
    }
    return nil
  }

  /// The first tensor before `end` whose bound memory overlaps some other.
  func firstOverlap(
    _ memory: UnsafeMutableBufferPointer<Float>, before end: Int
  ) -> Int? {
    for index in 0..<end {
      if let bound = tensors[index].bound, Self.overlap(bound, memory) { return index }
    }
    return nil
  }

  private static func overlap(
    _ first: UnsafeMutableBufferPointer<Float>, _ second: UnsafeMutableBufferPointer<Float>
  ) -> Bool {
    guard let first = first.baseAddress.map({ ($0, $0 + first.count) }),
      let second = second.baseAddress.map({ ($0, $0 + second.count) })
    else { return false }
    return first.0 < second.1 && second.0 < first.1
  }

  /// Lets the steps use the bound memory, copied if the context must check it or if `isCopied`
  /// says so.
  func useBound(copying isCopied: (UnsafeMutableBufferPointer<Float>) -> Bool) {
    for index in tensors.indices {
      guard let bound = tensors[index].bound else { continue }
      if tensors[index].isCopied || isCopied(bound) {
        _ = tensors[index].own.update(fromContentsOf: bound)
      } else {
        bases[index] = bound.baseAddress
      }
    }
  }

  /// Returns to the context's memory.
  func unbind() {
    for index in tensors.indices where tensors[index].bound != nil {
      tensors[index].bound = nil
      bases[index] = tensors[index].own.baseAddress
    }
  }
}
