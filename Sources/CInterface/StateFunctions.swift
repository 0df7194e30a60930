import CForge
import Forge

// The functions of states that forge.h declares and describes.

/// `forge_context_reset` of forge.h.
@_cdecl("forge_context_reset")
public func contextReset(_ context: OpaquePointer?) -> forge_status {
  OpenedContext.table.with(context) { try $0.state.reset() }
}

/// `forge_context_get_state` of forge.h.
@_cdecl("forge_context_get_state")
public func contextGetState(
  _ context: OpaquePointer?, _ index: Int, _ example: Int, _ values: UnsafeMutablePointer<Float>?,
  _ count: Int
) -> forge_status {
  OpenedContext.table.with(context) { context in
    try OpenedContext.check(values, count: count)
    let state = try context.checkedState(index, example: example, count: count)
    if let start = state.baseAddress { values?.update(from: start, count: count) }
  }
}

/// `forge_context_set_state` of forge.h.
@_cdecl("forge_context_set_state")
public func contextSetState(
  _ context: OpaquePointer?, _ index: Int, _ example: Int, _ values: UnsafePointer<Float>?,
  _ count: Int
) -> forge_status {
  OpenedContext.table.with(context) { context in
    try OpenedContext.check(values, count: count)
    let state = try context.checkedState(index, example: example, count: count)
    if let values { state.baseAddress?.update(from: values, count: count) }
  }
}

extension RealtimeContext {
  /// The memory of a state of an example, if it has `count` values.
  fileprivate borrowing func checkedState(
    _ index: Int, example: Int, count: Int
  ) throws(Failure) -> UnsafeMutableBufferPointer<Float> {
    guard (0..<maximumBatch).contains(example) else {
      throw .index(example, of: "example", count: maximumBatch)
    }
    guard let state = stateMemory(index, example: example) else {
      throw .index(index, of: "state", count: network.stateNames.count)
    }
    guard state.count == count else {
      throw Failure(
        "the state has a different size", received: "\(count) values",
        needs: "\(state.count) values")
    }
    return state
  }
}
