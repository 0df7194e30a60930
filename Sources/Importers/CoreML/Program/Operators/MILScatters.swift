import Forge

extension MILOperators {
  /// Updates put into tensors.
  static let scatters: [String: Operation] = [
    "scatter": { call in
      let mode = try call.scatterMode()
      call.set(
        try call.scatteredEntries(
          try call.value("data"), at: try call.value("indices"), try call.value("updates"),
          axis: try call.int("axis", 0), mode))
    },
    "scatter_along_axis": { call in
      let mode = try call.scatterMode()
      call.set(
        try call.scatteredElements(
          try call.value("data"), at: try call.value("indices"), try call.value("updates"),
          axis: try call.int("axis", 0), mode))
    },
    "scatter_nd": { call in
      let mode = try call.scatterMode()
      call.set(
        try call.scatteredSlices(
          try call.value("data"), at: try call.value("indices"), try call.value("updates"), mode))
    },
  ]
}

extension MILCall {
  /// What is done with the elements that updates meet; by default they are added.
  fileprivate func scatterMode() throws -> CoreMLScatterMode {
    try CoreMLScatterMode(name: try text("mode", "add"))
  }
}
