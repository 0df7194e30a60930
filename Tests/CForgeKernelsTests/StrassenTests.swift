import CForgeKernels
import Testing

/// Checks a convolution by Strassen's algorithm on every level: numbers, and that nothing else is written.
private func check(
  _ test: StrassenCase, inPlace: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
) {
  let numbers = StrassenNumbers(test)
  for level in Level.available {
    let label = "\(level), \(test), in place \(inPlace)"
    let prepared = numbers.prepare(test, on: level, inPlace: inPlace)
    let before = prepared.out.buffer.bits
    prepared.runAll()
    expect(
      prepared.out, image: test.convolution.images - 1, equals: numbers.expected, before: before,
      label, sourceLocation: sourceLocation)
    #expect(
      !prepared.hasStrayed(workers: [0]), "\(label): scratch", sourceLocation: sourceLocation)
  }
}

@Suite struct StrassenTests {
  static let panels = [16, 32, 48, 64]
  static let channels = [32, 64, 96, 128, 160]
  static let images: [(height: Int, width: Int)] = [
    (1, 1), (1, 2), (3, 1), (1, 7), (7, 7), (9, 7), (11, 11), (1, 97), (13, 4),
  ]

  @Test("pixels, odd, even and prime, in segments", arguments: [1, 2, 3, 6])
  func pixels(segments: Int) {
    for (index, (height, width)) in Self.images.enumerated() {
      for (inputs, outputs) in [(32, 64), (96, 32)] {
        check(
          StrassenCase(
            height: height, width: width, inputs: inputs, outputs: outputs,
            panel: Self.panels[(index + segments) % 4], segments: segments,
            activation: index.isMultiple(of: 2) ? .linear : .relu,
            residual: index.isMultiple(of: 3)))
      }
    }
  }

  @Test("numbers of channels", arguments: channels, panels)
  func inputChannels(inputs: Int, panel: Int) {
    for outputs in Self.channels {
      check(
        StrassenCase(
          height: 3, width: 7, inputs: inputs, outputs: outputs, panel: panel, segments: 2))
    }
  }

  @Test("activations, with and without a residual", arguments: Activation.all)
  func epilogues(activation: Activation) {
    for residual in [false, true] {
      for (panel, segments) in [(16, 1), (32, 3), (64, 2)] {
        let test = StrassenCase(
          height: 3, width: 5, inputs: 32, outputs: 96, panel: panel, segments: segments,
          activation: activation, residual: residual)
        check(test)
        if residual { check(test, inPlace: true) }
      }
    }
  }

  @Test("an image of a batch")
  func batch() {
    check(
      StrassenCase(
        height: 5, width: 3, inputs: 64, outputs: 96, panel: 32, segments: 2, activation: .relu,
        residual: true, images: 3))
  }

  /// A plan cuts no image so, but nothing in the contract keeps it from doing so.
  @Test("segments without a pixel", arguments: [(1, 2), (1, 6), (2, 3), (5, 6)])
  func emptySegments(pixels: Int, segments: Int) {
    check(
      StrassenCase(
        width: pixels, inputs: 32, outputs: 64, panel: 16, segments: segments, residual: true))
  }

  @Test("tiles are independent", arguments: panels)
  func tiles(panel: Int) {
    for segments in [1, 3] {
      let test = StrassenCase(
        height: 5, width: 5, inputs: 64, outputs: 160, panel: panel, segments: segments,
        activation: Activation(kind: FORGE_SWISH, a: 1), residual: true)
      let numbers = StrassenNumbers(test)
      for level in Level.available {
        let prepared = numbers.prepare(test, on: level)
        expectIndependentTiles(prepared.input, "\(level), \(test), input")
        prepared.input.runAll()
        expectIndependentTiles(prepared.output, "\(level), \(test), output")
      }
    }
  }

