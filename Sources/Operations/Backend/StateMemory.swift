import ForgeShapes
import ForgeSystem

/// What layers keep from one prediction to the next, for up to a number of examples.
///
/// Each state has two buffers: a prediction reads one and writes the other. ``advance(example:)``
/// swaps them once the result of the prediction counts, so that a prediction that is stopped or
/// fails changes nothing. The two buffers of a state that is appended to in place are the same
/// memory, of which nothing is read behind its present position. The examples of a batch are
/// independent streams.
///
/// It is not `Sendable`: its owner has exclusive access.
package final class StateMemory {
  /// The sizes of each state, in memory order.
  package let sizes: [[Int]]
  /// The number of examples.
  package let batch: Int
  /// The two buffers of each state, one after the other, each with the values of all examples.
  package let buffers: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  /// Whether the second buffer holds the present values, for each example.
  package let isSecond: UnsafeMutablePointer<Bool>
  private let memory: WorkspaceMemory

  /// Allocates states, all zero.
  ///
  /// - Throws: `NoMemory` if the allocation fails.
  package init(_ states: [StateLayout], batch: Int) throws(NoMemory) {
    sizes = states.map(\.sizes)
    self.batch = batch
    let float = MemoryLayout<Float>.stride
    let bytes = sizes.map { sizes in
      sizes.reduce(batch.multipliedSaturated(by: float)) { $0.multipliedSaturated(by: $1) }
    }
    let total = bytes.reduce(0) { $0.addingSaturated($1.multipliedSaturated(by: 2)) }
    guard total < Int.max / 2 else { throw NoMemory(byteCount: .max) }
    let strides = bytes.map { AlignedMemory.round($0, to: AlignedMemory.alignment) }
    let taken = zip(strides, states).reduce(0) { $0 + $1.0 * ($1.1.isInPlace ? 1 : 2) }
    // One unit more, so that a network without states has memory, too.
    memory = try WorkspaceMemory(byteCount: taken + AlignedMemory.alignment)
    memory.start.initializeMemory(as: UInt8.self, repeating: 0, count: memory.byteCount)
    buffers = .allocate(capacity: 2 * sizes.count)
    isSecond = .allocate(capacity: batch)
    isSecond.initialize(repeating: false, count: batch)
    var next = memory.start
    for (index, stride) in strides.enumerated() {
      for half in 0..<2 {
        (buffers + 2 * index + half).initialize(to: next.assumingMemoryBound(to: Float.self))
        if half == 1 || !states[index].isInPlace { next += stride }
      }
    }
  }

  deinit {
    buffers.deallocate()
    isSecond.deallocate()
  }

  /// The present values of a state of one of the examples.
  package func values(_ state: Int, example: Int) -> UnsafeMutableBufferPointer<Float> {
    let count = sizes[state].reduce(1, *)
    let start = buffers[2 * state + (isSecond[example] ? 1 : 0)] + example * count
    return UnsafeMutableBufferPointer(start: start, count: count)
  }

  /// The values that a prediction of one of the examples writes.
  package func next(_ state: Int, example: Int) -> UnsafeMutableBufferPointer<Float> {
    let count = sizes[state].reduce(1, *)
    let start = buffers[2 * state + (isSecond[example] ? 0 : 1)] + example * count
    return UnsafeMutableBufferPointer(start: start, count: count)
  }

  /// Sets what a prediction may have appended to zero, if its result does not count.
  package func forgetAppended(_ limits: UnsafeBufferPointer<PositionLimit>, example: Int) {
    for limit in limits {
      guard let table = limit.table else { continue }
      let position = position(limit.state, example: example)
      guard limit.isPosition(position) else { continue }
      let channels = sizes[table].dropFirst().reduce(1, *)
      let rows = Int(position)..<min(Int(position) + limit.count, limit.capacity)
      values(table, example: example)[rows.lowerBound * channels..<rows.upperBound * channels]
        .update(repeating: 0)
    }
  }

  /// The first position that leaves no room for another prediction of one of the examples.
  ///
  /// It counts no references, for real-time threads.
  package func firstFull(
    _ limits: UnsafeBufferPointer<PositionLimit>, example: Int
  ) -> PositionLimit? {
    for limit in limits where !limit.admits(position(limit.state, example: example)) {
      return limit
    }
    return nil
  }

  /// The only number of a state that is a position.
  package func position(_ state: Int, example: Int) -> Float {
    buffers[2 * state + (isSecond[example] ? 1 : 0)][example]
  }

  /// Makes what a prediction of one of the examples has written its present values.
  package func advance(example: Int) { isSecond[example].toggle() }

  /// Sets all states of one of the examples to zero.
  package func reset(example: Int) {
    for state in sizes.indices { values(state, example: example).update(repeating: 0) }
  }

  /// Sets all states of all examples to zero.
  package func reset() { for example in 0..<batch { reset(example: example) } }
}
