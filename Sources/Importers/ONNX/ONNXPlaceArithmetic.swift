import Forge

/// Arithmetic on integers that are only read as places along an axis, as in `i + n · (i < 0)`.
///
/// Float32 has whole numbers up to 2²⁴. No table has entries beyond that, so a larger number
/// is a mistake of the caller, whatever it is. Operands beyond a limit become infinite, which no
/// later arithmetic makes a place again: the results of all others are exact, and a prediction with
/// a place outside of its axis ends with an error.
enum ONNXPlaceArithmetic {
  /// The limits that are tried: for sums, and for products of two numbers that are not known.
  private static let limits = [1 << 22, 1 << 12]

  /// Limits the operands of a node whose results are places, and sets the bound of its results;
  /// leaves a node as it is whose results would have none.
  ///
  /// - Parameters:
  ///   - call: the node.
  ///   - uses: who reads its results.
  ///   - known: the bounds of values by name.
  /// - Throws: ``NodeFailure`` and what reading the file throws.
  static func limit(
    _ call: inout ONNXCall, _ uses: ONNXUses, _ known: [String: Int]
  ) throws {
    guard let rule = ONNXOperators.find(call.node)?.bounds, case .computed = rule.places,
      call.node.outputs.allSatisfy({ uses.isPlace($0) })
    else { return }
    let bounds = try ONNXIntegerBounds.bounds(of: call, known)
    let large = call.inputs.enumerated().compactMap { index, input in
      if case .network(let tensor)? = input, tensor.type.isWideInteger {
        (index, tensor)
      } else {
        nil
      }
    }
    for limit in limits {
      let beyond = large.filter { bounds[$0.0].map { $0 > limit } ?? true }
      var limited = bounds
      for (index, _) in beyond { limited[index] = limit }
      guard let bound = try rule.bound(call, limited), bound <= ONNXIntegerBounds.largest else {
        continue
      }
      for (index, tensor) in beyond {
        call.inputs[index] = .network(try Self.limited(call, tensor, to: limit))
      }
      call.integerBound = bound
      return
    }
  }

  /// `x / (|x| < limit)`: numbers from the limit on become infinite.
  private static func limited(
    _ call: ONNXCall, _ input: FileTensor, to limit: Int
  ) throws -> FileTensor {
    let magnitude = try call.apply(Unary(.absolute), to: input.tensor)
    let isSmall = try call.apply(Compare(.less, than: [Float(limit)]), to: magnitude)
    return FileTensor(
      try call.apply(Divide(), to: input.tensor, isSmall), sizes: input.sizes,
      layout: input.layout, type: input.type)
  }
}