  @Test("tiles dealt out in any order, to any worker, give the same bits", arguments: [1, 2, 3, 6])
  func dealt(segments: Int) {
    var random = SeededGenerator(seed: UInt64(segments))
    for (height, width) in [(1, 1), (7, 7), (11, 11)] {
      let test = StrassenCase(
        height: height, width: width, inputs: 96, outputs: 160, panel: 16, segments: segments,
        activation: .relu, residual: true)
      let numbers = StrassenNumbers(test)
      for level in Level.available {
        let whole = numbers.prepare(test, on: level)
        whole.runAll()
        for workers in 1...4 {
          let dealt = numbers.prepare(test, on: level)
          dealt.input.runDealt(workers: workers, random: &random)
          dealt.output.runDealt(workers: workers, random: &random)
          #expect(
            dealt.out.buffer.bits == whole.out.buffer.bits, "\(level), \(workers) workers, \(test)")
          #expect(!dealt.hasStrayed(workers: Set(0..<workers)), "\(level), \(workers), \(test)")
        }
      }
    }
  }

  @Test("each worker has scratch of its own", arguments: 0...3)
  func workers(worker: Int) {
    let test = StrassenCase(height: 5, width: 5, inputs: 64, outputs: 160, panel: 32, segments: 2)
    let numbers = StrassenNumbers(test)
    for level in Level.available {
      let first = numbers.prepare(test, on: level)
      first.runAll()
      let prepared = numbers.prepare(test, on: level)
      for call in [prepared.input, prepared.output] { call.runAs(worker, 0..<call.tiles) }
      #expect(prepared.out.buffer.bits == first.out.buffer.bits, "\(level)")
      #expect(!prepared.hasStrayed(workers: [worker]), "\(level)")
    }
  }

  /// Scratch comes from an arena in which anything may have been.
  @Test("what scratch held before changes no bit")
  func scratch() {
    let test = StrassenCase(
      height: 5, width: 5, inputs: 64, outputs: 96, panel: 48, segments: 3, residual: true)
    let numbers = StrassenNumbers(test)
    for level in Level.available {
      let first = numbers.prepare(test, on: level)
      first.runAll()
      let second = numbers.prepare(test, on: level)
      for buffer in [second.sums, second.products] {
        for i in 0..<buffer.count { buffer.pointer[i] = .infinity }
      }
      second.runAll()
      #expect(first.out.buffer.bits == second.out.buffer.bits, "\(level)")
    }
  }

  @Test("the scalar direct convolution gives the same numbers", arguments: channels)
  func direct(inputs: Int) {
    let scalar = Level(rawValue: FORGE_SCALAR.rawValue)
    let test = StrassenCase(
      height: 11, width: 11, inputs: inputs, outputs: 128, segments: 2, activation: .relu)
    let numbers = StrassenNumbers(test)
    let direct = numbers.numbers.prepare(test.convolution, on: scalar)
    direct.call.runAll()
    let plain = numbers.prepare(test, on: scalar)
    plain.runAll()
    for level in Level.available {
      let prepared = numbers.prepare(test, on: level)
      prepared.runAll()
      var (fromDirect, fromScalar, all) = (0.0, 0.0, 0.0)
      for y in 0..<11 {
        for x in 0..<11 {
          for c in 0..<128 {
            let made = Double(prepared.out[y, x, c])
            let wanted = Double(direct.out[y, x, c])
            let same = Double(plain.out[y, x, c])
            fromDirect += (made - wanted) * (made - wanted)
            fromScalar += (made - same) * (made - same)
            all += wanted * wanted
          }
        }
      }
      #expect(all > 0)
      // What KernelChoice counts on when it keeps to an accuracy, and three times that between levels.
      #expect((fromDirect / all).squareRoot() < 1e-6, "\(level), \(test)")
      #expect((fromScalar / all).squareRoot() < 1e-6, "\(level), \(test)")
    }
  }

  /// A number that is not finite gets into the products of both halves: the pixel's own outputs are never
  /// finite, those of other segments and of other pairs of pixels are not touched.
  @Test("NaN and infinity stay in their pair of pixels", arguments: [Float.nan, .infinity])
  func specialValues(value: Float) {
    let test = StrassenCase(height: 1, width: 12, inputs: 64, outputs: 96, segments: 2)
    var numbers = StrassenNumbers(test)
    for level in Level.available {
      let clean = numbers.prepare(test, on: level)
      clean.runAll()
      for (pixel, partner) in [(1, 4), (4, 1), (8, 11)] {
        let kept = numbers.numbers.input[0, pixel, 40]
        numbers.numbers.input[0, pixel, 40] = value
        defer { numbers.numbers.input[0, pixel, 40] = kept }
        let spoiled = numbers.prepare(test, on: level)
        spoiled.runAll()
        for x in 0..<12 {
          for c in 0..<96 {
            let made = spoiled.out[0, x, c]
            if x == pixel {
              #expect(!made.isFinite, "\(level), pixel \(x), channel \(c)")
            } else if x != partner {
              #expect(made.bitPattern == clean.out[0, x, c].bitPattern, "\(level), pixel \(x)")
            }
          }
        }
      }
    }
  }

  /// Tiles and scratch, as the header says.
  @Test("tiles and the sizes of scratch", arguments: [1, 2, 3, 6])
  func sizes(segments: Int) {
    for (height, width) in Self.images {
      for (inputs, outputs, panel) in [(32, 32, 16), (64, 160, 48), (160, 96, 64)] {
        var arguments = forge_strassen_arguments()
        (arguments.in.height, arguments.in.width) = (Int32(height), Int32(width))
        (arguments.in.channels, arguments.out.channels) = (Int32(inputs), Int32(outputs))
        (arguments.panel_width, arguments.segments) = (Int32(panel), Int32(segments))
        let test = StrassenCase(
          height: height, width: width, inputs: inputs, outputs: outputs, segments: segments)
        let most = (0..<segments).map { test.segment($0).upper }.max() ?? 0
        let sums = Int(forge_strassen_sums_floats(&arguments))
        let products = Int(forge_strassen_products_floats(&arguments))
        #expect(sums >= segments * 4 * inputs / 2 * most)
        #expect(products >= 4 * panel * most)
        // Room for a pixel more than is needed, at most.
        #expect(sums <= segments * 4 * inputs / 2 * (most + 1))
        #expect(products <= 4 * panel * (most + 1))
        #expect(
          forge_strassen_input_tiles(&arguments) == Int64(inputs / 32 * segments))
        #expect(
          forge_strassen_output_tiles(&arguments)
            == Int64((outputs / 2 + panel - 1) / panel * segments))
      }
    }
  }
}
