import CForgeKernels
import Foundation
import Testing

/// Checks a Winograd convolution on every level, in one step and in two: numbers, and equal bits.
private func check(_ test: WinogradCase, sourceLocation: SourceLocation = #_sourceLocation) {
  let numbers = WinogradNumbers(test)
  let expected = numbers.expected(test)
  for level in Level.vectors {
    let label = "\(level), \(test)"
    let one = numbers.prepare(test, on: level)
    let before = one.out.buffer.bits
    one.whole.runAll()
    expect(
      one.out, image: test.convolution.images - 1, equals: expected, before: before, label,
      sourceLocation: sourceLocation)
    #expect(!one.hasStrayed(worker: 0), "\(label): scratch", sourceLocation: sourceLocation)

    let two = numbers.prepare(test, on: level)
    two.input.runAll()
    two.output.runAll()
    #expect(
      two.out.buffer.bits == one.out.buffer.bits, "\(label): two steps",
      sourceLocation: sourceLocation)
    #expect(
      !two.hasStrayed(worker: 0, inputOfWholeImage: true), "\(label): scratch of two steps",
      sourceLocation: sourceLocation)
  }
}

@Suite struct WinogradTests {
  static let channels = [1, 2, 3, 15, 16, 17, 31, 32, 33, 48, 64, 65, 70]
  static let panels = [16, 32, 48, 64]

  @Test("supported and unsupported forms")
  func forms() {
    for form in WinogradForm.all {
      let (tile, kernel) = (form.tile, form.kernel)
      let has = { (pooled: Int32) in
        forge_has_winograd(
          Int32(tile.height), Int32(kernel.height), Int32(tile.width), Int32(kernel.width),
          Int32(form.stride), pooled)
      }
      #expect(has(0) != 0, "\(form)")
      #expect((has(1) != 0) == form.canPool, "\(form)")
    }
    var count = 0
    for (height, width) in (1...8).flatMap({ y in (1...8).map { (y, $0) } }) {
      for (rows, columns) in (1...8).flatMap({ y in (1...8).map { (y, $0) } }) {
        for stride in 1...2 as ClosedRange<Int32> {
          count += Int(
            forge_has_winograd(
              Int32(height), Int32(rows), Int32(width), Int32(columns), stride, 0))
        }
      }
    }
    #expect(count == WinogradForm.all.count)
  }

  @Test("activations, residuals and poolings of every form", arguments: WinogradForm.all)
  func epilogues(form: WinogradForm) {
    for (index, activation) in Activation.all.enumerated() {
      for residual in [false, true] {
        check(
          WinogradCase(
            form, height: 2 * form.stride * form.tile.height + 1,
            width: form.stride * form.tile.width + 3, inputs: 5,
            outputs: index.isMultiple(of: 2) ? 18 : 33, panel: Self.panels[index % 4],
            activation: activation, residual: residual))
      }
      guard form.canPool else { continue }
      for pooling in [Pooling.roundedDown, .roundedUp] {
        var test = WinogradCase(
          form, height: 2 * form.stride * form.tile.height + 1,
          width: form.stride * form.tile.width + 3, inputs: 5,
          outputs: index.isMultiple(of: 2) ? 18 : 33, panel: Self.panels[index % 4],
          activation: activation)
        test.pooling = pooling
        check(test)
      }
    }
  }

  @Test("sizes from one pixel to several tiles", arguments: WinogradForm.all)
  func sizes(form: WinogradForm) {
    let sizes = [
      (1, 1), (1, 2), (2, 1), (2, 2), (3, 5), (4, 4), (5, 3), (6, 6), (7, 13), (11, 8), (13, 13),
      (23, 2), (1, 29), (12, 19),
    ]
    for (index, (height, width)) in sizes.enumerated() {
      for pooling in form.canPool ? Pooling.allCases : [.none] {
        var test = WinogradCase(
          form, height: height, width: width, inputs: 3, outputs: 17, panel: 32,
          activation: .relu)
        test.pooling = pooling
        test.chunk = [1, 2, 5, 6, 1000][index % 5]
        // Rounded down, one row or column gives none.
        if pooling == .roundedDown, min(height, width) < 2 { continue }
        check(test)
      }
    }
  }

  @Test("padding of 0 to 4 pixels, different on each side", arguments: WinogradForm.all)
  func padding(form: WinogradForm) {
    for top in 0...4 {
      for left in 0...4 {
        let padding = (
          top: top, left: left, bottom: (top * 3 + left) % 5, right: (left * 2 + top + 1) % 5
        )
        var test = WinogradCase(
          form, height: 7, width: 8, inputs: 2, outputs: 3, padding: padding, panel: 16)
        test.pooling = form.canPool && (top + left) % 2 == 1 ? .roundedUp : .none
        check(test)
      }
    }
  }

