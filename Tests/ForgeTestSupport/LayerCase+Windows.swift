import Forge

extension LayerCase {
  /// The layers that slide a window over an image, and the dense layer.
  static let windows = [
    LayerCase(
      "Convolution", summary: "Conv",
      networks: [
        "3×3": { x, _, n in x --> Convolution(kernel: (3, 3), channels: n) },
        "5×2, stride 2×3": { x, _, n in
          x --> Convolution(kernel: (5, 2), channels: n, stride: (2, 3), activation: .relu)
        },
        "3×1, dilation 2×1": { x, _, n in
          x --> Convolution(kernel: (3, 1), channels: n, dilation: (2, 1), useBias: false)
        },
        "with padding on each edge": { x, _, n in
          x
            --> Convolution(
              kernel: (2, 4), channels: n,
              padding: .explicit(top: 3, left: 1, bottom: 2, right: 4), activation: .tanh)
        },
        "in groups": { x, c, _ in
          let groups = (1...c).filter { c.isMultiple(of: $0) }.dropLast().last ?? 1
          return x --> Convolution(kernel: (3, 3), channels: 2 * groups, groups: groups)
        },
        "in groups of whole blocks": { x, _, n in
          x --> PointwiseConvolution(channels: 32)
            --> Convolution(
              kernel: (3, 3), channels: 64, stride: (2, 1), groups: 2, activation: .swish)
            --> BatchNormalization() --> Convolution(kernel: (1, 1), channels: 48, groups: 1)
        },
      ],
      decode: { layer, _ in
        Convolution(
          kernel: try layer.pair("kernel"), channels: try layer.count("channels"),
          stride: try layer.step("stride"), dilation: try layer.step("dilation"),
          padding: try layer.padding(), groups: try layer.count("groups"),
          activation: try layer.activation(), useBias: try layer.flag("useBias"),
          name: layer.name)
      }
    ) { a in
      [
        Convolution(
          kernel: (a.n, a.n), channels: a.n, stride: (a.n, a.n), dilation: (a.n, a.n),
          padding: a.edges, groups: a.n, activation: a.function, name: a.name, fileID: a.fileID,
          line: a.line, column: a.column),
        Convolution(
          kernel: (a.n, a.n), channels: a.n, padding: .same, name: a.name, fileID: a.fileID,
          line: a.line, column: a.column),
      ]
    },
    LayerCase(
      "DepthwiseConvolution", summary: "DepthwConv",
      networks: [
        "3×3": { x, _, _ in x --> DepthwiseConvolution(kernel: (3, 3), activation: .relu6) },
        "3×3, stride 2": { x, _, _ in
          x --> DepthwiseConvolution(kernel: (3, 3), stride: (2, 2))
        },
        "2×5, dilation 3×2": { x, _, _ in
          x --> DepthwiseConvolution(kernel: (2, 5), dilation: (3, 2), activation: .swish)
        },
        "multiplier 3": { x, _, _ in
          x --> DepthwiseConvolution(kernel: (3, 2), multiplier: 3, useBias: false)
        },
      ],
      decode: { layer, _ in
        DepthwiseConvolution(
          kernel: try layer.pair("kernel"), stride: try layer.step("stride"),
          dilation: try layer.step("dilation"), padding: try layer.padding(),
          multiplier: try layer.count("multiplier"), activation: try layer.activation(),
          useBias: try layer.flag("useBias"), name: layer.name)
      }
    ) { a in
      [
        DepthwiseConvolution(
          kernel: (a.n, a.n), stride: (a.n, a.n), dilation: (a.n, a.n), padding: a.edges,
          multiplier: a.n, activation: a.function, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "PointwiseConvolution", summary: "PointwConv",
      networks: [
        "stride 3": { x, _, n in
          x --> PointwiseConvolution(channels: n, stride: (3, 3), activation: .gelu)
        },
        "plain": { x, _, n in x --> PointwiseConvolution(channels: n) },
      ],
      decode: { layer, _ in
        PointwiseConvolution(
          channels: try layer.count("channels"), stride: try layer.step("stride"),
          activation: try layer.activation(), useBias: try layer.flag("useBias"),
          name: layer.name)
      }
    ) { a in
      [
        PointwiseConvolution(
          channels: a.n, stride: (a.n, a.n), activation: a.function, name: a.name,
          fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "Dense",
      networks: [
        "of an image": { x, _, n in x --> Dense(neurons: n, activation: .softplus) },
        "flattened": { x, _, n in x --> Flatten() --> Dense(neurons: n) },
      ],
      decode: { layer, _ in
        Dense(
          neurons: try layer.count("neurons"), activation: try layer.activation(),
          useBias: try layer.flag("useBias"), name: layer.name)
      }
    ) { a in
      [
        Dense(
          neurons: a.n, activation: a.function, name: a.name, fileID: a.fileID, line: a.line,
          column: a.column)
      ]
    },
    LayerCase(
      "MaxPooling", summary: "MaxPool",
      networks: [
        "3×2": { x, _, _ in
          x --> MaxPooling(kernel: (3, 2), stride: (1, 2), padding: .same)
        }
      ],
      decode: { layer, _ in try layer.pooling(.maximum) }
    ) { a in
      [
        MaxPooling(
          kernel: (a.n, a.n), stride: (a.n, a.n), padding: a.edges, name: a.name,
          fileID: a.fileID, line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "AveragePooling", summary: "AvgPool",
      networks: [
        "inside 2×3": { x, _, _ in
          x --> AveragePooling(kernel: (2, 3), stride: (2, 1), padding: .same)
        },
        "counted 3×3": { x, _, _ in
          x
            --> AveragePooling(
              kernel: (3, 3), stride: (1, 1),
              padding: .explicit(top: 1, left: 2, bottom: 2, right: 1), border: .counted)
        },
      ],
      decode: { layer, _ in
        try layer.pooling(try layer.text("border") == "counted" ? .averageAll : .averageInside)
      }
    ) { a in
      [
        AveragePooling(
          kernel: (a.n, a.n), padding: .same, border: .counted, name: a.name, fileID: a.fileID,
          line: a.line, column: a.column)
      ]
    },
    LayerCase(
      "GlobalAveragePooling", summary: "GlbAvgPool",
      networks: ["": { x, _, _ in x --> GlobalAveragePooling() }],
      decode: { layer, _ in GlobalAveragePooling(name: layer.name) }
    ) { a in
      [GlobalAveragePooling(name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
    LayerCase(
      "GlobalMaxPooling", summary: "GlbMaxPool",
      networks: ["": { x, _, _ in x --> GlobalMaxPooling() }],
      decode: { layer, _ in GlobalMaxPooling(name: layer.name) }
    ) { a in
      [GlobalMaxPooling(name: a.name, fileID: a.fileID, line: a.line, column: a.column)]
    },
  ]
}

extension LayerCase.Arguments {
  var edges: Padding { .explicit(top: n, left: n, bottom: n, right: n) }
  var function: ActivationFunction { .clipped(minimum: x, maximum: x) }
}

extension FixtureLayer {
  fileprivate func pooling(_ kind: PoolingKind) throws -> any Layer {
    let geometry = try geometry()
    guard geometry.dilation == .one else { return DilatedPooling(kind, geometry, name: name) }
    let kernel = try pair("kernel")
    let (stride, padding) = (try step("stride"), try padding())
    switch kind {
    case .maximum:
      return MaxPooling(kernel: kernel, stride: stride, padding: padding, name: name)
    case .averageInside:
      return AveragePooling(kernel: kernel, stride: stride, padding: padding, name: name)
    case .averageAll:
      return AveragePooling(
        kernel: kernel, stride: stride, padding: padding, border: .counted, name: name)
    }
  }

  func pair(_ name: String) throws -> (width: Int, height: Int) {
    let size = try size(name)
    return (size.width, size.height)
  }

  fileprivate func step(_ name: String) throws -> (x: Int, y: Int) {
    let size = try size(name)
    return (size.width, size.height)
  }
}

/// A pooling whose taps lie apart, which Forge's own layers do not offer.
private struct DilatedPooling: Layer {
  let name: String?
  let place: SourcePlace
  let kind: PoolingKind
  let geometry: ConvolutionGeometry

  init(
    _ kind: PoolingKind, _ geometry: ConvolutionGeometry, name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.kind = kind
    self.geometry = geometry
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  func lower(into lowering: inout Lowering) throws(ShapeError) {
    lowering.output = try lowering.apply(.pooling(kind, geometry), to: lowering.inputs)
  }
}
