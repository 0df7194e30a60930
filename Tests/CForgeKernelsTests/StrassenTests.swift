import CForgeKernels
import Foundation
import Testing

/// Checks a convolution by Strassen's algorithm on every level: numbers, and that nothing else is written.
private func check(
  _ test: StrassenCase, inPlace: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
) {
  let numbers = StrassenNumbers(test)
  for level in Level.vectors {
    let label = "\(level), \(test), in place \(inPlace)"
    let prepared = numbers.prepare(test, on: level, inPlace: inPlace)
    let before = prepared.out.buffer.bits
    prepared.runAll()
    expect(
      prepared.out, image: test.convolution.images - 1, equals: numbers.expected, before: before,
      label, sourceLocation: sourceLocation)
    #expect(
      !prepared.hasStrayed(workers: [0]), "\(label): scratch", sourceLocation: sourceLocation)
    let shared = numbers.prepare(test, on: level, inPlace: inPlace, sharesSums: true)
    shared.runAll()
    #expect(
      shared.out.buffer.bits == prepared.out.buffer.bits, "\(label): shared sums",
      sourceLocation: sourceLocation)
    #expect(
      !shared.hasStrayed(workers: [0]), "\(label): scratch beside shared sums",
      sourceLocation: sourceLocation)
  }
}

@Suite struct StrassenTests {
  static let panels = [16, 32, 48, 64]
  static let images: [(height: Int, width: Int)] = [
    (1, 1), (1, 2), (3, 1), (1, 5), (1, 7), (7, 7), (9, 7), (11, 11), (1, 97), (13, 4),
  ]

  /// So many parts of 16 channels each for every half of every level.
  private static func channels(_ parts: Int, levels: Int) -> Int { parts * 16 << levels }

  @Test("odd, even and prime pixel counts in segments", arguments: [1, 2, 3, 6], [1, 2])
  func pixels(segments: Int, levels: Int) {
    for (index, (height, width)) in Self.images.enumerated() {
      for (inputs, outputs) in [(1, 2), (3, 1)] {
        check(
          StrassenCase(
            height: height, width: width, inputs: Self.channels(inputs, levels: levels),
            outputs: Self.channels(outputs, levels: levels),
            panel: Self.panels[(index + segments) % 4], levels: levels, segments: segments,
            activation: index.isMultiple(of: 2) ? .linear : .relu,
            residual: index.isMultiple(of: 3)))
      }
    }
  }

  @Test("channel counts", arguments: [1, 2], panels)
  func channels(levels: Int, panel: Int) {
    for inputs in 1...(6 - levels) {
      for outputs in 1...(6 - levels) {
        check(
          StrassenCase(
            height: 3, width: 7, inputs: Self.channels(inputs, levels: levels),
            outputs: Self.channels(outputs, levels: levels), panel: panel, levels: levels,
            segments: 2))
      }
    }
  }

  /// AVX2 multiplies many input channels in parts.
  @Test("many input channels", arguments: [1, 2], [16, 48, 64])
  func manyInputs(levels: Int, panel: Int) {
    for (index, (width, parts)) in [(7, 25), (97, 24), (421, 51)].enumerated() {
      check(
        StrassenCase(
          height: 1, width: width, inputs: Self.channels(parts, levels: levels),
          outputs: Self.channels(3, levels: levels), panel: panel, levels: levels,
          segments: 1 + index, activation: .relu, residual: true))
    }
  }

  @Test("activations, with and without a residual", arguments: Activation.all, [1, 2])
  func epilogues(activation: Activation, levels: Int) {
    for residual in [false, true] {
      for (panel, segments) in [(16, 1), (32, 3), (64, 2)] {
        let test = StrassenCase(
          height: 3, width: 5, inputs: Self.channels(1, levels: levels),
          outputs: Self.channels(3, levels: levels), panel: panel, levels: levels,
          segments: segments, activation: activation, residual: residual)
        check(test)
        if residual { check(test, inPlace: true) }
      }
    }
  }

