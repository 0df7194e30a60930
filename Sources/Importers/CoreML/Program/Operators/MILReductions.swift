import Forge

extension MILOperators {
  /// Sums, means and the like along axes, and the places of the largest elements.
  static let reductions: [String: Operation] = {
    var table: [String: Operation] = [
      "topk": { call in
        let axis = try call.int("axis", -1)
        let parts = try call.nodes(
          "TopK", [try call.value(), .integers([try call.int("k", 1)])],
          [
            "axis": .int(axis), "largest": .flag(!(try call.bool("ascending", false))),
            "sorted": .flag(try call.bool("sort", true)),
          ], outputs: 2)
        call.set(parts[0])
        call.set(parts[1], output: 1)
      },
      "argsort": { call in
        let input = try call.value()
        let axis = try ONNXCall.axis(try call.int("axis", -1), rank: input.sizes.count)
        let parts = try call.nodes(
          "TopK", [input, .integers([input.sizes[axis]])],
          ["axis": .int(axis), "largest": .flag(!(try call.bool("ascending", false)))], outputs: 2)
        call.set(parts[1])
      },
      "cumsum": { call in
        let inputs = [try call.value(), .integers([try call.int("axis", 0)])]
        let attributes: [String: NodeAttribute] = [
          "exclusive": .flag(try call.bool("exclusive", false)),
          "reverse": .flag(try call.bool("reverse", false)),
        ]
        call.set(try call.node("CumSum", inputs, attributes))
      },
    ]
    let names = [
      "reduce_sum": "ReduceSum", "reduce_mean": "ReduceMean", "reduce_max": "ReduceMax",
      "reduce_min": "ReduceMin", "reduce_prod": "ReduceProd", "reduce_l1_norm": "ReduceL1",
      "reduce_l2_norm": "ReduceL2", "reduce_sum_square": "ReduceSumSquare",
      "reduce_log_sum": "ReduceLogSum", "reduce_log_sum_exp": "ReduceLogSumExp",
    ]
    for (name, type) in names {
      table[name] = { call in
        var attributes: [String: NodeAttribute] = [
          "keepdims": .flag(try call.bool("keep_dims", false))
        ]
        if let axes = try call.ints("axes") { attributes["axes"] = .ints(axes) }
        try call.map(type, attributes)
      }
    }
    for (name, type) in ["reduce_argmax": "ArgMax", "reduce_argmin": "ArgMin"] {
      table[name] = { call in
        let keeps = try call.bool("keep_dims", false)
        try call.map(type, ["axis": .int(try call.int("axis", -1)), "keepdims": .flag(keeps)])
      }
    }
    return table
  }()
}
