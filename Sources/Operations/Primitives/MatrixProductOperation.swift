import ForgeShapes

/// The products of matrices in two tensors, `y(…, i, j) = Σ a(…, i, k) · b(…, k, j)`.
///
/// The last two axes are the matrices; the axes before them are broadcast as NumPy does.
///
/// Operands: two tensors of at least two axes.
package struct MatrixProductOperation: PrimitiveOperation {
  package var name: String { "matrixProduct" }
  package var traits: OperationTraits {
    OperationTraits(
      operands: 2...2, multiplyAdds: .onePerInnerElement, isLinear: false, addsResidual: false,
      takesActivation: false,
      packsOperands: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    let (a, b) = (operands[0], operands[1])
    for shape in operands where shape.rank < 2 {
      throw ShapeError(
        .shapeMismatch, "a factor is not a matrix", received: shape.description,
        needs: "at least 2 axes")
    }
    let (inner, other) = (a.dimensions[a.rank - 1], b.dimensions[b.rank - 2])
    guard inner == other || inner == nil || other == nil else {
      throw ShapeError(
        .shapeMismatch, "the matrices do not fit",
        received: "\(a.sizeText) times \(b.sizeText) (in memory order)",
        needs: "as many columns on the left as rows on the right")
    }
    var batch: [Int?] = []
    let outer = [a, b].map { $0.dimensions.dropLast(2) }
    if outer.contains(where: { !$0.isEmpty }) {
      batch = try CombinationRule.broadcast(
        outer.map { Shape($0.isEmpty ? [1] : Array($0)) }
      ).dimensions
    }
    return Shape(batch + [a.dimensions[a.rank - 2], b.dimensions[b.rank - 1]])
  }

  package func workPerElement(for operands: [Shape]) -> Int { 1 }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (a, b) = (call.operands[0], call.operands[1])
    let inner = a.sizes[a.sizes.count - 1]
    let batchRank = call.output.count - 2
    func index(_ tensor: ReferenceTensor, _ batch: ArraySlice<Int>, _ matrix: [Int]) -> Int {
      let outer = tensor.sizes.dropLast(2)
      let batchIndex = zip(batch.suffix(outer.count), outer).map { $1 == 1 ? 0 : $0 }
      return tensor.offset(of: batchIndex + matrix)
    }
    return ReferenceTensor(call.output) { position in
      let batch = position[..<batchRank]
      let (i, j) = (position[batchRank], position[batchRank + 1])
      return (0..<inner).reduce(0) { sum, k in
        sum + a.values[index(a, batch, [i, k])] * b.values[index(b, batch, [k, j])]
      }
    }
  }
}

extension MatrixProductOperation: PartialOperation {
  package func computation(of part: TensorPart, from operands: [[Int]]) -> PartialComputation? {
    let (a, b) = (operands[0], operands[1])
    let outer = TensorPart(Array(part.ranges.dropLast(2)))
    func factor(_ sizes: [Int], _ matrix: [Range<Int>]) -> TensorPart {
      TensorPart(outer.broadcast(to: Array(sizes.dropLast(2))).ranges + matrix)
    }
    let (rows, columns) = (part.ranges[part.ranges.count - 2], part.ranges[part.ranges.count - 1])
    return PartialComputation(
      nil,
      [factor(a, [rows, 0..<a[a.count - 1]]), factor(b, [0..<b[b.count - 2], columns])])
  }
}
