import CForgeKernels
import Testing

/// Checks a convolution on every level.
private func check(_ test: ConvolutionCase, inPlace: Bool = false) {
  let numbers = ConvolutionNumbers(test)
  let expected = numbers.expected(test)
  for level in Level.available {
    let prepared = numbers.prepare(test, on: level, inPlace: inPlace)
    let before = prepared.out.buffer.bits
    prepared.call.runAll()
    expect(
      prepared.out, image: test.images - 1, equals: expected, before: before, "\(level), \(test)")
  }
}

@Suite struct ConvolutionTests {
  static let channels = [1, 3, 15, 16, 17, 31, 33, 64, 65, 130]
  static let panels = [16, 32, 48, 64]

  @Test("row widths below, at and above the tile width", arguments: panels)
  func widths(panel: Int) {
    for width in Array(1...30) + [43, 57] {
      for outputs in [16, 65] {
        check(
          ConvolutionCase(width: width, inputs: 33, outputs: outputs, panel: panel))
      }
    }
  }

  @Test("row widths with a stride", arguments: panels)
  func stridedWidths(panel: Int) {
    for width in 1...15 {
      check(
        ConvolutionCase(
          width: 2 * width, inputs: 17, outputs: 65, stride: (y: 1, x: 2), panel: panel))
    }
  }

  @Test("channel counts", arguments: channels)
  func inputChannels(inputs: Int) {
    for (i, outputs) in Self.channels.enumerated() {
      check(
        ConvolutionCase(
          height: 3, width: 5, inputs: inputs, outputs: outputs, kernel: (3, 3),
          padding: (1, 1, 1, 1), panel: Self.panels[i % 4]))
    }
  }

  @Test("strides", arguments: 1...3, 1...3)
  func strides(y: Int, x: Int) {
    for kernel in [(height: 1, width: 1), (3, 3), (2, 5)] {
      check(
        ConvolutionCase(
          height: 11, width: 17, inputs: 18, outputs: 20, kernel: kernel, stride: (y, x),
          padding: (1, 2, 1, 2), panel: 32))
    }
  }

  @Test("dilations", arguments: 1...2, 1...3)
  func dilations(y: Int, x: Int) {
    for stride in [(y: 1, x: 1), (2, 1), (1, 3)] {
      check(
        ConvolutionCase(
          height: 13, width: 19, inputs: 5, outputs: 17, kernel: (3, 3), stride: stride,
          dilation: (y, x), padding: (y, x, y, x), panel: 48))
    }
  }

  @Test(
    "kernels and padding, different on each side",
    arguments: [
      ConvolutionCase(kernel: (1, 7), padding: (0, 3, 0, 3)),
      ConvolutionCase(kernel: (7, 1), padding: (3, 0, 3, 0)),
      ConvolutionCase(kernel: (5, 5), padding: (2, 2, 2, 2)),
      ConvolutionCase(kernel: (3, 3), padding: (0, 1, 2, 3)),
      ConvolutionCase(kernel: (2, 4), stride: (2, 3), padding: (3, 0, 1, 2)),
      ConvolutionCase(kernel: (1, 1), padding: (1, 2, 3, 0)),
      ConvolutionCase(kernel: (4, 3), padding: (5, 6, 4, 7)),
    ])
  func geometry(of test: ConvolutionCase) {
    for (height, width) in [(7, 13), (23, 8), (4, 3)] {
      var test = test
      (test.height, test.width, test.inputs, test.outputs) = (height, width, 19, 34)
      check(test)
    }
  }

  @Test("dense layer: the kernel covers the image", arguments: [(1, 1), (7, 5), (4, 4)])
  func dense(height: Int, width: Int) {
    for outputs in [1, 10, 65, 130] {
      check(
        ConvolutionCase(
          height: height, width: width, inputs: 50, outputs: outputs, kernel: (height, width)))
    }
  }

  @Test("activations, with and without a residual", arguments: Activation.all)
  func epilogues(activation: Activation) {
    for residual in [false, true] {
      for (outputs, panel) in [(21, 32), (21, 64), (64, 64), (130, 48)] {
        let test = ConvolutionCase(
          height: 3, width: 17, inputs: 20, outputs: outputs, kernel: (3, 1),
          padding: (1, 0, 1, 0), panel: panel, activation: activation, residual: residual)
        check(test)
        if residual { check(test, inPlace: true) }
      }
    }
  }

  @Test("one image of a batch")
  func batch() {
    check(
      ConvolutionCase(
        height: 5, width: 7, inputs: 17, outputs: 33, kernel: (3, 3), padding: (1, 1, 1, 1),
        panel: 16, activation: .relu, residual: true, images: 3))
  }

  @Test("tiles are independent", arguments: panels)
  func tiles(panel: Int) {
    for activation in [Activation.relu, Activation(kind: FORGE_SWISH, a: 1)] {
      let test = ConvolutionCase(
        height: 6, width: 23, inputs: 35, outputs: 133, kernel: (3, 3), padding: (1, 1, 1, 1),
        panel: panel, activation: activation, residual: true)
      let numbers = ConvolutionNumbers(test)
      for level in Level.available {
        expectIndependentTiles(numbers.prepare(test, on: level).call, "\(level), \(test)")
      }
    }
  }

