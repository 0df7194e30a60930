import ForgeShapes

/// The votes of decision trees for each row, combined for each target.
///
/// Operand: rows of features, which are the last axis of any tensor.
package struct TreeEnsembleOperation: PrimitiveOperation {
  let rule: TreeEnsembleRule

  package var name: String { "treeEnsemble" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) {
    let table = try rule.table.get()
    guard let features = operands[0].dimensions.last ?? nil else {
      throw .unknownSize("a known number of features")
    }
    guard features >= table.featureCount else {
      throw ShapeError(
        .shapeMismatch, "the trees read features that do not exist", received: "\(features)",
        needs: "at least \(table.featureCount)")
    }
  }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try SizeRule.bounded(Shape(operands[0].dimensions.dropLast() + [rule.targets]))
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    // A question is a read, a comparison and a choice.
    let depth = (try? rule.table.get().depth) ?? 0
    return depth.multipliedSaturated(by: 8) / max(rule.targets, 1) + 1
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) throws(ReferenceError) -> ReferenceTensor {
    do throws(ShapeError) { try validate(call.operands.map(\.shape)) } catch {
      throw .shape(error)
    }
    let features = call.input.sizes.last ?? 1
    var result: [Double] = []
    for start in stride(from: 0, to: call.input.count, by: features) {
      result += scores(Array(call.input.values[start..<(start + features)]))
    }
    return ReferenceTensor(unchecked: call.output, result)
  }

  /// The numbers of all targets for a row.
  private func scores(_ row: [Double]) -> [Double] {
    var scores = [Double?](repeating: nil, count: rule.targets)
    for tree in rule.trees {
      let leaf = Self.leaf(of: tree, row)
      for vote in tree.votes where vote.node == leaf {
        let weight = Double(vote.weight)
        guard let score = scores[vote.target] else {
          scores[vote.target] = weight
          continue
        }
        scores[vote.target] =
          switch rule.aggregate {
          case .sum, .average: score + weight
          case .minimum: min(score, weight)
          case .maximum: max(score, weight)
          }
      }
    }
    return scores.enumerated().map { target, score in
      let count = rule.aggregate == .average ? rule.trees.count : 1
      return (score ?? 0) / Double(count) + Double(rule.base.isEmpty ? 0 : rule.base[target])
    }
  }

  /// The leaf that a row reaches.
  private static func leaf(of tree: DecisionTree, _ row: [Double]) -> Int {
    var node = 0
    while case .question(
      let feature, let comparison, let threshold, let yes, let no, let nanIsYes) =
      tree.nodes[node]
    {
      let (value, threshold) = (row[feature], Double(threshold))
      let holds =
        switch comparison {
        case .equal: value == threshold
        case .notEqual: value != threshold
        case .less: value < threshold
        case .lessOrEqual: value <= threshold
        case .greater: value > threshold
        case .greaterOrEqual: value >= threshold
        }
      node = holds || nanIsYes && value.isNaN ? yes : no
    }
    return node
  }
}
