import Forge

/// The layers of Tests/Fixtures/windows.safetensors by the names of their cases.
enum WindowLayers {
  /// All of them.
  static let all: [String: any Layer] = {
    var all: [String: any Layer] = [:]
    for layers in [
      transposed, sequences, poolings, normalizations, pixels, resampling, boxes, keras,
    ] {
      all.merge(layers) { first, _ in first }
    }
    return all
  }()

  private static func up(
    _ kernel: (Int, Int), _ stride: (Int, Int) = (1, 1), dilation: (Int, Int) = (1, 1),
    _ edges: Edges = .none, extra: (Int, Int) = (0, 0)
  ) -> any Layer {
    TransposedConvolution(
      kernel: kernel, channels: 5, stride: stride, dilation: dilation, padding: .edges(edges),
      outputPadding: extra, name: "layer")
  }

  private static let transposed: [String: any Layer] = [
    "transposed 2x2 by 2": up((2, 2), (2, 2)),
    "transposed 3x3 by 2": up((3, 3), (2, 2), Edges(all: 1)),
    "transposed 3x3 by 2, padded output": up((3, 3), (2, 2), Edges(all: 1), extra: (1, 1)),
    "transposed 4x4 by 2": up((4, 4), (2, 2), Edges(all: 1)),
    "transposed 3x2 by 3x1": up((2, 3), (1, 3), Edges(top: 0, left: 1, bottom: 2, right: 0)),
    "transposed 5x3, dilated": up(
      (3, 5), dilation: (3, 2), Edges(top: 3, left: 1, bottom: 2, right: 4)),
    "transposed 3x3 by 3x2, dilated": up((3, 3), (2, 3), dilation: (2, 2)),
    "transposed 1x1 by 2": up((1, 1), (2, 2)),
    "transposed 2x2 by 2, cropped": up((2, 2), (2, 2), Edges(all: 1)),
    "transposed 3x4 by 1": up((4, 3)),
    "transposed 2x2 by 2, padded output": up((2, 2), (2, 2), extra: (1, 1)),
    "transposed 8x8 by 4, wide crop": up((8, 8), (4, 4), Edges(all: 6)),
    "transposed in groups": TransposedConvolution(
      kernel: (3, 3), channels: 6, stride: (2, 2), padding: .all(1), groups: 3, name: "layer"),
    "transposed depthwise": TransposedConvolution(
      kernel: (4, 4), channels: 19, stride: (2, 2), padding: .all(1), groups: 19, useBias: false,
      name: "layer"),
    "transposed sequence": TransposedConvolution1D(
      kernel: 4, channels: 5, stride: 2, padding: .explicit(before: 1, after: 1), name: "layer"),
    "transposed sequence in groups": TransposedConvolution1D(
      kernel: 3, channels: 4, stride: 2, padding: .explicit(before: 0, after: 0),
      outputPadding: 1, groups: 2, name: "layer"),
  ]

  private static let sequences: [String: any Layer] = [
    "sequence convolution": Convolution1D(
      kernel: 3, channels: 5, stride: 2, dilation: 2, padding: .explicit(before: 2, after: 1),
      name: "layer"),
    "sequence convolution in groups": Convolution1D(
      kernel: 3, channels: 4, padding: .same, groups: 2, name: "layer"),
    "sequence depthwise": DepthwiseConvolution1D(kernel: 3, multiplier: 2, name: "layer"),
    "sequence maximum": MaxPooling1D(
      kernel: 3, stride: 2, padding: .explicit(before: 1, after: 0), dilation: 2,
      rounding: .ceiling),
    "sequence average": AveragePooling1D(
      kernel: 4, stride: 3, padding: .explicit(before: 1, after: 2), border: .counted,
      rounding: .ceiling),
  ]

