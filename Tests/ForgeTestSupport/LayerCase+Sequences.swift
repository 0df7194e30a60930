import Forge

extension LayerCase {
  /// The layers of sequences.
  static let sequences = [
    LayerCase(
      "Convolution1D", summary: "Conv1D",
      networks: [
        "in two paddings": { x, c, n in
          [Padding1D.same, .causal].map { padding in
            x --> Reshape(to: [-1, c]) --> Convolution1D(kernel: 3, channels: n, padding: padding)
          } --> Add()
        }
      ]
    ) { a in
      [
        Convolution1D(
          kernel: a.n, channels: a.n, stride: a.n, dilation: a.n, padding: .causal, groups: a.n,
          name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        Convolution1D(
          kernel: 1, channels: 2, padding: .explicit(before: a.n, after: a.n), name: a.name,
          fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "DepthwiseConvolution1D", summary: "DwConv1D",
      networks: [
        "": { x, c, _ in
          x --> Reshape(to: [-1, c])
            --> DepthwiseConvolution1D(kernel: 3, multiplier: 2, activation: .tanh)
        }
      ]
    ) { a in
      [
        DepthwiseConvolution1D(
          kernel: a.n, stride: a.n, dilation: a.n, padding: .explicit(before: a.n, after: a.n),
          multiplier: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "SeparableConvolution1D", summary: "SepConv1D",
      networks: [
        "": { x, c, n in
          x --> Reshape(to: [-1, c]) --> SeparableConvolution1D(kernel: 3, channels: n)
        }
      ]
    ) { a in
      [
        SeparableConvolution1D(
          kernel: a.n, channels: a.n, multiplier: a.n, stride: a.n, dilation: a.n, padding: .causal,
          name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "TransposedConvolution1D", summary: "TransCnv1D",
      networks: [
        "": { x, c, n in
          x --> Reshape(to: [-1, c]) --> TransposedConvolution1D(kernel: 4, channels: n, stride: 3)
        }
      ]
    ) { a in
      [
        TransposedConvolution1D(
          kernel: a.n, channels: a.n, stride: a.n, dilation: a.n,
          padding: .explicit(before: a.n, after: a.n), outputPadding: a.n, groups: a.n,
          name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        TransposedConvolution1D(
          kernel: a.n, channels: 2, padding: .valid, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
      ]
    },
    LayerCase(
      "MaxPooling1D", summary: "MaxPool1D",
      networks: [
        "": { x, c, _ in
          x --> Reshape(to: [-1, c]) --> MaxPooling1D(kernel: 3, stride: 2, padding: .same)
        }
      ]
    ) { a in
      [
        MaxPooling1D(
          kernel: a.n, stride: a.n, padding: .explicit(before: a.n, after: a.n), dilation: a.n,
          rounding: .ceiling, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "GlobalMaxPooling1D", summary: "GlbMaxPl1D",
      networks: [
        "": { x, c, _ in x --> Reshape(to: [-1, c]) --> GlobalMaxPooling1D() }
      ]
    ) { a in
      [GlobalMaxPooling1D(name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "AveragePooling1D", summary: "AvgPool1D",
      networks: [
        "": { x, c, _ in
          x --> Reshape(to: [-1, c]) --> AveragePooling1D(kernel: 3, stride: 2, padding: .same)
        }
      ]
    ) { a in
      [
        AveragePooling1D(
          kernel: a.n, stride: a.n, padding: .explicit(before: a.n, after: a.n), dilation: a.n,
          rounding: .ceiling, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "GlobalAveragePooling1D", summary: "GlbAvgPl1D",
      networks: [
        "": { x, c, _ in x --> Reshape(to: [-1, c]) --> GlobalAveragePooling1D() }
      ]
    ) { a in
      [GlobalAveragePooling1D(name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
  ]
}
