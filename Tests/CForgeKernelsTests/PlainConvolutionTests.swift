import CForgeKernels
import Testing

extension ConvolutionNumbers {
  /// The convolution of a plain image on one level, in memory with canaries all around.
  fileprivate func preparePlain(
    _ test: ConvolutionCase, _ pooling: Pooling, on level: Level
  ) -> Prepared {
    let input = Plain(self.input, images: test.images)
    let out = Blocked(
      pooling.size(test.outHeight), pooling.size(test.outWidth), test.outputs,
      halo: Halo(top: 1, left: 1, bottom: 1, right: 1), images: test.images)
    // A row of the window is one tap of all its columns and channels.
    var rows = test
    rows.inputs = test.kernel.width * test.inputs
    rows.kernel = (test.kernel.height, 1)
    let weights = Buffer(packedWeights(rows))
    let bias = Buffer(packedBias(test))
    let arguments = forge_plain_convolution_arguments(
      in: input.view(base: 0), out: out.view(base: 1), weights: weights.pointer,
      bias: bias.pointer, kernel_height: Int32(test.kernel.height),
      kernel_width: Int32(test.kernel.width), stride_y: Int32(test.stride.y),
      stride_x: Int32(test.stride.x), pad_top: Int32(test.padding.top),
      pad_left: Int32(test.padding.left), height: Int32(test.outHeight),
      width: Int32(test.outWidth), panel_width: Int32(test.panel),
      pooled: pooling == .none ? 0 : 1, activation: test.activation.c)
    return Prepared(
      out: out,
      call: Call(
        level.kernels.plain_convolution, arguments,
        bases: [input.buffer, out.buffer, weights, bias], image: test.images - 1,
        out: out.buffer, tiles: forge_plain_convolution_tiles))
  }
}

/// Checks a convolution of a plain image on every level, pooled and not.
private func check(
  _ test: ConvolutionCase, _ poolings: [Pooling] = Pooling.allCases,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let numbers = ConvolutionNumbers(test)
  var plain = test
  plain.activation = .linear
  let sums = numbers.expected(plain)
  for pooling in poolings {
    if pooling == .roundedDown, min(test.outHeight, test.outWidth) < 2 { continue }
    let expected = sums.pooled(test, pooling)
    for level in Level.available {
      let prepared = numbers.preparePlain(test, pooling, on: level)
      let before = prepared.out.buffer.bits
      prepared.call.runAll()
      expect(
        prepared.out, image: test.images - 1, equals: expected, before: before,
        "\(level), \(pooling), \(test)", sourceLocation: sourceLocation)
    }
  }
}

@Suite struct PlainConvolutionTests {
  static let panels = [16, 32, 48, 64]
  static let channels = [1, 2, 3, 4, 7, 15]

  @Test("row widths below, at and above the tile width", arguments: panels)
  func widths(panel: Int) {
    for width in Array(1...30) + [43] {
      for outputs in [16, 70] {
        check(
          ConvolutionCase(
            height: 2, width: width, inputs: 3, outputs: outputs, kernel: (1, 3),
            padding: (0, 1, 0, 1), panel: panel))
      }
    }
  }

  @Test("kernels of 1 to 11 by 1 to 11", arguments: 1...11)
  func kernels(height: Int) {
    for width in 1...11 {
      let channels = Self.channels[(height + width) % 6]
      check(
        ConvolutionCase(
          height: 13, width: 17, inputs: channels, outputs: 18, kernel: (height, width),
          padding: (height / 2, width / 2, (height - 1) / 2, (width - 1) / 2), panel: 32))
    }
  }

  @Test("strides and channels", arguments: 1...4, channels)
  func strides(x: Int, channels: Int) {
    for y in 1...4 {
      for kernel in [(height: 3, width: 3), (5, 2)] {
        check(
          ConvolutionCase(
            height: 19, width: 41, inputs: channels, outputs: 33, kernel: kernel, stride: (y, x),
            padding: (1, 1, 1, 1), panel: Self.panels[(x + y) % 4]))
      }
    }
  }

  @Test("padding, different on each side, and wider than the kernel")
  func padding() {
    let paddings: [(top: Int, left: Int, bottom: Int, right: Int)] = [
      (0, 0, 0, 0), (0, 1, 2, 3), (3, 2, 1, 0), (5, 6, 4, 7),
      (0, 4, 9, 0), (20, 0, 0, 30),
    ]
    let kernels: [(height: Int, width: Int)] = [(3, 3), (1, 5), (4, 1)]
    for padding in paddings {
      for (height, width) in [(1, 1), (3, 4), (12, 9), (40, 45)] {
        for kernel in kernels
        where height + padding.top + padding.bottom >= kernel.height
          && width + padding.left + padding.right >= kernel.width
        {
          check(
            ConvolutionCase(
              height: height, width: width, inputs: 3, outputs: 17, kernel: kernel,
              stride: (1, 2), padding: padding, panel: 32))
        }
      }
    }
  }