  @Test("channels of very different scale", arguments: [1, 2], [2, 6])
  func scales(levels: Int, decades: Int) {
    for (index, (height, width)) in Self.images.enumerated() {
      check(
        StrassenCase(
          height: height, width: width, inputs: Self.channels(3, levels: levels),
          outputs: Self.channels(2, levels: levels), panel: Self.panels[index % 4], levels: levels,
          segments: 1 + index % 3, activation: index.isMultiple(of: 2) ? .linear : .relu,
          residual: index.isMultiple(of: 3), decades: decades))
    }
  }

  @Test("one image of a batch", arguments: [1, 2])
  func batch(levels: Int) {
    check(
      StrassenCase(
        height: 5, width: 3, inputs: 64, outputs: 192, panel: 32, levels: levels, segments: 2,
        activation: .relu, residual: true, images: 3))
  }

  /// No plan splits an image this way, but the contract allows it.
  @Test("segments without a pixel", arguments: [(1, 2), (1, 6), (2, 3), (5, 6)], [1, 2])
  func emptySegments(size: (pixels: Int, segments: Int), levels: Int) {
    check(
      StrassenCase(
        width: size.pixels, inputs: 64, outputs: 128, panel: 16, levels: levels,
        segments: size.segments, residual: true))
  }

  @Test("tiles are independent", arguments: panels, [1, 2])
  func tiles(panel: Int, levels: Int) {
    for segments in [1, 3] {
      let test = StrassenCase(
        height: 5, width: 5, inputs: 64, outputs: Self.channels(5, levels: levels), panel: panel,
        levels: levels, segments: segments, activation: Activation(kind: FORGE_SWISH, a: 1),
        residual: true)
      let numbers = StrassenNumbers(test)
      for level in Level.vectors {
        let own = numbers.prepare(test, on: level)
        own.factors.runAll()
        expectIndependentTiles(own.even, "\(level), even rows of \(test)")
        expectIndependentTiles(own.call, "\(level), \(test)")
        let shared = numbers.prepare(test, on: level, sharesSums: true)
        shared.factors.runAll()
        shared.even.runAll()
        if let sums = shared.sums { expectIndependentTiles(sums, "\(level), sums of \(test)") }
        shared.sums?.runAll()
        expectIndependentTiles(shared.call, "\(level), \(test), shared sums")
      }
    }
  }

  /// A worker keeps the sums of a segment between calls: here it alternates between segments.
  @Test("tile order and worker assignment preserve bits", arguments: [1, 2, 3, 6])
  func dealt(segments: Int) {
    var random = SeededGenerator(seed: UInt64(segments))
    for (height, width) in [(1, 1), (7, 7), (11, 11)] {
      for levels in 1...2 {
        let test = StrassenCase(
          height: height, width: width, inputs: 64, outputs: Self.channels(5, levels: levels),
          panel: 16, levels: levels, segments: segments, activation: .relu, residual: true)
        let numbers = StrassenNumbers(test)
        for level in Level.vectors {
          let whole = numbers.prepare(test, on: level)
          whole.runAll()
          for (workers, sharesSums) in (1...4).flatMap({ [($0, false), ($0, true)] }) {
            let label = "\(level), \(workers) workers, shared sums \(sharesSums), \(test)"
            let dealt = numbers.prepare(test, on: level, sharesSums: sharesSums)
            dealt.factors.runDealt(workers: workers, random: &random)
            dealt.even.runDealt(workers: workers, random: &random)
            dealt.sums?.runDealt(workers: workers, random: &random)
            dealt.call.runDealt(workers: workers, random: &random)
            #expect(dealt.out.buffer.bits == whole.out.buffer.bits, "\(label)")
            #expect(!dealt.hasStrayed(workers: Set(0..<workers)), "\(label)")
          }
        }
      }
    }
  }

