import Forge

extension LayerCase {
  /// The layers of general graphs that choose, repeat, compare and rank elements.
  static let general = [
    LayerCase(
      "Identity", networks: ["": { x, _, _ in x --> Identity() --> Activation(.tanh) }]
    ) { a in [Identity(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Slice",
      networks: [
        "of rows": { x, _, _ in
          x --> Slice(starts: [-1], ends: [1 << 40], axes: [0])
            --> PointwiseConvolution(channels: 3)
        },
        "backwards": { x, _, _ in
          x
            --> Slice(
              starts: [-1, -1], ends: [-1 << 40, -1 << 40], axes: [1, 2], steps: [-1, -2])
        },
      ]
    ) { a in
      [
        Slice(
          starts: [a.n], ends: [a.n], axes: [a.n], steps: [a.n], name: a.name, fileID: a.fileID,
          line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Gather",
      networks: [
        "of channels": { x, c, _ in x --> Gather(indices: [0, -1, c / 2], axis: -1) },
        "of rows": { x, _, _ in x --> Gather(indices: [0, 0, -1], axis: 0) --> Softmax() },
      ]
    ) { a in
      [
        Gather(
          indices: [a.n], axis: a.n, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "GatherRows",
      networks: [
        "of places": { x, _, _ in
          let places = x --> Reduce(.maximum, axes: [2]) --> Compare(.greater, than: [1e9])
          return [x, places] --> GatherRows()
        }
      ]
    ) { a in
      [GatherRows(axis: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "GatherElements", summary: "GatherElem",
      networks: [
        "in order": { x, _, _ in
          [x, x --> TopK(count: 1, output: .indices)] --> GatherElements(axis: -1)
        }
      ]
    ) { a in
      [GatherElements(axis: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "ScatterRows", summary: "ScatRows",
      networks: [
        "of rows twice": { x, _, _ in
          let places = x --> Reduce(.maximum, axes: [1, 2]) --> Compare(.greater, than: [1e9])
          return [x, places, x --> Unary(.negate)] --> ScatterRows(combination: .add)
        },
        "of channels": { x, c, _ in
          let places =
            x --> GlobalMaxPooling() --> Reshape(to: [c]) --> TopK(count: 1, output: .indices)
          let updates = x --> Slice(starts: [0], ends: [1], axes: [2]) --> Unary(.negate)
          return [x, places, updates] --> ScatterRows(axis: 2)
        },
      ]
    ) { a in
      [
        ScatterRows(
          axis: a.n, combination: .maximum, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "ScatterElements", summary: "ScatElem",
      networks: [
        "of the largest": { x, _, _ in
          let places = x --> TopK(count: 1, output: .indices)
          let updates = x --> TopK(count: 1) --> Unary(.negate)
          return [x, places, updates] --> ScatterElements(axis: -1, combination: .minimum)
        },
        "of one pixel": { x, _, _ in
          let pixel = x --> Slice(starts: [0, 0], ends: [1, 1], axes: [0, 1])
          let places = pixel --> Compare(.greater, than: [1e9])
          return [x, places, pixel --> Unary(.negate)]
            --> ScatterElements(axis: 1, combination: .multiply)
        },
      ]
    ) { a in
      [
        ScatterElements(
          axis: a.n, combination: .add, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "Expand",
      networks: [
        "of a mean": { x, c, n in
          x --> GlobalAveragePooling() --> Expand(to: [3, n, 1])
            --> PointwiseConvolution(channels: 5)
        },
        "to another rank": { x, c, n in
          x --> GlobalMaxPooling() --> Reshape(to: [c, 1]) --> Expand(to: [2, 1, 3])
        },
      ]
    ) { a in
      [Expand(to: [a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "Tile", networks: ["of all axes": { x, _, _ in x --> Tile([2, 1, 3]) }]
    ) { a in
      [
        Tile(
          [a.n, a.n, a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Squeeze",
      networks: ["of a pixel": { x, _, _ in x --> GlobalAveragePooling() --> Squeeze(axes: [0]) }]
    ) { a in
      [Squeeze(axes: [a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "ExpandDims",
      networks: ["inside": { x, _, _ in x --> ExpandDims(axes: [1, -1]) --> Activation(.tanh) }]
    ) { a in
      [ExpandDims(axes: [a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "Pad",
      networks: [
        "with zeros": { x, _, n in
          x --> Pad(before: [1, 2, 0], after: [0, 1, 0])
            --> Convolution(kernel: (3, 2), channels: n, padding: .valid)
        },
        "with a number": { x, _, _ in
          x --> Pad(before: [0, 1, 2], after: [1, 0, 3], mode: .constant(2))
        },
        "with edges": { x, _, _ in x --> Pad(before: [1, 0, 0], after: [2, 3, 1], mode: .edge) },
        "from the other end": { x, _, _ in
          x --> Pad(before: [2, 1, 0], after: [1, 0, 1], mode: .wrap)
        },
      ]
    ) { a in
      [
        Pad(
          before: [a.n, 0, 0], after: [0, a.n, 0], mode: .constant(a.x), name: a.name,
          fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Unary",
      networks: [
        "of any number": { x, _, _ in
          let parts = [
            UnaryFunction.absolute, .negate, .sign, .square, .exponential, .errorFunction, .sine,
            .cosine, .arctangent, .hyperbolicSine, .hyperbolicArcsine, .softsign, .logicalNot,
            .isNonzero, .isNaN, .isInfinite(positive: true, negative: false),
            .thresholdedReLU(alpha: 0.1), .scaledELU(alpha: 1.6, gamma: 1.1), .celu(alpha: 0.7),
            .swish(beta: 1.3), .shrink(bias: 0.1, lambda: 0.2), .scaledTanh(alpha: 2, beta: 0.5),
            .parametricSoftplus(alpha: 0.5, beta: 2), .roundToFloat16, .roundToBFloat16,
          ].map { x --> Unary($0) }
          return Concatenate(parts)
        },
        "of positive numbers": { x, _, _ in
          let y = x --> Unary(.absolute) --> Scale(1, bias: 1.25)
          let parts = [
            UnaryFunction.reciprocal, .squareRoot, .reciprocalSquareRoot, .logarithm,
            .hyperbolicArccosine,
          ].map { y --> Unary($0) }
          return Concatenate(parts)
        },
        "of a sine": { x, _, _ in
          let y = x --> Unary(.sine) --> Scale(0.9)
          let parts = [
            UnaryFunction.arcsine, .arccosine, .hyperbolicArctangent, .tangent, .hyperbolicCosine,
          ].map { y --> Unary($0) }
          return Concatenate(parts)
        },
      ]
    ) { a in
      [Unary(.celu(alpha: a.x), name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "Divide",
      networks: [
        "by a norm": { x, _, _ in
          [x, x --> Unary(.absolute) --> Scale(1, bias: 1)] --> Divide()
        },
        "by a number": { x, _, _ in x --> Divide(by: [3]) --> PointwiseConvolution(channels: 3) },
      ]
    ) { a in
      [
        Divide(name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        Divide(by: [a.x], name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "Power",
      networks: [
        "of a square": { x, _, _ in x --> Power(of: [2]) },
        "of two": { x, _, _ in [x --> Unary(.absolute) --> Scale(1, bias: 0.5), x] --> Power() },
      ]
    ) { a in
      [Power(of: [a.x], name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "Remainder",
      networks: [
        // Whole numbers, because rounding before a division may change its remainder by all of it.
        "of numbers": { x, _, _ in
          let whole = x --> Scale(8) --> Unary(.round)
          return [
            whole --> Remainder(.ofDivisor, by: [3]), whole --> Remainder(.ofDividend, by: [3]),
          ]
            --> Add()
        }
      ]
    ) { a in
      [
        Remainder(
          .ofDivisor, by: [a.x], name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Compare",
      networks: [
        "each way": { x, _, _ in
          let ways: [Comparison] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
          ]
          return Concatenate(ways.map { x --> Compare($0, than: [0.25]) })
        },
        "of tensors": { x, _, _ in [x, x --> Activation(.relu)] --> Compare(.equal) },
      ]
    ) { a in
      [
        Compare(
          .less, than: [a.x], name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Logical",
      networks: [
        "of signs": { x, _, _ in
          let (a, b) = (x --> Activation(.relu), x --> Compare(.less, than: [0.5]))
          let ways: [LogicalOperation] = [.and, .or, .xor]
          return Concatenate(ways.map { [a, b] --> Logical($0) })
        }
      ]
    ) { a in [Logical(.and, name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Where",
      networks: [
        "of a mean": { x, _, _ in
          [x --> Compare(.greater, than: [0]), x, x --> GlobalAveragePooling()] --> Where()
        },
        "of a number": { x, _, _ in
          let (condition, number) = (x --> Compare(.less, than: [0.5]), Constant([-0.75]))
          return [condition, x, number] --> Where() --> PointwiseConvolution(channels: 3)
        },
      ]
    ) { a in [Where(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Reduce",
      networks: [
        "of channels": { x, _, _ in
          let kinds: [Reduction] = [
            .sum, .mean, .maximum, .minimum, .l1, .l2, .sumOfSquares, .logSumExp,
          ]
          return Concatenate(kinds.map { x --> Reduce($0, axes: [-1], keepsDimensions: true) })
        },
        "of rows": { x, _, n in
          x --> Reduce(.sum, axes: [0], keepsDimensions: true) --> PointwiseConvolution(channels: n)
        },
        "of an image": { x, c, _ in
          let y = x --> Reduce(.mean, axes: [0, 1])
          return [y, x --> Unary(.absolute) --> Reduce(.logSum, axes: [1, 0])] --> Add()
        },
        "of all": { x, _, _ in
          x --> Scale(0.1, bias: 1) --> Reduce(.product, axes: [2]) --> Reduce(.maximum)
        },
      ]
    ) { a in
      [
        Reduce(
          .sum, axes: [a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "ArgMax",
      networks: [
        "of channels": { x, _, _ in x --> ArgMax(axis: -1, keepsDimensions: true) },
        "of rows": { x, _, _ in x --> Activation(.relu) --> ArgMax(axis: 0, selectsLast: true) },
      ]
    ) { a in
      [ArgMax(axis: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "ArgMin", networks: ["of columns": { x, _, _ in x --> Activation(.relu) --> ArgMin(axis: 1) }]
    ) { a in
      [ArgMin(axis: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "TopK",
      networks: [
        "of channels": { x, c, _ in
          [x --> TopK(count: c), x --> TopK(count: c, output: .indices)] --> Add()
        },
        "of rows": { x, _, _ in x --> Activation(.relu) --> TopK(count: 1, axis: 0, largest: false)
        },
      ]
    ) { a in
      [TopK(count: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "TreeEnsemble", summary: "Trees",
      networks: [
        "of channels": { x, c, n in x --> TreeEnsemble(trees(features: c, targets: n), targets: n)
        },
        "smallest": { x, c, _ in
          x --> TreeEnsemble(trees(features: c, targets: 1), aggregate: .minimum, base: [0.5])
        },
      ]
    ) { a in
      let tree = DecisionTree(
        nodes: [.question(feature: a.n, .less, a.x, yes: 1, no: a.n), .leaf],
        votes: [.init(node: 1, target: a.n, weight: a.x)])
      return [
        TreeEnsemble(
          [tree], targets: a.n, base: [a.x], name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "CumulativeSum", summary: "CumSum",
      networks: [
        "of columns": { x, _, _ in x --> CumulativeSum(axis: 1) },
        "of channels": { x, _, _ in x --> CumulativeSum(axis: -1, exclusive: true, reversed: true)
        },
      ]
    ) { a in
      [CumulativeSum(axis: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
  ]
}

/// Trees of two questions each, every comparison among them, that read all features and vote for
/// all targets.
private func trees(features: Int, targets: Int) -> [DecisionTree] {
  let comparisons: [Comparison] = [
    .lessOrEqual, .less, .greater, .greaterOrEqual, .equal, .notEqual,
  ]
  return (0..<max(features, targets)).map { number in
    let (feature, target) = (number % features, number % targets)
    return DecisionTree(
      nodes: [
        .question(
          feature: feature, comparisons[number % comparisons.count], 0.125, yes: 1, no: 2,
          nanIsYes: number.isMultiple(of: 2)),
        .question(feature: (feature + 1) % features, .lessOrEqual, -0.25, yes: 3, no: 4),
        .leaf, .leaf, .leaf,
      ],
      votes: [
        .init(node: 2, target: target, weight: 0.75), .init(node: 3, target: target, weight: -1.5),
        .init(node: 4, target: target, weight: 0.375),
        .init(node: 4, target: (target + 1) % targets, weight: 2),
      ])
  }
}
