import Forge
import Synchronization

/// Values that count how often they are read.
struct CountedValues: ParameterData {
  let values: StoredValues
  let reads: Counter
  var elementType: ElementType { values.elementType }
  var layout: ParameterLayout { values.layout }
  var sizes: [Int]? { values.sizes }
  var origin: String { values.origin }
  var count: Int { values.count }

  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    reads.add()
    try values.withUnsafeBytes(body)
  }
}

/// Counts calls from any thread.
final class Counter: Sendable {
  private let value = Atomic<Int>(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add() { value.add(1, ordering: .relaxed) }
}
