import Forge

extension LayerCase {
  /// The layers that keep the shape of what they read.
  static let elementwise = [
    LayerCase(
      "BatchNormalization", summary: "BatchNorm",
      networks: [
        "and an activation": { x, _, _ in x --> BatchNormalization() --> Activation(.hardSwish) },
        "of a convolution": { x, _, n in
          x --> Convolution(kernel: (3, 3), channels: n) --> BatchNormalization(epsilon: 1e-5)
        },
      ],
      decode: { layer, _ in
        BatchNormalization(
          epsilon: Float(try layer.number("epsilon")), center: try layer.flag("useBeta"),
          scale: try layer.flag("useGamma"), name: layer.name)
      }
    ) { a in
      [
        BatchNormalization(
          epsilon: a.x, scale: false, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "Scale", networks: ["": { x, _, _ in x --> Scale(by: [1.5], bias: [-0.25]) }],
      decode: { layer, _ in
        Scale(by: try layer.numbers("scale"), bias: try layer.numbers("bias"), name: layer.name)
      }
    ) { a in
      [
        Scale(
          by: [a.x], bias: [a.x, a.x, a.x], name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "Activation",
      networks: [
        "of each kind": { x, _, _ in
          // No layer before them takes a function over.
          functions.map { x --> Dropout(rate: 0) --> Activation($0) } --> Add()
        }
      ],
      decode: { layer, _ in Activation(try layer.activation(), name: layer.name) }
    ) { a in
      [Activation(a.function, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "PReLU",
      networks: [
        "per channel": { x, _, _ in x --> PReLU() },
        "per element": { x, _, _ in x --> PReLU(shared: []) },
        "per row": { x, _, _ in x --> PReLU(shared: [.width, .channels]) },
      ],
      decode: { layer, _ in
        guard !layer.has("shared") else {
          let axes = try layer.texts("shared").compactMap { Axis(rawValue: $0) }
          return PReLU(shared: Set(axes), name: layer.name)
        }
        let shared: Set<Axis> =
          switch try layer.text("slopesPer") {
          case "channel": [.time, .height, .width]
          case "element": []
          default: [.time, .height, .width, .channels]
          }
        return PReLU(shared: shared, name: layer.name)
      }
    ) { a in
      [
        PReLU(name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        PReLU(shared: [], name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "Softmax", networks: ["": { x, _, _ in x --> Softmax() }],
      decode: { layer, _ in Softmax(name: layer.name) }
    ) { a in [Softmax(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "LogSoftmax", networks: ["": { x, _, _ in x --> LogSoftmax() }],
      decode: { layer, _ in LogSoftmax(name: layer.name) }
    ) { a in [LogSoftmax(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Add",
      networks: [
        "residual": { x, c, _ in
          [x, x --> Convolution(kernel: (3, 3), channels: c)] --> Add() --> Activation(.relu)
        }
      ],
      decode: { layer, _ in Add(constant: try layer.constant(), name: layer.name) }
    ) { a in
      [
        Add(constant: [a.x], name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        Add(name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "Subtract",
      networks: [
        "extremes": { x, c, _ in
          let y = x --> PointwiseConvolution(channels: c)
          let z = x --> GlobalMaxPooling()
          let extremes = [[x, y] --> Maximum(), [x, z] --> Minimum()] --> Subtract()
          return [extremes, x, z] --> Average() --> Add(constant: [0.125])
        }
      ],
      decode: { layer, _ in Subtract(constant: try layer.constant(), name: layer.name) }
    ) { a in [Subtract(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Multiply",
      networks: [
        "squeeze and excitation": { x, c, _ in
          [x, x --> GlobalAveragePooling() --> Dense(neurons: c, activation: .sigmoid)]
            --> Multiply()
        },
        "one channel spread over all": { x, _, _ in
          [x, x --> PointwiseConvolution(channels: 1, activation: .sigmoid)] --> Multiply()
        },
      ],
      decode: { layer, _ in Multiply(constant: try layer.constant(), name: layer.name) }
    ) { a in [Multiply(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Maximum",
      networks: ["of a sum": { x, _, _ in [x, x --> Activation(.tanh)] --> Maximum() }],
      decode: { layer, _ in Maximum(constant: try layer.constant(), name: layer.name) }
    ) { a in [Maximum(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Minimum",
      networks: ["with a row": { x, _, _ in [x, x --> GlobalMaxPooling()] --> Minimum() }],
      decode: { layer, _ in Minimum(constant: try layer.constant(), name: layer.name) }
    ) { a in [Minimum(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Average",
      networks: ["of three": { x, _, _ in [x, x --> Activation(.relu), x] --> Average() }],
      decode: { layer, _ in Average(name: layer.name) }
    ) { a in [Average(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
  ]
}

extension FixtureLayer {
  fileprivate func constant() throws -> [Float]? {
    has("constant") ? try numbers("constant") : nil
  }
}