  /// A pixel's bits depend on its window only, not on its column or tile.
  @Test("equal windows give equal bits in every column", arguments: panels)
  func sameWindows(panel: Int) {
    for width in [2, 5, 13, 14, 31] {
      let test = ConvolutionCase(width: width, inputs: 40, outputs: 70, panel: panel)
      var numbers = ConvolutionNumbers(test)
      for x in 1..<width {
        for c in 0..<40 { numbers.input[0, x, c] = numbers.input[0, 0, c] }
      }
      for level in Level.available {
        let prepared = numbers.prepare(test, on: level)
        prepared.call.runAll()
        for x in 1..<width {
          for c in 0..<70 {
            #expect(prepared.out[0, x, c].bitPattern == prepared.out[0, 0, c].bitPattern)
          }
        }
      }
    }
  }

  @Test(
    "NaN and infinity affect only windows that contain them", arguments: [Float.nan, .infinity])
  func specialValues(value: Float) {
    for activation in [Activation.linear, .relu, Activation(kind: FORGE_SIGMOID)] {
      let test = ConvolutionCase(
        height: 6, width: 9, inputs: 18, outputs: 21, kernel: (3, 3), padding: (1, 1, 1, 1),
        activation: activation)
      var numbers = ConvolutionNumbers(test)
      numbers.input[2, 4, 17] = value
      let expected = numbers.expected(test)
      #expect(expected.values.contains { !$0.isFinite } || activation.kind == FORGE_SIGMOID)
      for level in Level.available {
        let prepared = numbers.prepare(test, on: level)
        let before = prepared.out.buffer.bits
        prepared.call.runAll()
        expect(prepared.out, equals: expected, before: before, "\(level), \(value), \(test)")
      }
    }
  }

  @Test("segmented rows give the same bits", arguments: panels)
  func segments(panel: Int) {
    for width in [1, 3, 14, 29, 57] {
      var test = ConvolutionCase(
        height: 2, width: width, inputs: 35, outputs: 133, kernel: (1, 3), padding: (0, 1, 0, 1),
        panel: panel, activation: Activation(kind: FORGE_SWISH, a: 1), residual: true)
      let numbers = ConvolutionNumbers(test)
      let expected = numbers.expected(test)
      for level in Level.available {
        var whole: [UInt32]?
        for segments in 1...5 {
          test.segments = segments
          let prepared = numbers.prepare(test, on: level)
          let before = prepared.out.buffer.bits
          prepared.call.runAll()
          if let whole {
            #expect(prepared.out.buffer.bits == whole, "\(level), \(test)")
          } else {
            whole = prepared.out.buffer.bits
            expect(prepared.out, equals: expected, before: before, "\(level), \(test)")
          }
          prepared.out.buffer.bits = before
          expectIndependentTiles(prepared.call, "\(level), \(test)")
        }
      }
    }
  }

  /// With AVX-512 two panels of a single pixel are computed side by side.
  @Test("single-pixel panels give the same bits in pairs and alone")
  func pairsOfPanels() {
    for outputs in [64, 65, 128, 130, 193, 250, 320] {
      for (height, width, inputs) in [(1, 1, 33), (3, 2, 16), (2, 2, 50)] {
        for residual in [false, true] {
          let test = ConvolutionCase(
            height: height, width: width, inputs: inputs, outputs: outputs,
            kernel: (height, width), activation: residual ? Activation(kind: FORGE_TANH) : .relu,
            residual: residual)
          check(test)
          if residual { check(test, inPlace: true) }
          let numbers = ConvolutionNumbers(test)
          for level in Level.available {
            let call = numbers.prepare(test, on: level).call
            let before = call.out.bits
            expectIndependentTiles(call, "\(level), \(test)")
            call.out.bits = before
            call.runAll()
            let whole = call.out.bits
            // Pairs that begin with any panel.
            for first in 0..<call.tiles {
              call.out.bits = before
              call.run(0..<first)
              call.run(first..<call.tiles)
              #expect(call.out.bits == whole, "\(level), from panel \(first), \(test)")
            }
          }
        }
      }
    }
  }

  /// AVX2 multiplies many input channels in parts.
  @Test(
    "many input channels", arguments: [384, 393, 400, 769, 1009], [1, 7, 97, 193])
  func manyInputs(inputs: Int, width: Int) {
    for (outputs, panel, residual) in [(16, 16, false), (37, 32, true), (133, 64, true)] {
      var test = ConvolutionCase(
        width: width, inputs: inputs, outputs: outputs, panel: panel, segments: 2,
        activation: residual ? Activation(kind: FORGE_TANH) : .relu, residual: residual)
      check(test)
      if residual { check(test, inPlace: true) }
      test.segments = 1
      test.stride.x = 2
      check(test)
    }
  }

  /// The bits of a sum do not depend on how its channels are cut.
  @Test("channels are added in their order, the bias last", arguments: [31, 400, 1009])
  func order(inputs: Int) {
    let test = ConvolutionCase(width: 11, inputs: inputs, outputs: 70, panel: 64)
    let numbers = ConvolutionNumbers(test)
    for level in Level.available where level.rawValue >= FORGE_AVX2.rawValue {
      let prepared = numbers.prepare(test, on: level)
      prepared.call.runAll()
      for x in 0..<test.width {
        for o in 0..<test.outputs {
          var sum: Float = 0
          for c in 0..<inputs {
            sum.addProduct(numbers.input[0, x, c], numbers.weights[o * inputs + c])
          }
          sum += numbers.bias[o]
          #expect(prepared.out[0, x, o].bitPattern == sum.bitPattern, "\(level), \(x), \(o)")
        }
      }
    }
  }
}
