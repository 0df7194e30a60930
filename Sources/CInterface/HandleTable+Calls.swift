import CForge

/// What the C functions do with handles.
extension HandleTable where Value: ~Copyable {
  /// Adds a value and returns its handle.
  func opened(_ value: consuming Value) throws(Failure) -> OpaquePointer {
    guard let handle = insert(value) else {
      throw Failure(FORGE_NO_MEMORY, "too many \(name)s are open")
    }
    return handle
  }

  /// Calls `body` with the value of a handle, which nobody may be using unless it is shared.
  @inline(__always)
  func with(
    _ handle: OpaquePointer?, _ body: (borrowing Value) throws -> Void
  ) -> forge_status {
    reporting {
      let entry = try entered(handle)
      defer { leave(entry) }
      try body(entry.value.pointee)
    }
  }

  private func entered(_ handle: OpaquePointer?) throws(Failure) -> Entry {
    do { return try enter(handle, alone: !isShared) } catch { throw Failure(error, "\(name)") }
  }

  /// Destroys the value of a handle, unless a thread is using it.
  func close(_ handle: OpaquePointer?) -> forge_status {
    reporting {
      do throws(HandleRefusal) { try remove(handle) } catch { throw Failure(error, "\(name)") }
    }
  }
}

extension Failure {
  /// The failure for a handle that a table has refused.
  init(_ refusal: HandleRefusal, _ what: String) {
    switch refusal {
    case .unknown: self.init(FORGE_BAD_HANDLE, "this is not the handle of an open \(what)")
    case .busy: self.init(FORGE_BUSY, "another thread is using the \(what)")
    }
  }
}