  /// `.same` of even and odd sizes, `.valid`, and edges larger than the window.
  @Test("stride 2: paddings of even and odd sizes", arguments: WinogradForm.strided, 1...9)
  func stridedPaddings(form: WinogradForm, height: Int) {
    for width in [2, 3, 8, 9, 14, 15] {
      let same = { (size: Int) in size.isMultiple(of: 2) ? (0, 1) : (1, 1) }
      let ((top, bottom), (left, right)) = (same(height), same(width))
      let paddings: [(top: Int, left: Int, bottom: Int, right: Int)] = [
        (top, left, bottom, right), (0, 0, 0, 0), (1, 0, 0, 2), (5, 4, 3, 6),
      ]
      for padding in paddings
      where height + padding.top + padding.bottom >= 3
        && width + padding.left + padding.right >= 3
      {
        check(
          WinogradCase(
            form, height: height, width: width, inputs: 19, outputs: 34, padding: padding,
            panel: 32, activation: .relu, residual: width.isMultiple(of: 2)))
      }
    }
  }

  @Test("channel counts", arguments: WinogradForm.all)
  func channels(form: WinogradForm) {
    for (index, inputs) in Self.channels.enumerated() {
      for step in [0, 5, 9] {
        let outputs = Self.channels[(index + step) % Self.channels.count]
        var test = WinogradCase(
          form, height: form.stride * form.tile.height + 1,
          width: form.stride * form.tile.width, inputs: inputs,
          outputs: outputs, panel: Self.panels[(index + step) % 4], residual: step == 5)
        test.summed = [16, 32, 48, 4096][index % 4]
        check(test)
      }
    }
  }

  /// A plan splits an image differently for other thread counts.
  @Test("chunk size preserves bits", arguments: WinogradForm.all)
  func chunks(form: WinogradForm) {
    for summed in [16, 32, 4096] {
      var test = WinogradCase(
        form, height: 2 * form.stride * form.tile.height + 1,
        width: 3 * form.stride * form.tile.width + 1, inputs: 50,
        outputs: 70, panel: 48, activation: .relu, residual: true)
      test.summed = summed
      let numbers = WinogradNumbers(test)
      for level in Level.vectors {
        var bits: [UInt32]?
        for chunk in [1, 2, 5, 6, 12, 1 << 30] {
          test.chunk = chunk
          let prepared = numbers.prepare(test, on: level)
          prepared.whole.runAll()
          let made = prepared.out.buffer.bits
          if let bits {
            #expect(made == bits, "\(level), \(test)")
          } else {
            bits = made
          }
        }
      }
    }
  }

  @Test("tiles are independent", arguments: WinogradForm.all)
  func tiles(form: WinogradForm) {
    for pooling in form.canPool ? Pooling.allCases : [.none] {
      var test = WinogradCase(
        form, height: 2 * form.stride * form.tile.height + 1,
        width: 2 * form.stride * form.tile.width + 1, inputs: 35,
        outputs: 70, panel: 32, activation: Activation(kind: FORGE_SWISH, a: 1),
        residual: pooling == .none)
      test.pooling = pooling
      test.chunk = 2
      test.summed = 16
      let numbers = WinogradNumbers(test)
      for level in Level.vectors {
        let prepared = numbers.prepare(test, on: level)
        expectIndependentTiles(prepared.whole, "\(level), \(test), whole")
        let two = numbers.prepare(test, on: level)
        expectIndependentTiles(two.input, "\(level), \(test), input")
        two.input.runAll()
        expectIndependentTiles(two.output, "\(level), \(test), output")
        #expect(prepared.out.buffer.bits == two.out.buffer.bits)
      }
    }
  }

