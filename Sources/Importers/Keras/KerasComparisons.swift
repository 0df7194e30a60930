import Forge

/// Comparisons and truth values as operations: 1 for true, 0 for false.
///
/// Keras 3 writes the computation of masks into its files in these.
enum KerasComparisons {
  static let makers: [String: KerasOperations.Maker] = {
    var makers: [String: KerasOperations.Maker] = [
      "logical_not": { _ throws(KerasFault) in
        .layer { Compare(.equal, than: [0], name: $0.name) }
      },
      "any": reduction(.maximum), "reduce_any": reduction(.maximum),
      "all": reduction(.minimum), "reduce_all": reduction(.minimum),
      "zeros_like": { _ throws(KerasFault) in
        .one { call throws(KerasFault) in try zeros(call, name: call.name) }
      },
      "ones_like": { _ throws(KerasFault) in
        .one { call throws(KerasFault) in
          let zeros = try zeros(call, name: nil)
          return KerasTensor(
            tensor: try call.apply(Add(constant: [1], name: call.name), to: zeros.tensor),
            rank: zeros.rank)
        }
      },
    ]
    for (name, comparison) in comparisons { makers[name] = binary(comparison) }
    for (name, combination) in combinations { makers[name] = binary(combination) }
    return makers
  }()

  /// A comparison, and the one that holds when the operands are swapped.
  private static let comparisons: [String: (own: Comparison, swapped: Comparison)] = [
    "equal": (.equal, .equal), "not_equal": (.notEqual, .notEqual),
    "greater": (.greater, .less), "greater_equal": (.greaterOrEqual, .lessOrEqual),
    "less": (.less, .greater), "less_equal": (.lessOrEqual, .greaterOrEqual),
  ]

  private static let combinations: [String: LogicalOperation] = [
    "logical_and": .and, "logical_or": .or, "logical_xor": .xor,
  ]

  private static func binary(
    _ comparison: (own: Comparison, swapped: Comparison)
  ) -> KerasOperations.Maker {
    { _ throws(KerasFault) in
      KerasArithmetic.binary { operand, name in
        switch operand {
        case .none: Compare(comparison.own, name: name)
        case .second(let numbers): Compare(comparison.own, than: numbers, name: name)
        case .first(let numbers): Compare(comparison.swapped, than: numbers, name: name)
        }
      }
    }
  }

  private static func binary(_ combination: LogicalOperation) -> KerasOperations.Maker {
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
  private static func reduction(_ kind: Reduction) -> KerasOperations.Maker {
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

  /// Zeros of the size of a tensor, also where that is not a number.
  private static func zeros(_ call: KerasCall, name: String?) throws(KerasFault) -> KerasTensor {
    let input = try call.only()
    // What they are stored as changes nothing.
    _ = call.value("dtype", at: 1)
    return KerasTensor(
      tensor: try call.apply(Compare(.less, name: name), to: input.tensor, input.tensor),
      rank: input.rank)
  }
}
