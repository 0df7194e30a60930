import Forge

/// The layer `Masking`: it hides positions all of whose channels have one value.
enum KerasMasking {
  static let classes: [KerasClass] = [
    .masking("Masking", build: masking)
  ]

  private static func masking(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let value = try layer.config.number("mask_value", default: 0)
    return .one { call throws(KerasFault) in
      let input = try call.only()
      guard input.rank == 2 else {
        throw .unsupported("\(input.rank) axes besides the batch")
      }
      let differs = try call.apply(Compare(.notEqual, than: [value]), to: input.tensor)
      let mask = try call.apply(Reduce(.maximum, axes: [-1]), to: differs)
      let column = try KerasMask.column(mask, call)
      let result = try call.apply(Multiply(name: call.name), to: input.tensor, column)
      return KerasTensor(tensor: result, rank: 2, mask: mask)
    }
  }
}