  @Test("workers have separate scratch memory", arguments: [0, 1, 3])
  func workers(worker: Int) {
    for form in WinogradForm.all {
      var test = WinogradCase(
        form, height: 9, width: 10, inputs: 20, outputs: 33, panel: 32, activation: .relu)
      test.chunk = 2
      let numbers = WinogradNumbers(test)
      for level in Level.vectors {
        let first = numbers.prepare(test, on: level)
        first.whole.runAll()
        let prepared = numbers.prepare(test, on: level, worker: worker)
        prepared.whole.runAll()
        #expect(prepared.out.buffer.bits == first.out.buffer.bits, "\(level), \(test)")
        #expect(!prepared.hasStrayed(worker: worker), "\(level), \(test)")
        // The input of a whole image is one, whoever makes it; products are each worker's.
        let two = numbers.prepare(test, on: level, worker: worker)
        two.input.runAll()
        two.output.runAll()
        #expect(two.out.buffer.bits == first.out.buffer.bits, "\(level), \(test)")
        #expect(
          !two.hasStrayed(worker: worker, inputOfWholeImage: true), "\(level), \(test)")
      }
    }
  }

  @Test("one image of a batch", arguments: WinogradForm.all)
  func batch(form: WinogradForm) {
    check(
      WinogradCase(
        form, height: 7, width: 9, inputs: 17, outputs: 33, panel: 48, activation: .relu,
        residual: true, images: 3))
  }

  @Test("results match the scalar direct convolution", arguments: WinogradForm.all)
  func direct(form: WinogradForm) throws {
    let scalar = Level(rawValue: FORGE_SCALAR.rawValue)
    for (height, width, inputs, outputs) in [(13, 17, 70, 33), (8, 8, 16, 64)] {
      let test = WinogradCase(
        form, height: height, width: width, inputs: inputs, outputs: outputs, activation: .relu)
      let numbers = WinogradNumbers(test)
      let direct = numbers.numbers.prepare(test.convolution, on: scalar)
      direct.call.runAll()
      for level in Level.vectors {
        let prepared = numbers.prepare(test, on: level)
        prepared.whole.runAll()
        var (squares, all) = (0.0, 0.0)
        for y in 0..<test.convolution.outHeight {
          for x in 0..<test.convolution.outWidth {
            for c in 0..<outputs {
              let wanted = Double(direct.out[y, x, c])
              squares += pow(Double(prepared.out[y, x, c]) - wanted, 2)
              all += wanted * wanted
            }
          }
        }
        #expect(all > 0)
        #expect((squares / all).squareRoot() < 1e-5, "\(level), \(test)")
      }
    }
  }

  /// A non-finite value enters every product of its tile: all pixels of the tile are affected, and
  /// no pixel of any other tile.
  @Test("NaN and infinity affect only their tiles", arguments: [Float.nan, .infinity, -.infinity])
  func specialValues(value: Float) {
    for form in WinogradForm.all {
      let test = WinogradCase(
        form, height: 4 * form.stride * form.tile.height,
        width: 4 * form.stride * form.tile.width, inputs: 18, outputs: 21)
      var numbers = WinogradNumbers(test)
      let (y, x) = (2 * form.stride * form.tile.height, 2 * form.stride * form.tile.width)
      for level in Level.vectors {
        let clean = numbers.prepare(test, on: level)
        clean.whole.runAll()
        let kept = numbers.numbers.input[y, x, 17]
        numbers.numbers.input[y, x, 17] = value
        defer { numbers.numbers.input[y, x, 17] = kept }
        let spoiled = numbers.prepare(test, on: level)
        spoiled.whole.runAll()
        for row in 0..<test.convolution.outHeight {
          for column in 0..<test.convolution.outWidth {
            // What the tile reads, and what the window of this pixel does.
            let (top, left) = (
              row / form.tile.height * form.tile.height * form.stride - form.same.top,
              column / form.tile.width * form.tile.width * form.stride - form.same.left
            )
            let isRead =
              (top..<top + form.stride * form.vertical.alpha).contains(y)
              && (left..<left + form.stride * form.horizontal.alpha).contains(x)
            let (first, near) = (
              row * form.stride - form.same.top, column * form.stride - form.same.left
            )
            let isSeen =
              (first..<first + form.kernel.height).contains(y)
              && (near..<near + form.kernel.width).contains(x)
            for c in 0..<21 {
              let made = spoiled.out[row, column, c]
              let label: Comment = "\(level), \(form), (\(row), \(column), \(c))"
              if isSeen {
                #expect(!made.isFinite, label)
              } else if !isRead {
                #expect(made.bitPattern == clean.out[row, column, c].bitPattern, label)
              }
            }
          }
        }
      }
    }
  }

  @Test("pooling propagates NaN")
  func pooledNaN() {
    for form in WinogradForm.all where form.canPool {
      var test = WinogradCase(form, height: 12, width: 12, inputs: 3, outputs: 17)
      test.pooling = .roundedDown
      var numbers = WinogradNumbers(test)
      numbers.numbers.input[5, 5, 1] = .nan
      for level in Level.vectors {
        let prepared = numbers.prepare(test, on: level)
        prepared.whole.runAll()
        // Pixels 4 to 6 see it with any kernel here: poolings 2 and 3.
        for y in 2...3 {
          for x in 2...3 {
            for c in 0..<17 { #expect(prepared.out[y, x, c].isNaN, "\(level), \(form)") }
          }
        }
      }
    }
  }
}
