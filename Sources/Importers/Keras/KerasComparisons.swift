import Forge

/// Comparisons and Booleans as operations: 1 for true, 0 for false.
///
/// Keras 3 writes the computation of masks into its files in these.
enum KerasComparisons {
  static let functions: [KerasFunction] = [
    comparison("equal", .equal, swapped: .equal),
    comparison("not_equal", .notEqual, swapped: .notEqual),
    comparison("greater", .greater, swapped: .less),
    comparison("greater_equal", .greaterOrEqual, swapped: .lessOrEqual),
    comparison("less", .less, swapped: .greater),
    comparison("less_equal", .lessOrEqual, swapped: .greaterOrEqual),
    KerasFunction("logical_and", activation: .none, build: binary(.and)),
    KerasFunction("logical_or", activation: .none, build: binary(.or)),
    KerasFunction("logical_xor", activation: .none, build: binary(.xor)),
    KerasFunction("logical_not", activation: .none) { _ throws(KerasFault) in
      .layer { Compare(.equal, than: [0], name: $0.name) }
    },
    KerasFunction("any", "reduce_any", activation: .none, build: reduction(.maximum)),
    KerasFunction("all", "reduce_all", activation: .none, build: reduction(.minimum)),
    KerasFunction("zeros_like", activation: .none) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in try zeros(call, name: call.name) }
    },
    KerasFunction("ones_like", activation: .none) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        let zeros = try zeros(call, name: nil)
        return KerasTensor(
          tensor: try call.apply(Add(constant: [1], name: call.name), to: zeros.tensor),
          rank: zeros.rank)
      }
    },
    KerasFunction("full_like", activation: .none) { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        guard let number = try call.number(call.value("fill_value", at: 1)) else {
          throw .unsupported("no fill_value")
        }
        _ = call.value("dtype", at: 2)
        let zeros = try zeros(call, name: nil, type: nil)
        return KerasTensor(
          tensor: try call.apply(Add(constant: [number], name: call.name), to: zeros.tensor),
          rank: zeros.rank)
      }
    },
  ]

  /// A comparison, and the one that holds when the operands are swapped.
  private static func comparison(
    _ name: String, _ own: Comparison, swapped: Comparison
  ) -> KerasFunction {
    KerasFunction(name, activation: .none) { _ throws(KerasFault) in
      KerasArithmetic.binary { operand, name in
        switch operand {
        case .none: Compare(own, name: name)
        case .second(let numbers): Compare(own, than: numbers, name: name)
        case .first(let numbers): Compare(swapped, than: numbers, name: name)
        }
      }
    }
  }

  private static func binary(_ combination: LogicalOperation) -> KerasFunction.Build {
    { _ throws(KerasFault) in
      KerasArithmetic.binary { operand, name in
        switch operand {
        case .none: Logical(combination, name: name)
        case .first(let numbers), .second(let numbers):
          Logical(combination, with: numbers, name: name)
        }
      }
    }
  }

  /// Whether any or all elements along axes are true.
  private static func reduction(_ kind: Reduction) -> KerasFunction.Build {
    { _ throws(KerasFault) in
      .one { call throws(KerasFault) in
        let input = try call.only()
        let isTrue = try call.apply(Compare(.notEqual, than: [0]), to: input.tensor)
        let truths = KerasTensor(tensor: isTrue, rank: input.rank)
        return try KerasReductions.reduced(
          kind, call.with(inputs: [truths], name: call.name))
      }
    }
  }

  /// Zeros of the size of a tensor, even where the tensor is NaN.
  private static func zeros(
    _ call: KerasCall, name: String?, type position: Int? = 1
  ) throws(KerasFault) -> KerasTensor {
    let input = try call.only()
    // What they are stored as changes nothing.
    _ = call.value("dtype", at: position)
    return KerasTensor(
      tensor: try call.apply(Compare(.less, name: name), to: input.tensor, input.tensor),
      rank: input.rank)
  }
}
