import CForgeKernels
import Testing

extension ConvolutionNumbers {
  /// The weights as the kernel wants them: [block][ky][kx][16].
  private func blockedWeights(_ test: ConvolutionCase) -> [Float] {
    let taps = test.kernel.height * test.kernel.width
    var packed = [Float](repeating: 0, count: (test.outputs + 15) / 16 * taps * 16)
    for c in 0..<test.outputs {
      for tap in 0..<taps { packed[(c / 16 * taps + tap) * 16 + c % 16] = weights[c * taps + tap] }
    }
    return packed
  }

  fileprivate func prepareDepthwise(
    _ test: ConvolutionCase, on level: Level, inPlace: Bool = false
  ) -> Prepared {
    let input = Blocked(self.input, images: test.images)
    let residual = Blocked(self.residual, images: test.images)
    let out = inPlace ? residual : output(test)
    let weights = Buffer(blockedWeights(test))
    let bias = Buffer(self.bias + [Float](repeating: 0, count: (16 - test.outputs % 16) % 16))
    let arguments = forge_depthwise_arguments(
      in: input.view(base: 0), out: out.view(base: 1), weights: weights.pointer,
      bias: bias.pointer, kernel_height: Int32(test.kernel.height),
      kernel_width: Int32(test.kernel.width), stride_y: Int32(test.stride.y),
      stride_x: Int32(test.stride.x), dilation_y: Int32(test.dilation.y),
      dilation_x: Int32(test.dilation.x), pad_top: Int32(test.padding.top),
      pad_left: Int32(test.padding.left), epilogue: epilogue(test, residual.view(base: 2)))
    return Prepared(
      out: out,
      call: Call(
        level.kernels.depthwise, arguments,
        bases: [input.buffer, out.buffer, residual.buffer, weights, bias],
        image: test.images - 1, out: out.buffer, tiles: forge_depthwise_tiles))
  }
}

/// Checks a depthwise convolution on every level.
private func check(_ test: ConvolutionCase, inPlace: Bool = false) {
  let numbers = ConvolutionNumbers(test, groups: test.inputs)
  let expected = numbers.expected(test, groups: test.inputs)
  for level in Level.available {
    let prepared = numbers.prepareDepthwise(test, on: level, inPlace: inPlace)
    let before = prepared.out.buffer.bits
    prepared.call.runAll()
    expect(
      prepared.out, image: test.images - 1, equals: expected, before: before, "\(level), \(test)")
  }
}

@Suite struct DepthwiseTests {
  @Test("row widths with every stride", arguments: 1...3)
  func widths(stride: Int) {
    for width in 1...31 {
      for kernel in [3, 5] {
        check(
          ConvolutionCase(
            height: 2 + width % 4, width: width, inputs: 17, outputs: 17, kernel: (kernel, kernel),
            stride: (y: 1, x: stride), padding: (kernel / 2, kernel / 2, kernel / 2, kernel / 2)))
      }
    }
  }

  @Test("channel counts", arguments: ConvolutionTests.channels)
  func channels(count: Int) {
    for kernel: (height: Int, width: Int) in [(1, 1), (3, 3), (5, 4)] {
      check(
        ConvolutionCase(
          height: 5, width: 9, inputs: count, outputs: count, kernel: kernel,
          padding: (kernel.height - 1, kernel.width - 1, 0, 0)))
    }
  }

  @Test("strides and dilations", arguments: 1...3, 1...3)
  func strides(y: Int, x: Int) {
    for kernel in [(height: 3, width: 3), (3, 2), (5, 5)] {
      for dilation in [(y: 1, x: 1), (2, 1), (1, 2)] {
        check(
          ConvolutionCase(
            height: 13, width: 23, inputs: 20, outputs: 20, kernel: kernel, stride: (y, x),
            dilation: dilation, padding: (2, 1, 0, 3)))
      }
    }
  }

  @Test("activations, with and without a residual", arguments: Activation.all)
  func epilogues(activation: Activation) {
    for residual in [false, true] {
      for inPlace in residual ? [false, true] : [false] {
        check(
          ConvolutionCase(
            height: 4, width: 17, inputs: 37, outputs: 37, kernel: (3, 3),
            padding: (1, 1, 1, 1), activation: activation, residual: residual), inPlace: inPlace)
      }
    }
  }

  @Test("one image of a batch")
  func batch() {
    check(
      ConvolutionCase(
        height: 5, width: 7, inputs: 33, outputs: 33, kernel: (3, 3), padding: (1, 1, 1, 1),
        activation: .relu, residual: true, images: 2))
  }

  @Test("tiles are independent", arguments: [1, 2])
  func tiles(stride: Int) {
    for activation in [Activation.relu, Activation(kind: FORGE_GELU)] {
      let test = ConvolutionCase(
        height: 7, width: 19, inputs: 37, outputs: 37, kernel: (3, 3), stride: (stride, stride),
        padding: (1, 1, 1, 1), activation: activation, residual: true)
      let numbers = ConvolutionNumbers(test, groups: 37)
      for level in Level.available {
        expectIndependentTiles(numbers.prepareDepthwise(test, on: level).call, "\(level), \(test)")
      }
    }
  }

  @Test(
    "NaN and infinity affect only windows that contain them", arguments: [Float.nan, .infinity])
  func specialValues(value: Float) {
    let test = ConvolutionCase(
      height: 6, width: 17, inputs: 18, outputs: 18, kernel: (3, 3), padding: (1, 1, 1, 1),
      activation: .relu)
    var numbers = ConvolutionNumbers(test, groups: 18)
    numbers.input[2, 4, 17] = value
    let expected = numbers.expected(test, groups: 18)
    for level in Level.available {
      let prepared = numbers.prepareDepthwise(test, on: level)
      let before = prepared.out.buffer.bits
      prepared.call.runAll()
      expect(prepared.out, equals: expected, before: before, "\(level), \(value), \(test)")
    }
  }
}
