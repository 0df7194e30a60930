import CForgeKernels
import Testing

/// Checks a convolution of lower precision on every level that has it: against double arithmetic on the numbers
/// that its words and weights stand for, to Float32's rounding, and against the numbers as they were.
private func check(
  _ kind: Reduced, _ test: ConvolutionCase, flat: Bool = false, inPlace: Bool = false,
  hasAdjacentRows: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
) {
  let numbers = ConvolutionNumbers(test)
  let weights = ReducedWeights(kind, numbers.weights, test)
  let expected = numbers.rounded(kind, weights, flat: flat).expected(test)
  let exact = numbers.expected(test)
  let bound = roundingBound(kind, numbers, test)
  #expect(
    !zip(expected.values, exact.values).contains { abs($0 - $1) > 2 * bound }, "\(kind), \(test)",
    sourceLocation: sourceLocation)
  for level in kind.levels {
    let prepared = numbers.prepare(
      kind, weights, test, on: level, flat: flat, inPlace: inPlace,
      hasAdjacentRows: hasAdjacentRows)
    let before = prepared.out.buffer.bits
    prepared.runAll()
    expect(
      prepared.out, image: test.images - 1, equals: expected, before: before,
      "\(kind), \(level), \(test)", sourceLocation: sourceLocation)
  }
}

/// How far a sum may be from that of the numbers before they were rounded, as the header has the errors of each.
private func roundingBound(
  _ kind: Reduced, _ numbers: ConvolutionNumbers, _ test: ConvolutionCase
) -> Double {
  let terms = Double(test.kernel.height * test.kernel.width * test.inputs)
  let x = Double(numbers.input.values.map(abs).max() ?? 0)
  let w = Double(numbers.weights.map(abs).max() ?? 0)
  switch kind {
  case .fixed: return terms * x * w * 0x1p-23
  case .halves: return terms * x * w * 0x1p-11
  case .pairs, .widePairs: return terms * x * w * 0x1p-7
  case .quads:
    let step = ByteScale(numbers.input.values).scale
    return terms * (step * w + x * w / 254 + step * w / 254)
  }
}

@Suite struct ReducedConvolutionTests {
  static let windows: [Reduced] = [.pairs, .widePairs, .quads]
  static let channels = [1, 2, 3, 4, 7, 13, 15, 16, 17, 31, 33, 64, 65, 130]
  static let panels = [16, 32, 48, 64]

  @Test("levels without a precision are reported")
  func report() {
    for kind in Reduced.allCases {
      #expect(kind.levels.contains { $0.rawValue == FORGE_SCALAR.rawValue })
      for level in Level.available where kind.convolution(level) == nil {
        print("CForgeKernelsTests: \(level) has no \(kind) here: they are NOT tested")
      }
    }
  }

  @Test("channel counts", arguments: windows, channels)
  func inputChannels(kind: Reduced, inputs: Int) {
    for (i, outputs) in Self.channels.enumerated() {
      check(
        kind,
        ConvolutionCase(
          height: 3, width: 5, inputs: inputs, outputs: outputs, kernel: (3, 3),
          padding: (1, 1, 1, 1), panel: Self.panels[i % 4]))
    }
  }

  @Test("row widths with and without a stride", arguments: windows, panels)
  func widths(kind: Reduced, panel: Int) {
    for width in Array(1...30) + [43] {
      for stride in 1...2 {
        check(
          kind,
          ConvolutionCase(
            width: width, inputs: 33, outputs: 65, stride: (y: 1, x: stride), panel: panel))
      }
    }
  }

  /// With stride 1 the rows of an image, and the windows between them, are one line of tiles.
  @Test("rows that are read as one line", arguments: panels, [1, 2, 7, 14, 17, 33])
  func lines(panel: Int, width: Int) {
    for (height, kernel) in [(1, (1, 1)), (2, (3, 3)), (7, (3, 3)), (9, (1, 5)), (11, (4, 2))] {
      for stride in [1, 2] {
        check(
          .widePairs,
          ConvolutionCase(
            height: height, width: width, inputs: 35, outputs: 70, kernel: kernel,
            stride: (stride, 1), padding: (1, 2, 1, 2), panel: panel,
            activation: height == 7 ? Activation(kind: FORGE_SWISH, a: 1) : .relu,
            residual: height == 9), inPlace: height == 9, hasAdjacentRows: true)
      }
    }
  }