  @Test("workers have separate scratch memory", arguments: 0...3)
  func workers(worker: Int) {
    let test = StrassenCase(
      height: 5, width: 5, inputs: 64, outputs: 320, panel: 32, levels: 2, segments: 2)
    let numbers = StrassenNumbers(test)
    for level in Level.vectors {
      let first = numbers.prepare(test, on: level)
      first.runAll()
      let prepared = numbers.prepare(test, on: level)
      prepared.factors.runAll()
      prepared.even.runAll()
      prepared.call.runAs(worker, 0..<prepared.call.tiles)
      #expect(prepared.out.buffer.bits == first.out.buffer.bits, "\(level)")
      #expect(!prepared.hasStrayed(workers: [worker]), "\(level)")
    }
  }

  /// Scratch is part of an arena with arbitrary previous contents, also sums of another image.
  @Test("previous scratch contents do not affect results", arguments: [1, 2])
  func scratch(levels: Int) {
    let test = StrassenCase(
      height: 5, width: 5, inputs: 64, outputs: 192, panel: 48, levels: levels, segments: 3,
      residual: true)
    let numbers = StrassenNumbers(test)
    for level in Level.vectors {
      let first = numbers.prepare(test, on: level)
      first.runAll()
      let second = numbers.prepare(test, on: level)
      for i in 0..<second.scratch.count { second.scratch.pointer[i] = .infinity }
      second.runAll()
      #expect(first.out.buffer.bits == second.out.buffer.bits, "\(level)")
      // The number of a segment, and sums that are none of it.
      let middle = second.start..<second.start + second.floats
      for i in middle.dropFirst(16) { second.scratch.pointer[i] = 1 }
      second.call.runAll()
      #expect(first.out.buffer.bits == second.out.buffer.bits, "\(level)")
    }
  }

  /// Errors are those of `StrassenForm.error`, of one level and of two.
  @Test("errors stay within the cost model's estimate", arguments: [1, 2], [64, 128, 192, 448])
  func direct(levels: Int, inputs: Int) {
    let test = StrassenCase(
      height: 11, width: 11, inputs: inputs, outputs: 128, levels: levels, segments: 2)
    let numbers = StrassenNumbers(test)
    let wanted = numbers.expected.values
    for level in Level.vectors {
      let prepared = numbers.prepare(test, on: level)
      prepared.runAll()
      var (errors, all) = (0.0, 0.0)
      for pixel in 0..<test.pixels {
        for c in 0..<128 {
          let value = wanted[pixel * 128 + c]
          let error = Double(prepared.out[pixel / 11, pixel % 11, c]) - value
          errors += error * error
          all += value * value
        }
      }
      #expect(all > 0)
      let most = (levels == 1 ? 4.5e-8 : 9e-8) * Double(inputs).squareRoot()
      #expect((errors / all).squareRoot() < most, "\(level), \(test)")
    }
  }

  /// A row is as exact as it is alone, whatever the rows that it is added to.
  @Test("rows of very different scale", arguments: [1, 2], [0, 3])
  func rows(levels: Int, decades: Int) {
    for (index, (height, width)) in Self.images.enumerated() {
      let test = StrassenCase(
        height: height, width: width, inputs: Self.channels(3, levels: levels),
        outputs: Self.channels(2, levels: levels), panel: Self.panels[index % 4], levels: levels,
        segments: 1 + index % 3, decades: decades)
      for exponents in [[0, 30], [-30, 0, 0], [-30, 30], [0, 6, -6, 3, -3], [-44, 37, 0]] {
        var numbers = StrassenNumbers(test) { numbers in
          numbers.bias = numbers.bias.map { _ in 0 }
          for i in numbers.input.values.indices {
            let exponent = exponents[i / test.convolution.inputs % exponents.count]
            numbers.input.values[i] *= Float(pow(10, Double(exponent) / (decades > 0 ? 4 : 1)))
          }
        }
        // Results of denormal rows are exact to a few of the smallest numbers.
        numbers.expected.tolerances = numbers.expected.tolerances.map { max($0, 0x1p-144) }
        for level in Level.vectors {
          let prepared = numbers.prepare(test, on: level)
          let before = prepared.out.buffer.bits
          prepared.runAll()
          expect(
            prepared.out, equals: numbers.expected, before: before,
            "\(level), \(test), \(exponents)")
        }
      }
    }
  }

