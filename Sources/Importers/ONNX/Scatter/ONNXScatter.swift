import Forge

/// Values that are put into a tensor at stated or computed places: `ScatterND`, `ScatterElements`
/// and the older `Scatter`.
///
/// Known values are computed while importing. At places that are known, the results are gathered
/// from the data and the updates; see ``ONNXScatterGather``. At places that a prediction computes,
/// each place of the result is compared with all of them; see ``ONNXScatterCompare``. Of several
/// updates at one place the last one stays, as in ONNX Runtime. A place that the data does not have
/// is an error of the import or of the prediction.
enum ONNXScatter {
  /// What becomes of the element that is there.
  enum Combination: String {
    case none, add, mul, max, min

    /// What a node states.
    ///
    /// - Throws: ``NodeFailure`` for a word that ONNX does not have.
    init(_ node: FileNode) throws {
      let word = node.string("reduction", "none")
      guard let known = Combination(rawValue: word) else {
        throw NodeFailure.invalid("reduction \"\(word)\"")
      }
      self = known
    }

    /// The number that changes nothing.
    var neutral: Float {
      switch self {
      case .none, .add: 0
      case .mul: 1
      case .max: -.infinity
      case .min: .infinity
      }
    }

    /// How several updates become one; `nil` if one replaces the other.
    var reduction: Reduction? {
      switch self {
      case .none: nil
      case .add: .sum
      case .mul: .product
      case .max: .maximum
      case .min: .minimum
      }
    }
  }

  /// Checks the types, and that integers are combined exactly.
  ///
  /// - Throws: ``NodeFailure``.
  static func check(_ call: ONNXCall, _ combination: Combination) throws {
    let (data, updates) = (try call.value(0), try call.value(2))
    guard data.type == updates.type else {
      throw NodeFailure.invalid("updates of \(updates.type.rawValue) for \(data.type.rawValue)")
    }
    guard combination == .none || data.type != .bool else {
      throw NodeFailure.unsupported("reduction \"\(combination.rawValue)\" of bool")
    }
  }

  /// The bound of integers: data and updates are moved, compared or summed.
  static let bound = ONNXIntegerBounds.Rule { call, bounds in
    guard bounds.count == 3, let data = bounds[0], let updates = bounds[2] else { return nil }
    switch try Combination(call.node) {
    case .none, .max, .min: return Swift.max(data, updates)
    case .add:
      let count = try call.value(2).sizes.reduce(1) { $0.multipliedSaturated(by: $1) }
      return data.addingSaturated(count.multipliedSaturated(by: updates))
    case .mul: return nil
    }
  }

  /// Combines two tensors of the network of equal sizes.
  static func combined(
    _ call: ONNXCall, _ combination: Combination, _ data: Tensor, _ updates: Tensor
  ) throws -> Tensor {
    switch combination {
    case .none: updates
    case .add: try call.apply(Add(name: call.layerName), to: data, updates)
    case .mul: try call.apply(Multiply(name: call.layerName), to: data, updates)
    case .max: try call.apply(Maximum(name: call.layerName), to: data, updates)
    case .min: try call.apply(Minimum(name: call.layerName), to: data, updates)
    }
  }
}
