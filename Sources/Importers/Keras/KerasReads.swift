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
  /// What is not an argument of an operation.
  private static let descriptions: Set = ["name", "trainable", "function", "symbol"]
  /// The type that Forge computes in, which changes nothing.
  private static let type = "float32"

  /// Records that an argument was looked for.
  func note(_ names: [String], _ position: Int?) {
    read.withLock { read in
      read.names.formUnion(names)
      if let position { read.positions.insert(position) }
    }
  }

  /// The first argument that was not read; `null`, `false` and the type Float32 count as read, and
  /// so do tensors that have no name.
  func unread(of call: KerasCall) -> String? {
    func isSet(_ value: KerasValue) -> Bool {
      guard let json = value.json else { return true }
      return !json.isNull && json.flag != false && json.text != Self.type
    }
    let read = read.withLock { $0 }
    let ignored = read.names.union(Self.descriptions)
    var named: [(name: String, value: KerasValue)] = []
    for (name, value) in call.layer.config.json.object?.members ?? [] {
      // The policy of a layer, not the argument of an operation.
      if name == "dtype", value.text == nil || call.layer.config["function"] != nil { continue }
      named.append((name.text, .json(value)))
    }
    // The tensors of a call without other arguments are its inputs.
    let keywords =
      call.arguments.isEmpty ? call.keywords.filter { $0.value.tensors.isEmpty } : call.keywords
    named += keywords.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    if let (name, _) = named.first(where: { !ignored.contains($0.name) && isSet($0.value) }) {
      return name
    }
    return call.arguments.indices.first {
      !read.positions.contains($0) && call.arguments[$0].tensors.isEmpty
        && isSet(call.arguments[$0])
    }.map { "argument \($0 + 1)" }
  }
}
