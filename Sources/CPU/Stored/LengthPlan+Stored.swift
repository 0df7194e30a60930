import ForgeOperations

extension LengthPlan: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(sizes)
    writer.write(changes)
    writer.write(rounds)
  }

  /// Reads the plan; ``counting(_:)`` adds how tiles are counted.
  init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(
      sizes: try reader.read(), changes: try reader.read(), rounds: try reader.read(),
      countTiles: [])
  }

  /// The plan with the numbers of tiles of each step.
  func counting(_ countTiles: [@Sendable (UnsafeRawPointer) -> Int64]) -> LengthPlan {
    LengthPlan(sizes: sizes, changes: changes, rounds: rounds, countTiles: countTiles)
  }
}

extension LengthPlan.Change: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(step)
    writer.write(word)
    writer.write(value)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(step: try reader.read(), word: try reader.read(), value: try reader.read())
  }
}
