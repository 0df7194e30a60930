import ForgeShapes

/// Values less their mean over their deviation, or over their norm; then scaled and shifted.
///
/// Operands: a tensor (an image for groups), and except for unit length, constants gamma
/// and beta (both or none): one per element of the last axes, or one per channel.
package struct NormalizeOperation: PrimitiveOperation {
  let rule: Normalization

  package var name: String { rule.kind == .unitLength ? "unitLength" : "normalize" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 1...3, multiplyAdds: .onePerElement, isLinear: false, addsResidual: false,
      takesActivation: false,
      packsOperands: true, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let input = operands[0]
    try ArgumentRule.require(
      rule.epsilon.isFinite && rule.epsilon >= 0, "epsilon", "\(rule.epsilon)",
      needs: "a finite number of at least 0")
    let needed: Int?
    switch rule.extent {
    case .lastAxes(let count):
      try ArgumentRule.require(
        (1...max(input.rank, 1)).contains(count), "axes", "\(count)",
        needs: "1 to \(input.rank) axes")
      let sizes = try ArgumentRule.known(
        Shape(input.dimensions.suffix(count)), "known sizes of the normalized axes")
      needed = Shape.product(of: sizes)
    case .groups(let groups):
      try ArgumentRule.require(
        rule.kind == .standard, "kind", "\(rule.kind)", needs: "standard, for groups")
      try ArgumentRule.positive(groups, "groups")
      let channels = try ArgumentRule.channels(of: input)
      try GroupRule.divides(groups, input: channels, output: groups)
      needed = channels
    }
    guard operands.count != 2, operands.count == 1 || rule.kind != .unitLength else {
      throw .wrongInputCount(operands.count, needs: "both gamma and beta, or neither")
    }
    for (index, operand) in operands.enumerated().dropFirst()
    where operand.elementCount == nil || operand.elementCount != needed {
      throw operandSize(index, operand, needs: needed.map(String.init) ?? "fewer values")
    }
  }

  package func outputShape(for operands: [Shape]) -> Shape { operands[0] }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    let input = call.input
    var result = input
    let sets = try sets(input)
    for set in sets {
      let values = set.map { input.values[$0] }
      let (center, divisor) = centerAndDivisor(values)
      for (offset, value) in zip(set, values) { result.values[offset] = (value - center) / divisor }
    }
    guard call.operands.count == 3 else { return result }
    let (gamma, beta) = (call.operands[1].values, call.operands[2].values)
    guard !gamma.isEmpty, gamma.count == beta.count else {
      throw .wrongElementCount("betas", beta.count, sizes: [gamma.count])
    }
    // Both extents repeat their gammas from the front of the memory on.
    for offset in result.values.indices {
      let parameter = offset % gamma.count
      result.values[offset] = result.values[offset] * gamma[parameter] + beta[parameter]
    }
    return result
  }

  /// The places of the values that are taken together.
  private func sets(_ input: ReferenceTensor) throws(ReferenceError) -> [[Int]] {
    switch rule.extent {
    case .lastAxes(let count):
      let columns = max(input.sizes.suffix(count).reduce(1, *), 1)
      return stride(from: 0, to: input.count, by: columns).map { Array($0..<$0 + columns) }
    case .groups(let groups):
      let channels = input.lastSize
      do {
        try ArgumentRule.positive(groups, "groups")
        try GroupRule.divides(groups, input: channels, output: groups)
      } catch { throw .shape(error) }
      let members = channels / groups
      return (0..<groups).map { group in
        (0..<input.count).filter { $0 % channels / members == group }
      }
    }
  }

  /// The number subtracted from values and the number they are divided by.
  private func centerAndDivisor(_ values: [Double]) -> (center: Double, divisor: Double) {
    if rule.kind == .unitLength {
      let norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
      // NaN for a NaN.
      return (0, norm < Double(rule.epsilon) ? Double(rule.epsilon) : norm)
    }
    let count = Double(values.count)
    if rule.kind == .rootMeanSquare {
      let mean = values.reduce(0) { $0 + $1 * $1 } / count
      return (0, (mean + Double(rule.epsilon)).squareRoot())
    }
    let mean = values.reduce(0, +) / count
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    return (mean, (variance + Double(rule.epsilon)).squareRoot())
  }
}

extension NormalizeOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    guard case .lastAxes(let count) = rule.extent,
      (part.ranges.count - count..<part.ranges.count).allSatisfy({
        part.coversAll(along: $0, of: operands[0])
      })
    else { return nil }
    return PartialComputation(
      nil, [part] + operands.dropFirst().map { TensorPart(allOf: $0) })
  }
}
