import Forge
import Synchronization

/// The values of a constant that an import computed from constants of the file.
///
/// Nodes that follow read them from memory. Once no node of the graph needs them, ``letGo()``
/// releases the memory; whoever reads the values then, such as a compile that packs them, computes
/// them again from the file. A compiled network thus holds its weights only as it packed them.
package final class FoldedValues: Sendable {
  /// The elements computed again per element of the result at most; a constant of more keeps its
  /// values.
  private static let mostWork = 4
  /// The number of elements from which on values are let go.
  fileprivate static let least = 1 << 12

  /// The constants that are computed again with this one.
  private let operands: [FoldedValues]
  /// The elements that are computed for one reading without values in memory.
  private let work: Int
  private let compute: @Sendable () throws -> HostTensor
  private let values: Mutex<HostTensor?>

  private init(
    _ tensor: HostTensor, operands: [FoldedValues], work: Int,
    compute: @escaping @Sendable () throws -> HostTensor
  ) {
    self.operands = operands
    self.work = work
    self.compute = compute
    values = Mutex(tensor)
  }

  /// The values: those in memory, or computed.
  ///
  /// - Throws: what reading the file throws.
  func tensor() throws -> HostTensor {
    if let tensor = values.withLock({ $0 }) { return tensor }
    return try compute()
  }

  /// Whether the values are in memory.
  var isInMemory: Bool { values.withLock { $0 != nil } }

  /// Releases the values of this constant.
  func release() { values.withLock { $0 = nil } }

  /// Releases the values of this constant and of those that it is made of.
  func letGo() {
    var pending = [self]
    while let next = pending.popLast() {
      let had = next.values.withLock { values in
        defer { values = nil }
        return values != nil
      }
      if had { pending += next.operands }
    }
  }

  /// The tensor with values that can be let go, if they are many and soon computed again.
  ///
  /// - Parameters:
  ///   - tensor: the result of a node.
  ///   - operands: the constants that the node reads.
  ///   - compute: computes the result again.
  /// - Returns: the same values.
  static func holding(
    _ tensor: HostTensor, of operands: [HostTensor],
    compute: @escaping @Sendable () throws -> HostTensor
  ) -> HostTensor {
    // An operand that keeps its values would be kept with this constant.
    guard tensor.isLargeArray, !operands.contains(where: \.isLargeArray) else { return tensor }
    let folded = operands.compactMap(\.folded)
    let work = folded.reduce(tensor.count) { $0.addingSaturated($1.work) }
    guard work <= tensor.count.multipliedSaturated(by: mostWork) else { return tensor }
    var result = tensor
    result.held = nil
    result.storage = .folded(
      FoldedValues(tensor, operands: folded, work: work, compute: compute))
    return result
  }
}

extension HostTensor {
  /// Whether the values are an array in memory.
  fileprivate var isComputed: Bool {
    switch storage {
    case .floats, .integers: true
    case .stored, .repeated, .folded: false
    }
  }

  /// Whether the values are an array that takes memory worth releasing.
  fileprivate var isLargeArray: Bool { isComputed && count >= FoldedValues.least }

  /// Whether the values are in memory, large or small.
  var isInMemory: Bool { folded?.isInMemory ?? isComputed }

  /// The computed values, if they can be let go.
  var folded: FoldedValues? { if case .folded(let values) = storage { values } else { nil } }

  /// The tensor of the file or of memory that holds the values; `nil` if it is not known.
  ///
  /// Equal identities mean equal elements in equal order, as long as both tensors exist.
  var identity: ValueIdentity? {
    switch storage {
    case .stored(let bytes):
      return bytes.identity.map { ValueIdentity($0.owner, $0.range, type: type) }
    case .folded(let values):
      return ValueIdentity(.object(ObjectIdentifier(values)), type: type)
    case .floats(let values): return ValueIdentity(array: values, type: type)
    case .integers, .repeated: return nil
    }
  }
}
