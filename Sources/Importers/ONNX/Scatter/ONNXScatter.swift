import Forge

/// Values that are put into a tensor at stated or computed places: `ScatterND`, `ScatterElements`
/// and the older `Scatter`.
///
/// Known values are computed while importing. Others become ``ScatterElements`` and
/// ``ScatterRows``, which apply the updates in the order of the file: of several updates of one
/// place the last one stays, as in ONNX Runtime. A place that the data does not have is an error of
/// the import or of the prediction.
enum ONNXScatter {
  /// What a node does with the element that is there.
  ///
  /// - Throws: ``NodeFailure`` for a word that ONNX does not have.
  static func combination(of node: FileNode) throws -> ScatterCombination {
    switch node.string("reduction", "none") {
    case "none": return .replace
    case "add": return .add
    case "mul": return .multiply
    case "max": return .maximum
    case "min": return .minimum
    case let word: throw NodeFailure.invalid("reduction \"\(word)\"")
    }
  }

  /// Checks the types.
  ///
  /// - Throws: ``NodeFailure``.
  static func check(_ call: ONNXCall, _ combination: ScatterCombination) throws {
    let (data, updates) = (try call.value(0), try call.value(2))
    guard data.type == updates.type else {
      throw NodeFailure.invalid("updates of \(updates.type.rawValue) for \(data.type.rawValue)")
    }
    guard combination == .replace || data.type != .bool else {
      throw NodeFailure.unsupported(
        "reduction \"\(call.node.string("reduction", "none"))\" of bool")
    }
  }

  /// The 8-bit integers as which sums wrap around; `nil` if they have another type.
  ///
  /// - Throws: ``NodeFailure`` for sums and products of integers that Float32 may not hold.
  static func wrappedType(
    _ call: ONNXCall, _ combination: ScatterCombination
  ) throws -> ElementType? {
    guard combination == .add || combination == .multiply else { return nil }
    let updates = try call.value(2)
    let count = updates.sizes.reduce(1) { $0.multipliedSaturated(by: $1) }
    // The sums of this many integers of 8 bits are exact.
    if combination == .add, updates.type.isNarrowInteger, count < 1 << 16 { return updates.type }
    try call.refuseIntegers()
    return nil
  }

  /// The bound of integers: data and updates are moved, compared, summed or multiplied.
  static let bound = ONNXIntegerBounds.Rule { call, bounds in
    guard bounds.count == 3, let data = bounds[0], let updates = bounds[2] else { return nil }
    let count = try call.value(2).sizes.reduce(1) { $0.multipliedSaturated(by: $1) }
    switch try combination(of: call.node) {
    case .replace, .maximum, .minimum: return max(data, updates)
    case .add: return data.addingSaturated(count.multipliedSaturated(by: updates))
    case .multiply where updates <= 1: return data
    case .multiply: return count == 1 ? data.multipliedSaturated(by: updates) : nil
    }
  }

  /// What an `Expand` before places repeats: the layer repeats it itself.
  static func unrepeated(_ places: FileTensor) -> FileTensor {
    guard places.layout == FileTensor.fileLayout(places.sizes),
      case .layer(let layer) = places.tensor.source, layer is Expand,
      let before = places.tensor.inputs.first, let sizes = before.shape?.sizes,
      sizes.count == places.rank
    else { return places }
    return FileTensor(before, sizes: sizes, layout: places.layout, type: places.type)
  }
}
