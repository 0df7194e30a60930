import Forge

/// Optional values, which are there or not as soon as the graph is read.
extension ONNXOperators {
  /// The operators of optional values.
  static let options: [ONNXOperator] = [
    ONNXOperator(
      "OptionalHasElement",
      import: { call in
        call.set(.host(HostTensor(integers: [call.has(0) ? 1 : 0], sizes: [], type: .bool)))
      }, fold: .none, bounds: nil, length: .followed, sizes: .none, examples: .mixed),
    .elementwise(
      "OptionalGetElement", import: { $0.set(try $0.value(0)) },
      fold: .known(ONNXFolding.identity), bounds: .same, sizes: .moved { _ in true }),
  ]
}
