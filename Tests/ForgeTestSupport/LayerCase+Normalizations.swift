import Forge

extension LayerCase {
  /// The layers of transposed windows, normalizations, moved pixels, resampling and boxes.
  static let normalizations = [
    LayerCase(
      "TransposedConvolution", summary: "TransConv",
      networks: [
        "by 2": { x, _, n in
          x
            --> TransposedConvolution(
              kernel: (2, 2), channels: n, stride: (2, 2), activation: .relu)
        },
        "of any stride": { x, _, n in
          x
            --> TransposedConvolution(
              kernel: (4, 3), channels: n, stride: (3, 2), padding: .valid, activation: .sigmoid)
        },
        "between convolutions": { x, _, n in
          x --> Convolution(kernel: 3, channels: 17)
            --> TransposedConvolution(kernel: (3, 4), channels: n, stride: (2, 2))
            --> Convolution(kernel: 3, channels: 5)
        },
        "in groups": { x, c, _ in
          x --> TransposedConvolution(kernel: (3, 3), channels: c, stride: (2, 2), groups: c)
        },
      ]
    ) { a in
      [
        TransposedConvolution(
          kernel: (a.n, a.n), channels: a.n, stride: (a.n, a.n), dilation: (a.n, a.n),
          padding: .all(a.n), outputPadding: (a.n, a.n), groups: a.n, name: a.name,
          fileID: a.fileID, line: a.line, column: a.column),
        TransposedConvolution(
          kernel: (3, a.n), channels: 2, stride: (2, 2), padding: .valid, name: a.name,
          fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "SeparableConvolution", summary: "SepConv",
      networks: [
        "": { x, _, n in
          x --> SeparableConvolution(kernel: (3, 2), channels: n, multiplier: 2, activation: .relu)
        }
      ]
    ) { a in
      [
        SeparableConvolution(
          kernel: (a.n, a.n), channels: a.n, multiplier: a.n, stride: (a.n, a.n),
          dilation: (a.n, a.n), padding: .all(a.n), name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "PoolingND", summary: "PoolND",
      networks: [
        "in each kind": { x, _, _ in
          [PoolingNDKind.maximum, .averageInside, .averageAll, .lp(p: 2)].map {
            x
              --> PoolingND(
                $0, kernel: [3, 2], strides: [2, 1], before: [1, 0], after: [1, 1],
                rounding: .ceiling)
          } --> Average()
        }
      ]
    ) { a in
      [
        PoolingND(
          .lp(p: a.n), kernel: [a.n, a.n], strides: [a.n, 1], dilations: [a.n, 2],
          before: [a.n, 0], after: [a.n, 1], name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "AdaptiveAveragePooling", summary: "AdaptAvgPl",
      networks: [
        "": { x, _, _ in x --> AdaptiveAveragePooling(width: 5, height: 3) }
      ]
    ) { a in
      [
        AdaptiveAveragePooling(
          width: a.n, height: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "LayerNormalization", summary: "LayerNorm",
      networks: [
        "of channels": { x, _, _ in
          [x --> Multiply(constant: [2]) --> LayerNormalization(epsilon: 0.1), x] --> Add()
        },
        "of images": { x, _, _ in x --> LayerNormalization(axes: [0, 1, 2], epsilon: 0.1) },
        "of rows": { x, _, _ in x --> LayerNormalization(axes: [1], epsilon: 0.1, center: false) },
        "of sequences": { x, c, _ in
          x --> Reshape(to: [-1, c]) --> LayerNormalization(epsilon: 0.1, scale: false)
        },
      ]
    ) { a in
      [
        LayerNormalization(
          axes: [a.n], epsilon: a.x, name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        LayerNormalization(
          axes: [0, 1, 2], name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "GroupNormalization", summary: "GroupNorm",
      networks: [
        "of one group": { x, _, _ in x --> GroupNormalization(groups: 1, epsilon: 0.1) },
        "of sequences": { x, c, _ in
          x --> Reshape(to: [-1, c]) --> GroupNormalization(groups: c, epsilon: 0.1)
        },
      ]
    ) { a in
      [
        GroupNormalization(
          groups: a.n, epsilon: a.x, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "InstanceNormalization", summary: "InstNorm",
      networks: [
        "": { x, _, n in
          x --> Convolution(kernel: 3, channels: n) --> InstanceNormalization(epsilon: 0.1)
            --> Activation(.relu) --> Convolution(kernel: 3, channels: 3)
        }
      ]
    ) { a in
      [
        InstanceNormalization(
          epsilon: a.x, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "LocalResponseNormalization", summary: "LRN",
      networks: [
        "": { x, _, _ in x --> LocalResponseNormalization(size: 5, alpha: 0.5) },
        "of even size": { x, _, _ in
          x --> LocalResponseNormalization(size: 4, alpha: 0.5, beta: 0.6, bias: 2)
        },
      ]
    ) { a in
      [
        LocalResponseNormalization(
          size: a.n, alpha: a.x, beta: a.x, bias: a.x, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "L2Normalize", summary: "L2Norm",
      networks: [
        "of channels": { x, _, _ in x --> L2Normalize() },
        "of columns": { x, _, _ in x --> L2Normalize(axes: [0, -1]) },
      ]
    ) { a in
      [
        L2Normalize(
          axes: [a.n], epsilon: a.x, name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        L2Normalize(
          axes: [0, a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "DepthToSpace", summary: "DepthToSpc",
      networks: [
        "in both orders": { x, _, n in
          [DepthToSpace.Order.depthColumnRow, .columnRowDepth].map {
            x --> PointwiseConvolution(channels: 4 * n) --> DepthToSpace(block: 2, order: $0)
          } --> Add()
        }
      ]
    ) { a in
      [DepthToSpace(block: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "SpaceToDepth", summary: "SpcToDepth",
      networks: [
        "": { x, _, _ in x --> UpSampling(3) --> SpaceToDepth(block: 3) },
        "of Darknet": { x, _, n in
          x --> UpSampling(2) --> PointwiseConvolution(channels: 4 * n)
            --> SpaceToDepth(block: 2, order: .darknet)
        },
      ]
    ) { a in
      [
        SpaceToDepth(block: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        SpaceToDepth(
          block: a.n, order: .darknet, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
      ]
    },
    LayerCase(
      "ChannelShuffle", summary: "ChShuffle",
      networks: [
        "": { x, _, n in x --> PointwiseConvolution(channels: 3 * n) --> ChannelShuffle(groups: 3) }
      ]
    ) { a in
      [ChannelShuffle(groups: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "Resample", summary: "Resample",
      networks: [
        "in each mode": { x, _, _ in
          [ResampleMode.nearest(.floor), .linear, .cubic(coefficient: -0.5)].map {
            x --> Resample(sizes: [5, 7, nil], mode: $0)
          } --> Average()
        },
        "of scales": { x, _, _ in x --> Resample(sizes: [], scales: [1.5, 2, nil], antialias: true)
        },
      ]
    ) { a in
      [
        Resample(
          sizes: [a.n, nil, a.n], scales: [a.x], mode: .cubic(coefficient: a.x), name: a.name,
          fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "NonMaximumSuppression", summary: "NMS",
      networks: [:]
    ) { a in
      [
        NonMaximumSuppression(
          maximumPerClass: a.n, iouThreshold: a.x, scoreThreshold: a.x, name: a.name,
          fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
  ]
}
