import ForgeShapes
import ForgeSystem

/// A function of a window that moves over every axis but the last.
///
/// Operand: a tensor with one axis per number of the window's kernel, and one of channels.
package struct PoolingNDOperation: PrimitiveOperation {
  let window: PoolingWindow

  package var name: String { "poolingND" }
  package var traits: OperationTraits {
    .unweighted(takesActivation: false, keepsElements: false, treatsChannelsAlike: true)
  }

  package func validate(_ operands: [Shape]) throws(ShapeError) { try window.validate() }

  package func outputShape(for operands: [Shape]) throws(ShapeError) -> Shape {
    try window.outputShape(for: operands[0])
  }

  package func workPerElement(for operands: [Shape]) -> Int {
    window.kernel.reduce(1) { $0.multipliedSaturated(by: $1) }
  }

  package func isIdentity(from input: Shape, to output: Shape) -> Bool { false }

  package func reference(_ call: ReferenceCall) -> ReferenceTensor {
    let (input, rank) = (call.input, window.kernel.count)
    return ReferenceTensor(call.output) { index in
      var values: [Double] = []
      var places: [Int] = []
      var padded = 0
      // All taps of the window, the last axis fastest.
      var tap = Array(repeating: 0, count: rank)
      for _ in 0..<window.kernel.reduce(1, *) {
        var source = index
        for axis in 0..<rank {
          source[axis] =
            index[axis] * window.strides[axis] + tap[axis] * window.dilations[axis]
            - window.before[axis]
        }
        let axes = 0..<rank
        if axes.allSatisfy({ (0..<input.sizes[$0]).contains(source[$0]) }) {
          let offset = input.offset(of: source)
          values.append(input.values[offset])
          places.append(offset / (input.sizes.last ?? 1))
        }
        if axes.allSatisfy({ source[$0] < input.sizes[$0] + window.after[$0] }) { padded += 1 }
        for axis in axes.reversed() {
          tap[axis] += 1
          if tap[axis] < window.kernel[axis] { break }
          tap[axis] = 0
        }
      }
      return window.kind.value(of: values, at: places, padded: padded)
    }
  }
}

extension PoolingNDKind {
  /// The result for the values of a window inside the tensor; 0 for none.
  ///
  /// - Parameters:
  ///   - values: the values inside.
  ///   - places: their places in the tensor.
  ///   - padded: the taps inside the tensor and its padding.
  /// - Returns: the result.
  fileprivate func value(of values: [Double], at places: [Int], padded: Int) -> Double {
    guard let first = values.first else { return 0 }
    switch self {
    case .maximum: return values.dropFirst().reduce(first, BinaryOperator.maximum.value)
    case .maximumPlace:
      let largest = values.indices.reduce(0) { best, index in
        values[index] > values[best] || (values[index].isNaN && !values[best].isNaN) ? index : best
      }
      return Double(places[largest])
    case .averageInside: return values.reduce(0, +) / Double(values.count)
    case .averageAll: return values.reduce(0, +) / Double(padded)
    case .lp(let p):
      return pow(values.reduce(0) { $0 + pow(abs($1), Double(p)) }, 1 / Double(p))
    }
  }
}
