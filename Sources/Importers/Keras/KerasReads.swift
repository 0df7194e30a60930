import Forge
import ForgeLoaders
import Synchronization

/// Which arguments of a call an operation has read, so that none is ignored silently.
final class KerasReads: Sendable {
  private struct Arguments {
    var names: Set<String> = []
    var positions: Set<Int> = []
  }

  private let read = Mutex(Arguments())
  /// What is no argument of an operation.
  private static let descriptions: Set = ["name", "dtype", "trainable", "function", "symbol"]

  /// Records that an argument was looked for.
  func note(_ names: [String], _ position: Int?) {
    read.withLock { read in
      read.names.formUnion(names)
      if let position { read.positions.insert(position) }
    }
  }

  /// The first argument that was not read; tensors, `null` and `false` count as read.
  func unread(of call: KerasCall) -> String? {
    func isSet(_ value: KerasValue) -> Bool {
      guard !value.isNull, let json = value.json else { return false }
      return json.flag != false
    }
    let read = read.withLock { $0 }
    let ignored = read.names.union(Self.descriptions)
    let members = call.layer.config.json.object?.members ?? []
    let named =
      members.map { ($0.0.text, KerasValue.json($0.1)) }
      + call.keywords.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    if let (name, _) = named.first(where: { !ignored.contains($0.0) && isSet($0.1) }) {
      return name
    }
    return call.arguments.indices.first {
      !read.positions.contains($0) && isSet(call.arguments[$0])
    }.map { "argument \($0 + 1)" }
  }
}
