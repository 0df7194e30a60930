import Forge

extension LayerCase {
  /// The layers that multiply matrices.
  static let products = [
    LayerCase(
      "MatMul",
      networks: [
        "of rows": { x, c, n in
          let a = x --> PointwiseConvolution(channels: n)
          return [x, a] --> MatMul(transposeA: true)
        },
        "with a transposed factor": { x, _, _ in [x, x] --> MatMul(transposeB: true) },
        "of a batch and one matrix": { x, c, n in
          let matrix = x --> GlobalAveragePooling() --> Reshape(to: [c, 1])
          return [x, matrix] --> MatMul() --> Activation(.tanh)
        },
      ]
    ) { a in
      [MatMul(name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "LastAxisDense", summary: "AxisDense",
      networks: [
        "of pixels": { x, _, n in x --> LastAxisDense(neurons: n, activation: .relu) },
        "of a sequence": { x, c, n in
          x --> Reshape(to: [-1, c]) --> LastAxisDense(neurons: n, activation: .geluTanh)
            --> LastAxisDense(neurons: 3, useBias: false)
        },
        "of four axes": { x, c, n in
          x --> Reshape(to: [1, -1, 1, c]) --> LastAxisDense(neurons: n) --> Softmax()
        },
      ]
    ) { a in
      [
        LastAxisDense(
          neurons: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
  ]
}