  /// Images of up to 4,096 floats, border included, are copied whole; others tile by tile.
  @Test(
    "images around the copy threshold",
    arguments: [(30, 42), (31, 42), (32, 40), (34, 38), (47, 53), (1, 1400), (1300, 1)])
  func sizes(height: Int, width: Int) {
    check(
      ConvolutionCase(
        height: height, width: width, inputs: 3, outputs: 20, kernel: (3, 3),
        padding: (1, 1, 1, 1), panel: 32, activation: .relu))
    check(
      ConvolutionCase(
        height: height, width: width, inputs: 1, outputs: 5, kernel: (1, 1), panel: 16))
  }

  /// Pooled gray images that are copied whole have pixels side by side, in vectors of 16.
  @Test("gray images of every width", arguments: panels)
  func gray(panel: Int) {
    for width in Array(1...36) + [47, 63, 64, 65, 97] {
      for outputs in [1, 6, 13, 20, 70] {
        let kernel = (height: 1 + width % 4, width: 1 + outputs % 5)
        check(
          ConvolutionCase(
            height: 3 + width % 3, width: width, inputs: 1, outputs: outputs, kernel: kernel,
            padding: (1, outputs % 3, 2, kernel.width - 1), panel: panel,
            activation: outputs == 20 ? Activation(kind: FORGE_SWISH, a: 1) : .relu))
      }
    }
  }

  @Test("gray images: wide kernels, steps from row to row, a batch", arguments: 1...3)
  func grayWindows(y: Int) {
    for kernel in [(height: 5, width: 5), (2, 16), (3, 17), (1, 33), (7, 1)] {
      for images in 1...2 {
        check(
          ConvolutionCase(
            height: 11, width: 37, inputs: 1, outputs: 20, kernel: kernel, stride: (y, 1),
            padding: (0, 2, 1, 0), panel: 32, images: images))
      }
    }
  }

  /// The threshold is 4,096 floats, of which 32 must stay unused.
  @Test(
    "gray images around the copy threshold",
    arguments: [(64, 63), (64, 64), (65, 63), (32, 127)])
  func graySizes(height: Int, width: Int) {
    check(
      ConvolutionCase(
        height: height, width: width, inputs: 1, outputs: 9, kernel: (1, 1), panel: 16))
    check(
      ConvolutionCase(
        height: height - 2, width: width - 2, inputs: 1, outputs: 9, kernel: (3, 3),
        padding: (1, 1, 1, 1), panel: 16))
  }

  @Test("activations", arguments: Activation.all)
  func activations(activation: Activation) {
    for panel in Self.panels {
      check(
        ConvolutionCase(
          height: 7, width: 19, inputs: 3, outputs: 70, kernel: (3, 3), padding: (1, 1, 1, 1),
          panel: panel, activation: activation))
    }
  }

  @Test("one image of a batch")
  func batch() {
    check(
      ConvolutionCase(
        height: 9, width: 7, inputs: 3, outputs: 33, kernel: (3, 3), padding: (1, 1, 1, 1),
        panel: 16, activation: .relu, images: 3))
    check(
      ConvolutionCase(
        height: 60, width: 37, inputs: 2, outputs: 9, kernel: (3, 3), padding: (1, 1, 1, 1),
        panel: 16, images: 2))
  }

  @Test("tiles are independent", arguments: panels)
  func tiles(panel: Int) {
    for (height, width) in [(9, 23), (41, 43)] {
      let test = ConvolutionCase(
        height: height, width: width, inputs: 3, outputs: 70, kernel: (3, 3),
        padding: (1, 1, 1, 1), panel: panel, activation: Activation(kind: FORGE_SWISH, a: 1))
      let numbers = ConvolutionNumbers(test)
      for pooling in height == 9 ? Pooling.allCases : [.none] {
        for level in Level.available {
          expectIndependentTiles(
            numbers.preparePlain(test, pooling, on: level).call, "\(level), \(pooling), \(test)")
        }
      }
    }
  }