  /// A row that is not finite has the values of direct summation; no other row changes.
  @Test(
    "NaN and infinity at every pixel",
    arguments: [[Float.nan], [.infinity], [-.infinity, .infinity]],
    [1, 2])
  func specialValues(values: [Float], levels: Int) {
    let sizes = (pixels: 14, inputs: 64, outputs: 192)
    let test = StrassenCase(
      width: sizes.pixels, inputs: sizes.inputs, outputs: sizes.outputs, levels: levels,
      segments: 2)
    for pixel in 0..<sizes.pixels {
      let numbers = StrassenNumbers(test) { numbers in
        // Infinity times zero is NaN.
        for i in stride(from: 0, to: numbers.weights.count, by: 7) { numbers.weights[i] = 0 }
        for (i, value) in values.enumerated() { numbers.input[0, pixel, 40 - 23 * i] = value }
      }
      for level in Level.vectors {
        let prepared = numbers.prepare(test, on: level)
        prepared.runAll()
        for x in 0..<sizes.pixels {
          for c in 0..<sizes.outputs {
            let (made, at) = (prepared.out[0, x, c], x * sizes.outputs + c)
            let wanted = numbers.expected.values[at]
            let label: Comment = "\(level), pixel \(x) beside \(pixel), channel \(c)"
            if x == pixel {
              #expect(made.isNaN == wanted.isNaN && (made.isNaN || made == Float(wanted)), label)
            } else {
              #expect(abs(Double(made) - wanted) <= numbers.expected.tolerances[at], label)
            }
          }
        }
      }
    }
  }

  /// Tiles as documented in the header, and scratch no larger than its contents.
  @Test("tile count and scratch size", arguments: [1, 2, 3, 6], [1, 2])
  func sizes(segments: Int, levels: Int) {
    for (height, width) in Self.images {
      for (inputs, outputs, panel) in [(64, 64, 16), (64, 320, 48), (320, 192, 64)] {
        var arguments = forge_strassen_arguments()
        (arguments.in.height, arguments.in.width) = (Int32(height), Int32(width))
        (arguments.in.channels, arguments.out.channels) = (Int32(inputs), Int32(outputs))
        (arguments.panel_width, arguments.segments) = (Int32(panel), Int32(segments))
        arguments.levels = Int32(levels)
        let test = StrassenCase(
          height: height, width: width, inputs: inputs, outputs: outputs, panel: panel,
          levels: levels, segments: segments)
        let most = (0..<segments).map { test.segment($0).count }.max() ?? 0
        // Four sums of a quarter of the image, and with two levels of seven products; as many
        // products as parts, and with two levels those of one product besides.
        let image = (most + 3) * inputs, made = (most + 3) * (panel << levels)
        let all = 16 + (levels == 1 ? image + made : image + image * 7 / 4 + made + made / 2)
        let least = levels == 1 ? most * (inputs + 2 * panel) : most * (inputs + 4 * panel)
        let floats = Int(forge_strassen_scratch_floats(&arguments))
        #expect(floats >= least && floats <= all, "\(test)")
        #expect(forge_strassen_tiles(&arguments) == Int64(test.panels * segments))
        let groups = inputs / (16 << levels)
        #expect(forge_strassen_sums_tiles(&arguments) == Int64(segments * groups))
        #expect(forge_strassen_sums_floats(&arguments) == 0, "\(test)")
        arguments.shares_sums = 1
        let shared = Int(forge_strassen_sums_floats(&arguments))
        #expect(shared >= most * inputs * segments && shared < all * segments, "\(test)")
        #expect(
          Int(forge_strassen_scratch_floats(&arguments)) == floats - 16 - shared / segments,
          "\(test)")
      }
    }
  }
}