  private static let poolings: [String: any Layer] = {
    typealias Window = (
      name: String, kernel: (Int, Int), stride: (Int, Int), Padding, dilation: (Int, Int),
      WindowRounding
    )
    let windows: [Window] = [
      (
        "dilated", (2, 3), (2, 1), .explicit(top: 1, left: 1, bottom: 2, right: 0), (3, 2), .floor
      ),
      ("rounded up", (3, 3), (2, 2), .valid, (1, 1), .ceiling),
      ("rounded up, 2x2", (2, 2), (2, 2), .valid, (1, 1), .ceiling),
      (
        "rounded up, padded", (4, 3), (3, 3),
        .explicit(top: 1, left: 2, bottom: 1, right: 1), (1, 1), .ceiling
      ),
      ("rounded up, last in the padding", (2, 2), (3, 3), .all(1), (1, 1), .ceiling),
    ]
    var layers: [String: any Layer] = [:]
    for (name, kernel, stride, padding, dilation, rounding) in windows {
      layers["pooling maximum \(name)"] = MaxPooling(
        kernel: kernel, stride: stride, padding: padding, dilation: dilation, rounding: rounding)
      for (word, border) in [("inside", AveragePooling.Border.excluded), ("all", .counted)] {
        layers["pooling \(word) \(name)"] = AveragePooling(
          kernel: kernel, stride: stride, padding: padding, border: border, dilation: dilation,
          rounding: rounding)
      }
    }
    func volume(_ kind: PoolingNDKind, dilations: [Int] = [1, 1, 1]) -> any Layer {
      PoolingND(
        kind, kernel: [2, 3, 2], strides: [2, 1, 2], dilations: dilations, before: [0, 1, 1],
        after: [1, 1, 0], rounding: .ceiling)
    }
    layers["volume maximum"] = volume(.maximum, dilations: [1, 2, 1])
    layers["volume inside"] = volume(.averageInside)
    layers["volume all"] = volume(.averageAll)
    for p in [1, 2, 3] {
      layers["image lp \(p)"] = PoolingND(
        .lp(p: p), kernel: [3, 2], strides: [2, 1], before: [1, 0], after: [1, 1])
    }
    return layers
  }()