  /// Bits depend neither on copying nor on a pixel's column.
  @Test("equal windows give equal bits in every column, copied or not", arguments: panels)
  func sameWindows(panel: Int) {
    for (height, width) in [(3, 40), (60, 40)] {
      let test = ConvolutionCase(
        height: height, width: width, inputs: 3, outputs: 70, kernel: (3, 3), panel: panel)
      var numbers = ConvolutionNumbers(test)
      for y in 0..<height {
        for x in 0..<width {
          for c in 0..<3 { numbers.input[y, x, c] = Float(y % 3 * 3 + c) / 7 - 0.5 }
        }
      }
      for level in Level.available {
        let prepared = numbers.preparePlain(test, .none, on: level)
        prepared.call.runAll()
        var wrong = 0
        for y in stride(from: 0, to: test.outHeight, by: 3) {
          for x in 0..<test.outWidth {
            for c in 0..<70
            where prepared.out[y, x, c].bitPattern != prepared.out[0, 0, c].bitPattern {
              wrong += 1
            }
          }
        }
        #expect(wrong == 0, "\(level), \(test)")
      }
    }
  }

  @Test(
    "NaN and infinity affect only windows that contain them", arguments: [Float.nan, .infinity])
  func specialValues(value: Float) {
    for (height, width, inputs) in [(6, 9, 3), (50, 41, 3), (6, 9, 1), (30, 41, 1)] {
      for activation in [Activation.linear, .relu] {
        let test = ConvolutionCase(
          height: height, width: width, inputs: inputs, outputs: 21, kernel: (3, 3),
          padding: (1, 1, 1, 1), activation: activation)
        var numbers = ConvolutionNumbers(test)
        numbers.input[2, 4, inputs - 1] = value
        var plain = test
        plain.activation = .linear
        let sums = numbers.expected(plain)
        for pooling in Pooling.allCases {
          for level in Level.available {
            let prepared = numbers.preparePlain(test, pooling, on: level)
            let before = prepared.out.buffer.bits
            prepared.call.runAll()
            expect(
              prepared.out, equals: sums.pooled(test, pooling), before: before,
              "\(level), \(value), \(pooling), \(test)")
          }
        }
      }
    }
  }

  @Test("supported windows")
  func fits() {
    #expect(forge_plain_convolution_fits(3, 3, 1, 3) != 0)
    #expect(forge_plain_convolution_fits(11, 11, 4, 3) != 0)
    #expect(forge_plain_convolution_fits(11, 11, 4, 15) != 0)
    #expect(forge_plain_convolution_fits(16, 16, 16, 3) != 0)
    #expect(forge_plain_convolution_fits(18, 16, 16, 15) == 0)
    #expect(forge_plain_convolution_fits(1, 1, 1, 15) != 0)
    #expect(forge_plain_convolution_fits(1, 1, 1, 16) == 0)
    #expect(forge_plain_convolution_fits(64, 64, 64, 1) != 0)
    #expect(forge_plain_convolution_fits(64, 64, 64, 2) == 0)
    for huge in [65, 1 << 31, 1 << 62] as [Int64] {
      #expect(forge_plain_convolution_fits(huge, 1, 1, 1) == 0)
      #expect(forge_plain_convolution_fits(1, huge, 1, 1) == 0)
      #expect(forge_plain_convolution_fits(1, 1, huge, 1) == 0)
      #expect(forge_plain_convolution_fits(1, 1, 1, huge) == 0)
    }
  }

  /// Windows of patches: the buffer holds those of fewer pixels than a tile has.
  @Test("large strides, with and without padding", arguments: [0, 3])
  func largeStrides(padding: Int) {
    for (kernel, stride, inputs) in [(16, 16, 3), (14, 14, 3), (32, 32, 3), (17, 5, 13)] {
      check(
        ConvolutionCase(
          height: kernel + stride + 1, width: kernel + 15 * stride + 2, inputs: inputs,
          outputs: 18, kernel: (kernel, kernel), stride: (stride, stride),
          padding: (padding, padding, padding, padding), panel: 32),
        [.none])
    }
  }

  /// The largest windows that fit, where what is copied to the stack is full.
  @Test("largest windows")
  func largest() {
    let windows: [(kernel: (height: Int, width: Int), stride: (y: Int, x: Int), channels: Int)] = [
      ((64, 51), (1, 1), 1), ((1, 64), (2, 64), 4), ((4, 5), (3, 5), 14),
    ]
    for (kernel, stride, channels) in windows {
      #expect(
        forge_plain_convolution_fits(
          Int64(kernel.height), Int64(kernel.width), Int64(stride.x), Int64(channels)) != 0)
      check(
        ConvolutionCase(
          height: kernel.height + 4, width: kernel.width + 14 * stride.x, inputs: channels,
          outputs: 17, kernel: kernel, stride: stride, padding: (1, 1, 1, 1), panel: 16))
    }
  }
}
