import Forge

/// Operators that differ in few facts.
extension ONNXOperator {
  /// A function of single elements, with broadcasting if it has several inputs: neither examples
  /// nor positions meet in it.
  static func elementwise(
    _ type: String, import: @escaping Import, fold: Fold, bounds: ONNXIntegerBounds.Rule?,
    sizes: Sizes
  ) -> ONNXOperator {
    ONNXOperator(
      type, import: `import`, fold: fold, bounds: bounds, length: .followed, sizes: sizes,
      examples: .apart(ONNXOpenRules.broadcast, uniform: true))
  }

  /// A function of floating-point numbers that only networks compute.
  static func function(_ type: String, import: @escaping Import) -> ONNXOperator {
    elementwise(type, import: `import`, fold: .none, bounds: nil, sizes: .none)
  }

  /// An operator on floating-point numbers that only networks compute, whose import depends on no
  /// size along a sequence.
  static func computed(
    _ type: String, import: @escaping Import, rule: @escaping ONNXOpenRules.Rule
  ) -> ONNXOperator {
    ONNXOperator(
      type, import: `import`, fold: .none, bounds: nil, length: .followed, sizes: .none,
      examples: .apart(rule))
  }

  /// An operator on one tensor whose examples are on the first axis, and whose integers, if it has
  /// any, have no bound.
  static func perExample(
    _ type: String, import: @escaping Import, length: Length
  ) -> ONNXOperator {
    ONNXOperator(
      type, import: `import`, fold: .none, bounds: nil, length: length, sizes: .none,
      examples: .apart(ONNXOpenRules.firstAxis, uniform: true))
  }

  /// A reduction along axes.
  static func reduction(
    _ type: String, import: @escaping Import, fold: @escaping ONNXFolding.Fold
  ) -> ONNXOperator {
    ONNXOperator(
      type, import: `import`, fold: .known(fold), bounds: nil, length: .followed, sizes: .none,
      examples: .apart(ONNXOpenRules.reduced))
  }

  /// A movement of elements, which leaves integers and numbers that follow a length what they are.
  static func movement(
    _ type: String, import: @escaping Import, fold: Fold, length: Length,
    sizes: Sizes, rule: @escaping ONNXOpenRules.Rule, arguments: Set<Int>, target: Int? = nil,
    bounds: ONNXIntegerBounds.Rule = .same
  ) -> ONNXOperator {
    ONNXOperator(
      type, import: `import`, fold: fold, bounds: bounds, length: length, sizes: sizes,
      examples: .apart(rule, arguments: arguments, target: target))
  }

  /// An operator that exists only while importing.
  static func known(
    _ type: String, fold: Fold, length: Length, sizes: Sizes
  ) -> ONNXOperator {
    ONNXOperator(
      type, import: { _ in throw NodeFailure.unsupported("values computed at run time") },
      fold: fold, bounds: nil, length: length, sizes: sizes, examples: .mixed)
  }
}