  private static let normalizations: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "layer last": LayerNormalization(name: "layer"),
      "layer image": LayerNormalization(epsilon: 1e-3, name: "layer"),
      "layer volume": LayerNormalization(axes: [1, -2, -1], name: "layer"),
      "group 5 of 40": GroupNormalization(groups: 5, name: "layer"),
      "unit length": L2Normalize(),
      "unit length of rows": L2Normalize(axes: [0]),
    ]
    for size in ["5x7x18", "13x6", "3x4x5x6"] {
      layers["instance \(size)"] = InstanceNormalization(name: "layer")
      for groups in [1, 2, 3] {
        layers["group \(groups) \(size)"] = GroupNormalization(groups: groups, name: "layer")
      }
    }
    for (size, beta) in [(5, "0.75"), (7, "0.5"), (3, "0.6"), (99, "0.75")] {
      layers["response \(size) \(beta)"] = LocalResponseNormalization(
        size: size, alpha: 0.5, beta: Float(beta) ?? 0, bias: 1.5)
    }
    return layers
  }()

  private static let pixels: [String: any Layer] = [
    "depth to space depthColumnRow": DepthToSpace(block: 3),
    "depth to space depthColumnRow, wide": DepthToSpace(block: 2),
    "depth to space columnRowDepth": DepthToSpace(block: 3, order: .columnRowDepth),
    "depth to space columnRowDepth, wide": DepthToSpace(block: 2, order: .columnRowDepth),
    "space to depth": SpaceToDepth(block: 2),
    "space to depth, wide": SpaceToDepth(block: 2),
  ]

  private static let resampling: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "linear scaled": Resample(sizes: [], scales: [1.7, 0.6, nil]),
      "linear scaled symmetric": Resample(
        sizes: [], scales: [1.7, 0.6, nil], coordinates: .halfPixelSymmetric),
      "cubic scaled": Resample(
        sizes: [], scales: [1.7, 0.6, nil], mode: .cubic(coefficient: -0.5)),
      "cubic outside": Resample(
        sizes: [15, 5, nil], mode: .cubic(coefficient: -0.75), excludesOutside: true),
      "linear antialiased": Resample(sizes: [5, 7, nil], antialias: true),
      "linear antialiased outside": Resample(
        sizes: [5, 7, nil], antialias: true, excludesOutside: true),
      "cubic antialiased": Resample(
        sizes: [5, 23, nil], mode: .cubic(coefficient: -0.75), antialias: true),
      "linear volume": Resample(sizes: [7, 3, 8, nil]),
      "linear sequence": Resample(sizes: [13]),
    ]
    let coordinates: [(String, ResampleCoordinates)] = [
      ("half_pixel", .halfPixel), ("half_pixel_symmetric", .halfPixelSymmetric),
      ("pytorch_half_pixel", .pytorchHalfPixel), ("align_corners", .alignCorners),
      ("asymmetric", .asymmetric),
    ]
    let roundings: [(String, NearestRounding)] = [
      ("round_prefer_floor", .roundPreferFloor), ("round_prefer_ceil", .roundPreferCeiling),
      ("floor", .floor), ("ceil", .ceiling),
    ]
    for (word, coordinates) in coordinates {
      for sizes in [[5, 13, 3], [14, 4, 3], [1, 1, 3]] {
        let text = sizes.map(String.init).joined(separator: "x")
        layers["linear \(word) \(text)"] = Resample(
          sizes: sizes, mode: .linear, coordinates: coordinates)
        layers["cubic \(word) \(text)"] = Resample(
          sizes: sizes, mode: .cubic(coefficient: -0.75), coordinates: coordinates)
      }
      for (name, rounding) in roundings {
        layers["nearest \(word) \(name)"] = Resample(
          sizes: [14, 6, nil], mode: .nearest(rounding), coordinates: coordinates)
      }
    }
    return layers
  }()

  private static let boxes: [String: any Layer] = {
    var layers: [String: any Layer] = [:]
    for (word, centered) in [("centred", true), ("corners", false)] {
      for (most, threshold) in [(3, Float(0.25)), (100, 0.45)] {
        layers["suppression \(most) \(word)"] = NonMaximumSuppression(
          maximumPerClass: most, iouThreshold: 0.4, scoreThreshold: threshold,
          centerPointBoxes: centered)
      }
    }
    return layers
  }()

  private static let keras: [String: any Layer] = {
    var layers: [String: any Layer] = [
      "keras sequence depthwise": DepthwiseConvolution1D(
        kernel: 3, stride: 2, multiplier: 2, name: "layer"),
      "keras separable": SeparableConvolution(
        kernel: (2, 3), channels: 11, multiplier: 2, stride: (2, 2), name: "layer"),
      "keras separable sequence": SeparableConvolution1D(
        kernel: 3, channels: 11, multiplier: 2, name: "layer"),
      "keras maximum sequence": MaxPooling1D(kernel: 3, stride: 2, padding: .same),
      "keras average sequence": AveragePooling1D(kernel: 3, stride: 2, padding: .same),
      "keras layer all axes": LayerNormalization(
        axes: [0, 1, 2], epsilon: 1e-3, name: "layer"),
      "keras layer height": LayerNormalization(axes: [0], epsilon: 1e-3, name: "layer"),
      "keras group": GroupNormalization(groups: 6, epsilon: 1e-3, name: "layer"),
      "keras unit length of all": L2Normalize(axes: [0, 1, 2]),
    ]
    for (height, width) in [(3, 2), (7, 5), (9, 11)] {
      layers["keras adaptive \(height)x\(width)"] = AdaptiveAveragePooling(
        width: width, height: height)
    }
    for (word, padding) in [("same", Padding.same), ("valid", .valid)] {
      for (text, kernel, stride) in [
        ("2x2 by 2", (2, 2), (2, 2)), ("3x3 by 2", (3, 3), (2, 2)), ("4x4 by 2", (4, 4), (2, 2)),
        ("2x5 by (3, 2)", (5, 2), (2, 3)), ("5x4 by 3", (4, 5), (3, 3)),
      ] as [(String, (Int, Int), (Int, Int))] {
        layers["keras transposed \(text) \(word)"] = TransposedConvolution(
          kernel: kernel, channels: 4, stride: stride, padding: padding, name: "layer")
      }
      layers["keras transposed sequence \(word)"] = TransposedConvolution1D(
        kernel: 3, channels: 5, stride: 2, padding: word == "same" ? .same : .valid,
        name: "layer")
    }
    for (word, padding) in [("same", Padding1D.same), ("valid", .valid), ("causal", .causal)] {
      layers["keras sequence \(word)"] = Convolution1D(
        kernel: 4, channels: 5, dilation: 2, padding: padding, name: "layer")
    }
    return layers
  }()
}
