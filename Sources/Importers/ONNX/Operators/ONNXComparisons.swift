import Forge

extension ONNXOperators {
  /// Comparisons, operations on Booleans, and choices by them.
  static let comparisons: [ONNXOperator] = [
    comparison(
      "Equal", .equal, fold: ONNXFolding.compare({ $0 == $1 }, { $0 == $1 }),
      sizes: ONNXLengthFolding.compared { $0 == 0 }),
    comparison(
      "Less", .less, fold: ONNXFolding.compare({ $0 < $1 }, { $0 < $1 }),
      sizes: ONNXLengthFolding.compared { $0 < 0 }),
    comparison(
      "LessOrEqual", .lessOrEqual, fold: ONNXFolding.compare({ $0 <= $1 }, { $0 <= $1 }),
      sizes: ONNXLengthFolding.compared { $0 <= 0 }),
    comparison(
      "Greater", .greater, fold: ONNXFolding.compare({ $0 > $1 }, { $0 > $1 }),
      sizes: ONNXLengthFolding.compared { $0 > 0 }),
    comparison(
      "GreaterOrEqual", .greaterOrEqual, fold: ONNXFolding.compare({ $0 >= $1 }, { $0 >= $1 }),
      sizes: ONNXLengthFolding.compared { $0 >= 0 }),
    logical(
      "And", .and, fold: ONNXFolding.compare({ ($0 != 0) && ($1 != 0) }, { ($0 != 0) && ($1 != 0) })
    ),
    logical(
      "Or", .or, fold: ONNXFolding.compare({ ($0 != 0) || ($1 != 0) }, { ($0 != 0) || ($1 != 0) })),
    logical(
      "Xor", .xor, fold: ONNXFolding.compare({ ($0 != 0) != ($1 != 0) }, { ($0 != 0) != ($1 != 0) })
    ),
    .elementwise(
      "Where", import: choose, fold: .known(ONNXFolding.choose), bounds: .chosen,
      sizes: .moved { $0 > 0 }),
  ]

  private static func comparison(
    _ type: String, _ comparison: Comparison, fold: @escaping ONNXFolding.Fold,
    sizes: @escaping ONNXLengthFolding.Rule
  ) -> ONNXOperator {
    .elementwise(
      type, import: { try combine(&$0, type: .bool) { Compare(comparison, name: $0) } },
      fold: .known(fold), bounds: nil, sizes: .computed(sizes))
  }

  private static func logical(
    _ type: String, _ operation: LogicalOperation, fold: @escaping ONNXFolding.Fold
  ) -> ONNXOperator {
    .elementwise(
      type, import: { try combine(&$0, type: .bool) { Logical(operation, name: $0) } },
      fold: .known(fold), bounds: nil, sizes: .none)
  }

  private static func choose(_ call: inout ONNXCall) throws {
    let layout = try commonLayout(call)
    let tensors = try (0..<3).map { try operand(call, $0, layout) }
    let result = try call.apply(Where(), to: tensors)
    set(&call, result, layout, type: try call.value(1).type)
  }
}
