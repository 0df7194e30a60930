/// A parameter of a model whose values cannot be read.
struct UnreadableParameter: Error {
  /// The index of the parameter in its store.
  let index: Int
  /// What the source has thrown.
  let cause: any Error
}
