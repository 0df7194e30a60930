import Forge

extension CoreMLLayerType {
  /// Reductions and selections along axes.
  static let reductions: [CoreMLLayerType] = [
    CoreMLLayerType("reduce", field: 280, reduceImage),
    reduction("reduceL1", field: 1250, "ReduceL1"), reduction("reduceL2", field: 1255, "ReduceL2"),
    reduction("reduceMax", field: 1260, "ReduceMax"),
    reduction("reduceMin", field: 1265, "ReduceMin"),
    reduction("reduceSum", field: 1270, "ReduceSum"),
    reduction("reduceProd", field: 1275, "ReduceProd"),
    reduction("reduceMean", field: 1280, "ReduceMean"),
    reduction("reduceLogSum", field: 1285, "ReduceLogSum"),
    reduction("reduceSumSquare", field: 1290, "ReduceSumSquare"),
    reduction("reduceLogSumExp", field: 1295, "ReduceLogSumExp"),
    extreme("argMin", field: 1020, "ArgMin"), extreme("argMax", field: 1025, "ArgMax"),
    // Values and places are the outputs.
    CoreMLLayerType("topK", field: 1015) { call in
      let (axis, count, smallest) = (1, 2, 3)
      guard call.inputs.count == 1 else { throw NodeFailure.unsupported("K computed at run time") }
      let results = try call.nodes(
        "TopK", [try call.value(), .integers([try call.size(count)])],
        [
          "axis": .int(try call.fields.int(axis)),
          "largest": .flag(try !call.fields.bool(smallest)),
        ], outputs: 2)
      for (index, result) in results.enumerated() { call.set(result, output: index) }
    },
    CoreMLLayerType("argSort", field: 1461) { call in
      let (axisField, descending) = (1, 2)
      let input = try call.value()
      let axis = try call.axis(axisField, rank: input.sizes.count)
      let parts = try call.nodes(
        "TopK", [input, .integers([input.sizes[axis]])],
        ["axis": .int(axis), "largest": .flag(try call.fields.bool(descending))], outputs: 2)
      call.set(parts[1])
    },
    CoreMLLayerType("cumSum", field: 1455) { call in
      let (axis, exclusive, reverse) = (1, 2, 3)
      guard call.inputs.count == 1 else {
        throw NodeFailure.unsupported("an axis computed at run time")
      }
      try call.map(
        "CumSum", [.integers([try call.fields.int(axis)])],
        [
          "exclusive": .flag(try call.fields.bool(exclusive)),
          "reverse": .flag(try call.fields.bool(reverse)),
        ])
    },
    gather("gather", field: 930, "Gather"),
    gather("gatherAlongAxis", field: 952, "GatherElements"),
  ]

  /// The layer `reduce` of channels, height and width, which keeps the axes.
  private static func reduceImage(_ call: inout CoreMLCall) throws {
    let (modeField, epsilon, axisField) = (1, 2, 3)
    let choices = [[1, 2, 3], [2, 3], [1], [2], [3]]
    let choice = try call.fields.int(axisField)
    guard choices.indices.contains(choice) else { throw NodeFailure.unsupported("axis \(choice)") }
    let mode = try call.fields.int(modeField)
    let types = [
      "ReduceSum", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare", "ReduceL1",
      "ReduceL2", "ReduceMax", "ReduceMin",
    ]
    if mode == types.count {
      guard choices[choice].count == 1 else {
        throw NodeFailure.unsupported("ARGMAX of several axes")
      }
      return try call.mapImage("ArgMax", [], ["axis": .int(choices[choice][0])])
    }
    guard types.indices.contains(mode) else { throw NodeFailure.unsupported("mode \(mode)") }
    var input = try call.image()
    if mode == 3 {
      // `Σ ln(x + epsilon)`
      input = try call.node("Log", [try affine(&call, input, 1, try call.epsilon(epsilon))])
    }
    try call.set(
      image: try call.node(types[mode], [input], ["axes": .ints(choices[choice])]))
  }

  /// A later reduction of any axes.
  private static func reduction(_ name: String, field: Int, _ type: String) -> CoreMLLayerType {
    CoreMLLayerType(name, field: field) { call in
      let (axesField, keeps, reducesAll) = (1, 2, 3)
      let rank = try call.value().sizes.count
      let stated = try call.fields.ints(axesField)
      let axes =
        try call.fields.bool(reducesAll) || stated.isEmpty
        ? Array(0..<rank) : try CoreMLCall.axes(stated, rank: rank)
      try call.map(
        type, [], ["axes": .ints(axes), "keepdims": .flag(try call.fields.bool(keeps))])
      try call.keepOneAxis()
    }
  }

  /// The place of the largest or smallest value along an axis.
  private static func extreme(_ name: String, field: Int, _ type: String) -> CoreMLLayerType {
    CoreMLLayerType(name, field: field) { call in
      let (axis, removes) = (1, 2)
      try call.map(
        type, [],
        [
          "axis": .int(try call.fields.int(axis)),
          "keepdims": .flag(try !call.fields.bool(removes)),
        ])
      try call.keepOneAxis()
    }
  }

  /// Entries of an axis whose places are computed.
  private static func gather(_ name: String, field: Int, _ type: String) -> CoreMLLayerType {
    CoreMLLayerType(name, field: field) { call in
      guard call.inputs.count == 2 else { throw NodeFailure.invalid("\(call.inputs.count) inputs") }
      try call.map(type, [try call.value(1)], ["axis": .int(try call.fields.int(1))])
    }
  }
}