  @Test("image as one segmented row", arguments: windows, panels)
  func flat(kind: Reduced, panel: Int) {
    for (height, width) in [(1, 1), (3, 1), (1, 29), (5, 7), (7, 7), (13, 11)] {
      for segments in 1...3 {
        check(
          kind,
          ConvolutionCase(
            height: height, width: width, inputs: 50, outputs: 70, panel: panel,
            segments: segments,
            activation: segments == 2 ? Activation(kind: FORGE_SWISH, a: 1) : .relu,
            residual: segments == 3), flat: true)
      }
    }
  }

  @Test("strides and dilations", arguments: windows, 1...3)
  func geometry(kind: Reduced, y: Int) {
    for x in 1...3 {
      for kernel in [(height: 1, width: 1), (3, 3), (2, 5)] {
        let test = ConvolutionCase(
          height: 11, width: 17, inputs: 18, outputs: 20, kernel: kernel, stride: (y, x),
          padding: (1, 2, 1, 2), panel: 32)
        check(kind, test)
        var dilated = test
        (dilated.stride, dilated.dilation) = ((x, 1), (y, x))
        dilated.padding = (y, x, y, x)
        check(kind, dilated)
      }
    }
  }

  @Test("kernels and padding, different on each side", arguments: windows)
  func padding(kind: Reduced) {
    for test in [
      ConvolutionCase(kernel: (1, 7), padding: (0, 3, 0, 3)),
      ConvolutionCase(kernel: (7, 1), padding: (3, 0, 3, 0)),
      ConvolutionCase(kernel: (3, 3), padding: (0, 1, 2, 3)),
      ConvolutionCase(kernel: (2, 4), stride: (2, 3), padding: (3, 0, 1, 2)),
      ConvolutionCase(kernel: (1, 1), padding: (1, 2, 3, 0)),
      ConvolutionCase(kernel: (4, 3), padding: (5, 6, 4, 7)),
    ] {
      for (height, width) in [(7, 13), (23, 8), (4, 3)] {
        var test = test
        (test.height, test.width, test.inputs, test.outputs) = (height, width, 19, 34)
        check(kind, test)
      }
    }
  }

  @Test("dense layer: the kernel covers the image", arguments: Reduced.allCases, panels)
  func dense(kind: Reduced, panel: Int) {
    for (height, width) in [(1, 1), (7, 5), (4, 4)] {
      for inputs in [1, 17, 50, 64] {
        for outputs in [1, 10, 65, 130, 193] {
          check(
            kind,
            ConvolutionCase(
              height: height, width: width, inputs: inputs, outputs: outputs,
              kernel: (height, width), panel: panel))
        }
      }
    }
  }

  @Test("dense layer of more panels than are summed at once", arguments: [2048, 2112, 2171])
  func manyPanels(outputs: Int) {
    for kind in Reduced.allCases where kind.isOfOnePixel {
      check(
        kind, ConvolutionCase(height: 1, width: 1, inputs: 37, outputs: outputs, residual: true))
    }
  }

  @Test("24-bit weights have the same bits without AVX512-VBMI2", arguments: [1, 65, 130, 2171])
  func withoutShiftsOfPairs(outputs: Int) {
    for inputs in [1, 17, 530] {
      let test = ConvolutionCase(
        height: 1, width: 2, inputs: inputs, outputs: outputs, kernel: (1, 2), residual: true)
      let numbers = ConvolutionNumbers(test)
      let weights = ReducedWeights(.fixed, numbers.weights, test)
      for level in Reduced.fixed.levels {
        let older = forge_precision_kernels_without_vbmi2(forge_level(level.rawValue))
        let bits = [nil, older.fixed_convolution].map { kernel in
          let prepared = numbers.prepare(.fixed, weights, test, on: level, kernel: kernel)
          prepared.runAll()
          return prepared.out.buffer.bits
        }
        #expect(bits[0] == bits[1], "\(level), \(test)")
      }
    }
  }

