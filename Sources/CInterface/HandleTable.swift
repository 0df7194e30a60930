import Synchronization

/// Why a handle is refused.
enum HandleRefusal: Error {
  /// It is closed, belongs to another table, or was never given.
  case unknown
  /// Another caller is using the value.
  case busy
}

/// Values that C reaches by handles.
///
/// A handle is a number, not an address: the kind of the table, the index of a slot, and how often
/// the slot was used before. So a handle that is closed, that belongs to another table, or that is
/// any number at all, is refused without reading memory that is gone. Nothing here waits: a slot's
/// state is one atomic number.
///
/// `@unchecked Sendable`: a value is used only between ``enter(_:alone:)`` and ``leave(_:)``, and
/// removed when nobody is between them.
struct HandleTable<Value: ~Copyable>: @unchecked Sendable {
  /// A value that is in use.
  struct Entry {
    fileprivate let index: Int
    let value: UnsafeMutablePointer<Value>
  }

  private struct Slot: ~Copyable {
    let state = Atomic<UInt64>(0)
    var value: UnsafeMutablePointer<Value>?
  }

  /// What a value is called in messages.
  let name: StaticString
  /// Whether several threads may use a value at a time.
  let isShared: Bool
  private let slots: UnsafeMutablePointer<Slot>
  private let kind: UInt64

  private static var indexBits: UInt64 { 14 }
  /// The most values at a time.
  static var capacity: Int { 1 << Int(indexBits) }

  // A state: the number of users, two flags, and the generation.
  private static var userMask: UInt64 { 1 << 32 - 1 }
  private static var open: UInt64 { 1 << 32 }
  private static var claimed: UInt64 { 1 << 33 }
  private static var generationShift: UInt64 { 34 }
  private static var generationMask: UInt64 { 1 << 30 - 1 }
  private static var kindShift: UInt64 { 56 }

  /// Creates a table; `kind` is from 1 to 127, different for each.
  init(kind: UInt64, name: StaticString, isShared: Bool) {
    (self.kind, self.name, self.isShared) = (kind, name, isShared)
    slots = .allocate(capacity: Self.capacity)
    for index in 0..<Self.capacity { (slots + index).initialize(to: Slot()) }
  }

  /// Adds a value; returns its handle, or `nil` if the table is full.
  func insert(_ value: consuming Value) -> OpaquePointer? {
    guard let index = claimedSlot() else { return nil }
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    slots[index].value = memory
    let state = slots[index].state.load(ordering: .relaxed)
    slots[index].state.store(state ^ Self.claimed ^ Self.open, ordering: .releasing)
    let generation = state >> Self.generationShift
    return OpaquePointer(
      bitPattern: UInt(kind << Self.kindShift | generation << Self.indexBits | UInt64(index)))
  }

  private func claimedSlot() -> Int? {
    for index in 0..<Self.capacity {
      let state = slots[index].state.load(ordering: .relaxed)
      guard state & (Self.open | Self.claimed) == 0 else { continue }
      let (isDone, _) = slots[index].state.compareExchange(
        expected: state, desired: state | Self.claimed, ordering: .acquiring)
      if isDone { return index }
    }
    return nil
  }

  /// The index and the generation of a handle.
  private func parts(
    _ handle: OpaquePointer?
  ) throws(HandleRefusal) -> (index: Int, generation: UInt64) {
    let bits = UInt64(UInt(bitPattern: handle))
    let generation = (bits ^ kind << Self.kindShift) >> Self.indexBits
    // Other kinds leave bits above the generation.
    guard generation <= Self.generationMask else { throw .unknown }
    return (Int(bits & (1 << Self.indexBits - 1)), generation)
  }

  /// Begins to use a value, if `alone` only while nobody else does.
  func enter(_ handle: OpaquePointer?, alone: Bool) throws(HandleRefusal) -> Entry {
    let (index, generation) = try parts(handle)
    var state = slots[index].state.load(ordering: .relaxed)
    while true {
      guard state >> Self.generationShift == generation, state & Self.open != 0 else {
        throw .unknown
      }
      let users = state & Self.userMask
      guard !alone || users == 0, users < Self.userMask else { throw .busy }
      let (isDone, other) = slots[index].state.compareExchange(
        expected: state, desired: state + 1, ordering: .acquiring)
      if isDone { break }
      state = other
    }
    guard let value = slots[index].value else { throw .unknown }
    return Entry(index: index, value: value)
  }

  /// Ends a use.
  func leave(_ entry: Entry) {
    slots[entry.index].state.wrappingSubtract(1, ordering: .releasing)
  }

  /// Destroys a value that nobody is using.
  func remove(_ handle: OpaquePointer?) throws(HandleRefusal) {
    let entry = try enter(handle, alone: true)
    // Users that come later find it closed; those that came in between are busy with it.
    let state = slots[entry.index].state.load(ordering: .relaxed)
    let alone = state & ~Self.userMask | 1
    let (isDone, _) = slots[entry.index].state.compareExchange(
      expected: alone, desired: alone ^ Self.open ^ Self.claimed ^ 1, ordering: .acquiring)
    guard isDone else {
      leave(entry)
      throw .busy
    }
    slots[entry.index].value = nil
    entry.value.deinitialize(count: 1)
    entry.value.deallocate()
    let generation = (state >> Self.generationShift + 1) & Self.generationMask
    slots[entry.index].state.store(generation << Self.generationShift, ordering: .releasing)
  }
}
