import Forge

extension LayerCase {
  /// The layers that move, cut, join or resample what they read, and those of colors.
  static let rearrangements = [
    LayerCase(
      "Concatenate", summary: "Concat",
      networks: [
        "of blocks": { x, _, _ in
          let a = x --> PointwiseConvolution(channels: 16)
          let b = x --> Convolution(kernel: (3, 3), channels: 32)
          return Concatenate([a, b, x]) --> Convolution(kernel: (2, 2), channels: 3)
        },
        "of any channels": { x, _, n in
          let a = x --> PointwiseConvolution(channels: n)
          return Concatenate([x, a, x]) --> Convolution(kernel: (3, 1), channels: 5)
        },
        "of rows and columns": { x, _, _ in
          let rows = Concatenate([x, x --> Activation(.tanh)], axis: 0)
          return Concatenate([rows, rows --> Activation(.relu)], axis: 1)
        },
      ],
      decode: { layer, _ in
        ForgeLayers.Concatenate(axis: try layer.count("axis"), name: layer.name)
      }
    ) { a in
      [
        ForgeLayers.Concatenate(
          axis: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Flatten", networks: ["": { x, _, _ in x --> Flatten() --> Activation(.tanh) }],
      decode: { layer, _ in Flatten(name: layer.name) }
    ) { a in [Flatten(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Reshape",
      networks: [
        "to other ranks": { x, c, _ in
          x --> Reshape(to: [-1, c]) --> Softmax() --> BatchNormalization()
            --> Activation(.swish) --> Permute(order: [1, 0]) --> PReLU(shared: [])
        }
      ],
      decode: { layer, _ in Reshape(to: try layer.counts("shape"), name: layer.name) }
    ) { a in
      [
        Reshape(to: [a.n, -1], name: a.name, fileID: a.fileID, line: a.line, column: a.column),
        Reshape(
          width: a.n, height: a.n, channels: a.n, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column),
      ]
    },
    LayerCase(
      "Permute",
      networks: [
        "and back": { x, _, _ in
          x --> Permute(order: [2, 0, 1]) --> Convolution(kernel: (2, 2), channels: 4)
            --> Permute(order: [1, 2, 0])
        }
      ],
      decode: { layer, _ in Permute(order: try layer.counts("order"), name: layer.name) }
    ) { a in
      [
        Permute(
          order: [a.n, 0, 1], name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "ZeroPadding", summary: "ZeroPad",
      networks: [
        "in a chain": { x, _, n in
          x --> ZeroPadding(top: 2, left: 1, bottom: 0, right: 3)
            --> AveragePooling(kernel: (2, 2), stride: (1, 1))
            --> ZeroPadding(1) --> Convolution(kernel: (3, 3), channels: n, padding: .valid)
        }
      ],
      decode: { layer, _ in
        let edges = try layer.edges("padding")
        return ZeroPadding(
          top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right,
          name: layer.name)
      }
    ) { a in
      [
        ZeroPadding(
          top: a.n, left: a.n, bottom: a.n, right: a.n, name: a.name, fileID: a.fileID,
          line: a.line, column: a.column),
        ZeroPadding(a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "Cropping", summary: "Crop",
      networks: [
        "in a chain": { x, _, n in
          x --> ZeroPadding(2) --> Activation(.sigmoid)
            --> Crop(top: 1, left: 2, bottom: 2, right: 1)
            --> Convolution(kernel: (3, 3), channels: n)
        }
      ],
      decode: { layer, _ in
        let edges = try layer.edges("cropping")
        return Crop(
          top: edges.top, left: edges.left, bottom: edges.bottom, right: edges.right,
          name: layer.name)
      }
    ) { a in
      [
        Crop(
          top: a.n, left: a.n, bottom: a.n, right: a.n, name: a.name, fileID: a.fileID,
          line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Resize",
      networks: [
        "in each mode": { x, _, _ in
          let modes = [ResizeMode.nearest, .bilinear, .bilinearAntialiased]
          return modes.map { x --> Resize(width: 5, height: 7, mode: $0) } --> Average()
        }
      ],
      decode: { layer, _ in
        Resize(
          width: try layer.count("width"), height: try layer.count("height"),
          mode: try layer.resizeMode(), name: layer.name)
      }
    ) { a in
      [
        Resize(
          width: a.n, height: a.n, name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "UpSampling",
      networks: [
        "in two modes": { x, _, _ in
          let nearest = x --> UpSampling(size: (2, 3))
          return [nearest, x --> UpSampling(size: (2, 3), mode: .bilinear)] --> Add()
        }
      ],
      decode: { layer, _ in
        UpSampling(
          size: try layer.pair("size"), mode: try layer.resizeMode(), name: layer.name)
      }
    ) { a in
      [
        UpSampling(
          size: (a.n, a.n), name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "SubtractMeanColor", summary: "SubMean", networks: [:],
      decode: { layer, _ in
        let mean = try layer.meanColor()
        return SubtractMeanColor(
          red: mean[0], green: mean[1], blue: mean[2], name: layer.name)
      }
    ) { a in
      [
        SubtractMeanColor(
          red: a.x, green: a.x, blue: a.x, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "SwapRedBlue", summary: "SwapRB", networks: [:],
      decode: { layer, _ in SwapRedBlue(name: layer.name) }
    ) { a in [SwapRedBlue(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Grayscale", networks: [:], decode: { layer, _ in Grayscale(name: layer.name) }
    ) { a in [Grayscale(name: a.name, fileID: a.fileID, line: a.line, column: a.column)] },
    LayerCase(
      "Dropout", networks: ["": { x, _, _ in x --> Dropout(rate: 0.5) }],
      decode: { layer, _ in Dropout(rate: Float(try layer.number("rate")), name: layer.name) }
    ) { a in
      [Dropout(rate: a.x, name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase("Constant", networks: [:]) { a in
      [
        ForgeLayers.Constant(
          [a.x], shape: Shape(width: a.n, height: a.n, channels: a.n), name: a.name,
          fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Custom",
      networks: [
        "twice": { x, _, n in
          x --> reversal() --> Convolution(kernel: (3, 3), channels: n) --> reversal()
        }
      ]
    ) { a in
      [
        Custom(
          shape: { $0[0] }, name: a.name, body: { _, _ in }, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    // A user's own layers follow.
    LayerCase(
      "GatherChannels",
      networks: [
        "in reverse order": { x, c, _ in x --> GatherChannels(order: Array((0..<c).reversed())) }
      ],
      decode: { layer, _ in GatherChannels(order: try layer.counts("order"), name: layer.name) }
    ) { a in
      [
        GatherChannels(
          order: [a.n], name: a.name, fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "ChannelShuffle", summary: "GatherChannels", networks: [:],
      decode: { layer, channels in
        let groups = try layer.count("groups")
        let order = (0..<channels).map { $0 % groups * (channels / groups) + $0 / groups }
        return GatherChannels(order: order, name: layer.name)
      }
    ) { _ in [] },
  ]
}

/// A layer as a user writes one: channels in another order.
public struct GatherChannels: Layer {
  /// The name.
  public let name: String?
  /// The place in source.
  public let place: SourcePlace
  let order: [Int]

  /// Creates a layer whose channel i is channel `order[i]` of its input.
  public init(
    order: [Int], name: String? = nil, fileID: String = #fileID, line: Int = #line,
    column: Int = #column
  ) {
    self.order = order
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Lowers the layer.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(.gatherChannels(order), to: lowering.inputs)
  }
}

/// A user's own arithmetic: the elements in reverse order, halved.
public func reversal(name: String? = nil) -> Custom {
  Custom(shape: { $0[0] }, name: name) { inputs, output in
    for index in output.indices { output[index] = inputs[0][output.count - 1 - index] / 2 }
  }
}