  @Test("one output pixel with padding", arguments: Reduced.allCases)
  func onePixel(kind: Reduced) {
    check(
      kind,
      ConvolutionCase(
        height: 3, width: 2, inputs: 21, outputs: 70, kernel: (5, 4), padding: (1, 1, 1, 1)))
  }

  @Test("activations, with and without a residual, in place", arguments: Activation.all)
  func epilogues(activation: Activation) {
    for kind in Reduced.allCases {
      for residual in [false, true] {
        for (outputs, panel) in [(21, 32), (21, 64), (64, 64), (130, 48)] {
          let width = kind.isOfOnePixel ? 1 : 17
          let test = ConvolutionCase(
            height: 3, width: width, inputs: 20, outputs: outputs,
            kernel: kind.isOfOnePixel ? (3, 1) : (3, 2), panel: panel, activation: activation,
            residual: residual)
          check(kind, test)
          if residual { check(kind, test, inPlace: true) }
        }
      }
    }
  }

  @Test("one image of a batch", arguments: Reduced.allCases)
  func batch(kind: Reduced) {
    check(
      kind,
      ConvolutionCase(
        height: 5, width: 7, inputs: 17, outputs: 33,
        kernel: kind.isOfOnePixel ? (5, 7) : (3, 3), panel: 16, activation: .relu, residual: true,
        images: 3))
  }

  @Test("tiles of all steps are independent", arguments: Reduced.allCases, panels)
  func tiles(kind: Reduced, panel: Int) {
    for flat in [false, true] where !(flat && kind.isOfOnePixel) {
      let kernel = flat ? (1, 1) : kind.isOfOnePixel ? (6, 23) : (3, 3)
      let edge = flat || kind.isOfOnePixel ? 0 : 1
      let test = ConvolutionCase(
        height: 6, width: 23, inputs: 35, outputs: 133, kernel: kernel,
        padding: (edge, edge, edge, edge), panel: panel, segments: flat ? 3 : 1,
        activation: Activation(kind: FORGE_SWISH, a: 1), residual: true)
      let numbers = ConvolutionNumbers(test)
      let weights = ReducedWeights(kind, numbers.weights, test)
      for level in kind.levels {
        let prepared = numbers.prepare(kind, weights, test, on: level, flat: flat)
        for step in prepared.before { expectIndependentTiles(step, "\(kind), \(level), words") }
        expectIndependentTiles(prepared.call, "\(kind), \(level), \(test)")
        guard kind == .widePairs else { continue }
        let line = numbers.prepare(
          kind, weights, test, on: level, flat: flat, hasAdjacentRows: true)
        for step in line.before { step.runAll() }
        expectIndependentTiles(line.call, "\(kind), \(level), one line, \(test)")
      }
    }
  }

  /// Integer sums are exact and the remaining operations keep their order: all levels give the same
  /// bits.
  @Test("int8 results have the same bits on every level", arguments: channels)
  func bytes(inputs: Int) {
    for outputs in [1, 17, 64, 130] {
      let test = ConvolutionCase(
        height: 5, width: 9, inputs: inputs, outputs: outputs, kernel: (3, 2),
        padding: (1, 1, 1, 1), panel: 48, activation: .relu, residual: true)
      let numbers = ConvolutionNumbers(test)
      let weights = ReducedWeights(.quads, numbers.weights, test)
      let bits = Reduced.quads.levels.map { level in
        let prepared = numbers.prepare(.quads, weights, test, on: level)
        prepared.runAll()
        return prepared.out.buffer.bits
      }
      #expect(Set(bits).count == 1, "\(test)")
    }
  }
}
