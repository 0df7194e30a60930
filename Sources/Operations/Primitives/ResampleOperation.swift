import ForgeShapes

/// A tensor resampled along some of its axes, one after the other.
///
/// Operand: any tensor.
package struct ResampleOperation: PrimitiveOperation {
  let resampling: Resampling

  package var name: String { "resample" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: false)
  }

  package func validate(_ operands: [Shape]) {}

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try resampling.outputShape(for: operands[0])
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    // The elements of the input that one of the output is made of, at most all of them.
    let output = (try? outputShape(for: operands))?.sizes ?? []
    return zip(operands[0].sizes ?? [], output).reduce(1) { work, size in
      work.multipliedSaturated(by: size.0 > size.1 ? 4 * (size.0 / max(size.1, 1) + 1) : 4)
    }
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool {
    guard let from = input.sizes, let to = output.sizes else { return false }
    return from.indices.allSatisfy {
      resampling.keeps(axis: $0, input: from[$0], output: to[$0])
    }
  }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    var result = call.input
    for axis in call.output.indices {
      let source = result
      var sizes = source.sizes
      guard !resampling.keeps(axis: axis, input: sizes[axis], output: call.output[axis]) else {
        continue
      }
      let spans = resampling.spans(axis: axis, input: sizes[axis], output: call.output[axis])
      sizes[axis] = call.output[axis]
      result = ReferenceTensor(sizes) { index in
        let span = spans[index[axis]]
        var position = index
        return span.weights.enumerated().reduce(0) { sum, tap in
          position[axis] = span.first + tap.offset
          return sum + tap.element * source.values[source.offset(of: position)]
        }
      }
    }
    return result
  }
}
