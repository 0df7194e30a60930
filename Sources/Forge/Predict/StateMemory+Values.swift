import ForgeOperations
import ForgeShapes

extension StateMemory {
  /// The values of a state of an example with their sizes.
  func tensor(_ state: Int, example: Int) -> TensorValues {
    TensorValues(shape: Shape(sizes: sizes[state]), values: Array(values(state, example: example)))
  }

  /// Sets a state of an example.
  func set(
    _ state: Int, name: String, to values: [Float], example: Int
  ) throws(PredictionError) {
    let target = self.values(state, example: example)
    guard values.count == target.count else {
      throw .wrongState(
        name, received: ShapeError.counted(values.count, "value"),
        needs: ShapeError.counted(target.count, "value")
          + ": \(sizes[state].map(String.init).joined(separator: "×"))")
    }
    _ = target.update(fromContentsOf: values)
  }

  /// All states of an example.
  func saved(names: [String], example: Int) -> SavedState {
    SavedState(names: names, values: sizes.indices.map { tensor($0, example: example) })
  }

  /// Sets all states of an example to saved ones.
  func restore(
    _ saved: SavedState, names: [String], example: Int
  ) throws(PredictionError) {
    let shapes = sizes.map { Shape(sizes: $0) }
    guard saved.names == names, saved.values.map(\.shape) == shapes else {
      throw .otherState(
        received: SavedState.text(saved.names, saved.values.map(\.shape)),
        needs: SavedState.text(names, shapes))
    }
    for (index, tensor) in saved.values.enumerated() {
      _ = values(index, example: example).update(fromContentsOf: tensor.values)
    }
  }
}
