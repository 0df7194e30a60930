import ForgeOperations

/// The tensors that hold the values of an unfinished plan, in the forms that exist so far.
struct ValueForms {
  typealias Value = OperationGraph.Value
  typealias ID = PlannedTensor.ID

  /// The blocked images of values.
  private(set) var blocked: [Value: ID] = [:]
  /// The values in row-major order.
  private(set) var plain: [Value: ID] = [:]
  /// The images of bytes of values.
  private(set) var bytes: [Value: ID] = [:]
  /// The values in the memory of each tensor that owns some, without those that nothing reads.
  private var values: [ID: [Value]] = [:]

  /// Sets the form of a value that a tensor has: a blocked image or row-major order.
  mutating func set(_ value: Value, to id: ID, _ tensor: PlannedTensor) {
    if tensor.element != .float32 {
      bytes[value] = id
    } else if tensor.isBlocked {
      blocked[value] = id
    } else {
      plain[value] = id
    }
    values[tensor.root, default: []].append(value)
  }

  /// Whether a value other than `input` in the memory of `root` may still be read, such as a crop,
  /// an operand of a concatenation or a reshape of one pixel.
  ///
  /// Values that are not read are dropped, so that a chain of steps in one memory costs the same
  /// per step however long it is.
  mutating func areRead(
    in root: ID, besides input: Value, _ isRead: (Value) -> Bool
  ) -> Bool {
    values[root]?.removeAll { $0 != input && !isRead($0) }
    return values[root]?.contains { $0 != input } ?? false
  }
}
