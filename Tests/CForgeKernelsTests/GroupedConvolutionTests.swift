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
    "groups of any size",
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

  @Test("tiles are independent")
  func tiles() {
    let test = ConvolutionCase(
      height: 7, width: 5, inputs: 10, outputs: 20, kernel: (3, 3), padding: (1, 1, 1, 1),
      activation: .relu, residual: true)
    let numbers = ConvolutionNumbers(test, groups: 5)
    for level in Level.available {
      expectIndependentTiles(
        numbers.prepareGrouped(test, groups: 5, on: level).call, "\(level), \(test)")
    }
  }
}
