import CForgeKernels
import Testing

extension ConvolutionNumbers {
  /// The weights as the kernel wants them.
  private func groupedWeights(_ test: ConvolutionCase, groups: Int) -> [Float] {
    let sizes = [groups, test.outputs, test.kernel.height, test.kernel.width, test.inputs / groups]
      .map(Int64.init)
    let count = forge_grouped_convolution_floats(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4])
    var packed = [Float](repeating: .nan, count: Int(count))
    forge_pack_grouped_convolution(
      weights, &packed, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4])
    return packed
  }

  fileprivate func prepareGrouped(
    _ test: ConvolutionCase, groups: Int, on level: Level, inPlace: Bool = false
  ) -> Prepared {
    let input = Blocked(self.input, halo: test.halo, images: test.images)
    let residual = Blocked(self.residual, images: test.images)
    let out = inPlace ? residual : output(test)
    let weights = Buffer(groupedWeights(test, groups: groups))
    let bias = Buffer(self.bias + [Float](repeating: 0, count: (16 - test.outputs % 16) % 16))
    let arguments = forge_grouped_convolution_arguments(
      in: input.view(base: 0), out: out.view(base: 1), weights: weights.pointer,
      bias: bias.pointer, groups: Int32(groups), kernel_height: Int32(test.kernel.height),
      kernel_width: Int32(test.kernel.width), stride_y: Int32(test.stride.y),
      stride_x: Int32(test.stride.x), dilation_y: Int32(test.dilation.y),
      dilation_x: Int32(test.dilation.x), pad_top: Int32(test.padding.top),
      pad_left: Int32(test.padding.left), epilogue: epilogue(test, residual.view(base: 2)))
    return Prepared(
      out: out,
      call: Call(
        level.kernels.grouped_convolution, arguments,
        bases: [input.buffer, out.buffer, residual.buffer, weights, bias],
        image: test.images - 1, out: out.buffer, tiles: forge_grouped_convolution_tiles))
  }
}

/// Checks a grouped convolution on every level.
private func check(_ test: ConvolutionCase, groups: Int, inPlace: Bool = false) {
  let numbers = ConvolutionNumbers(test, groups: groups)
  let expected = numbers.expected(test, groups: groups)
  for level in Level.available {
    let prepared = numbers.prepareGrouped(test, groups: groups, on: level, inPlace: inPlace)
    let before = prepared.out.buffer.bits
    prepared.call.runAll()
    expect(
      prepared.out, image: test.images - 1, equals: expected, before: before,
      "\(level), \(groups) groups, \(test)")
  }
}

@Suite struct GroupedConvolutionTests {
  @Test(
    "group sizes",
    arguments: [(1, 5, 7), (2, 6, 4), (3, 9, 33), (4, 64, 20), (17, 17, 34), (5, 130, 65)])
  func groups(count: Int, inputs: Int, outputs: Int) {
    for stride in [(y: 1, x: 1), (2, 3)] {
      for dilation in [(y: 1, x: 1), (2, 1)] {
        check(
          ConvolutionCase(
            height: 7, width: 9, inputs: inputs, outputs: outputs, kernel: (3, 2), stride: stride,
            dilation: dilation, padding: (2, 0, 1, 1)), groups: count)
      }
    }
  }

  @Test("row widths with every stride and dilation", arguments: 1...3, 1...2)
  func widths(stride: Int, dilation: Int) {
    // By lanes from one block, from two, from more; one group at a time, its vectors shared or not.
    for (groups, inputs, outputs) in [(8, 4, 4), (5, 6, 6), (3, 40, 5), (2, 24, 24), (1, 3, 16)] {
      for width in [1, 2, 3, 5, 7, 10, 13, 14, 15, 17, 27, 29, 31] {
        check(
          ConvolutionCase(
            height: 3, width: width, inputs: groups * inputs, outputs: groups * outputs,
            kernel: (3, 3), stride: (1, stride), dilation: (1, dilation),
            padding: (1, dilation, 1, dilation)), groups: groups)
      }
    }
  }

  @Test("channels per group", arguments: 1...20)
  func channels(count: Int) {
    for (inputs, outputs) in [(count, count), (1, count), (count, 1), (count, 8), (count, 9)] {
      for groups in [2, 7] {
        check(
          ConvolutionCase(
            height: 3, width: 9, inputs: groups * inputs, outputs: groups * outputs,
            kernel: (2, 3), padding: (1, 1, 0, 1)), groups: groups)
      }
    }
  }

  @Test("many inputs per group", arguments: [63, 64, 65, 70], [1, 8, 9])
  func inputs(count: Int, outputs: Int) {
    for kernel: (height: Int, width: Int) in [(1, 1), (5, 5)] {
      check(
        ConvolutionCase(
          height: 5, width: 6, inputs: 3 * count, outputs: 3 * outputs, kernel: kernel,
          padding: (kernel.height / 2, kernel.width / 2, kernel.height / 2, kernel.width / 2)),
        groups: 3)
    }
  }

  @Test("NaN and infinity affect only their group", arguments: [Float.nan, .infinity])
  func specialValues(value: Float) {
    for (groups, inputs, outputs) in [(8, 4, 4), (5, 6, 6), (2, 24, 24), (3, 10, 11)] {
      let test = ConvolutionCase(
        height: 4, width: 17, inputs: groups * inputs, outputs: groups * outputs, kernel: (3, 3),
        padding: (1, 1, 1, 1))
      var numbers = ConvolutionNumbers(test, groups: groups)
      numbers.input[2, 4, inputs + 1] = value
      let expected = numbers.expected(test, groups: groups)
      for level in Level.available {
        let prepared = numbers.prepareGrouped(test, groups: groups, on: level)
        let before = prepared.out.buffer.bits
        prepared.call.runAll()
        expect(prepared.out, equals: expected, before: before, "\(level), \(value), \(test)")
      }
    }
  }

  @Test("activations, with and without a residual", arguments: Activation.all)
  func epilogues(activation: Activation) {
    for residual in [false, true] {
      for inPlace in residual ? [false, true] : [false] {
        check(
          ConvolutionCase(
            height: 2, width: 7, inputs: 6, outputs: 21, kernel: (1, 3), padding: (0, 1, 0, 1),
            activation: activation, residual: residual, images: 2), groups: 3, inPlace: inPlace)
      }
    }
  }

  @Test("tiles are independent", arguments: [(5, 10, 20), (2, 10, 40), (3, 60, 36)])
  func tiles(groups: Int, inputs: Int, outputs: Int) {
    let test = ConvolutionCase(
      height: 7, width: 5, inputs: inputs, outputs: outputs, kernel: (3, 3),
      padding: (1, 1, 1, 1), activation: .relu, residual: true)
    let numbers = ConvolutionNumbers(test, groups: groups)
    for level in Level.available {
      expectIndependentTiles(
        numbers.prepareGrouped(test, groups: groups, on: level).call, "\(level), \(test)")
    }
  }
}
