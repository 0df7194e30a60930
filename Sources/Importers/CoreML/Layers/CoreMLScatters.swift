import Forge

extension CoreMLLayerType {
  /// Updates put into tensors, and slices at computed places.
  static let scatters: [CoreMLLayerType] = [
    CoreMLLayerType("scatter", field: 935) { call in
      let (axis, mode) = (1, 2)
      let inputs = try call.values(atLeast: 3)
      call.set(
        try call.scatteredEntries(
          inputs[0], at: inputs[1], inputs[2], axis: try call.fields.int(axis),
          try CoreMLScatterMode(number: try call.fields.int(mode))))
    },
    CoreMLLayerType("scatterND", field: 945) { call in
      let mode = 1
      let inputs = try call.values(atLeast: 3)
      call.set(
        try call.scatteredSlices(
          inputs[0], at: inputs[1], inputs[2],
          try CoreMLScatterMode(number: try call.fields.int(mode))))
    },
    CoreMLLayerType("scatterAlongAxis", field: 954) { call in
      let (axis, mode) = (1, 2)
      let inputs = try call.values(atLeast: 3)
      call.set(
        try call.scatteredElements(
          inputs[0], at: inputs[1], inputs[2], axis: try call.fields.int(axis),
          try CoreMLScatterMode(number: try call.fields.int(mode))))
    },
    CoreMLLayerType("gatherND", field: 940) { call in
      try call.map("GatherND", [try call.value(1)])
      try call.keepOneAxis()
    },
  ]
}
