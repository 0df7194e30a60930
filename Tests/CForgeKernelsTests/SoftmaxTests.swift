import CForgeKernels
import Foundation
import Testing

/// Appends the softmax of a row by its definition.
private func appendSoftmax(of row: [Float], logarithm: Bool, to expected: inout Expected) {
  let largest = Double(row.filter { !$0.isNaN }.max() ?? .nan)
  // Kernels subtract in float; a float can be off by this much, which the exponential magnifies.
  let shifted = row.map { Double(Float($0 - Float(largest))) }
  let sum = shifted.reduce(0) { $0 + exp($1) }
  for x in shifted {
    if logarithm {
      let value = x - log(sum)
      expected.append(value, tolerance: 4e-7 * (abs(value) + 1))
    } else {
      let value = exp(x) / sum
      expected.append(value, tolerance: 1e-6 * value + 3e-45)
    }
  }
}

@Suite struct SoftmaxTests {
  @Test("channel counts", arguments: ConvolutionTests.channels + [1001], [false, true])
  func channels(count: Int, logarithm: Bool) {
    var random = SeededGenerator(seed: 31)
    var image = Image(3, 5, count, random: &random)
    for i in image.values.indices { image.values[i] *= [1, 20, 300][i % 3] }
    check(image, logarithm: logarithm, "\(count) channels")
  }

  private func check(_ image: Image, logarithm: Bool, _ label: String) {
    var expected = Expected()
    for pixel in 0..<image.height * image.width {
      let row = image.values[pixel * image.channels..<(pixel + 1) * image.channels]
      appendSoftmax(of: Array(row), logarithm: logarithm, to: &expected)
    }
    for level in Level.available {
      for inPlace in [false, true] {
        let input = Blocked(image, images: 2)
        let out =
          inPlace
          ? input
          : Blocked(image.height, image.width, image.channels, halo: Halo(left: 1), images: 2)
        let before = out.buffer.bits
        run(
          level.kernels.softmax,
          forge_softmax_arguments(
            in: input.view(base: 0), out: out.view(base: 1), logarithm: logarithm ? 1 : 0),
          bases: [input.buffer, out.buffer], image: 1, tiles: 0..<Int64(image.height))
        expect(out, image: 1, equals: expected, before: before, "\(level), \(label)")
      }
    }
  }

  @Test("plain tensor rows", arguments: [1, 2, 10, 15, 16, 17, 100, 1000], [false, true])
  func plain(columns: Int, logarithm: Bool) {
    var random = SeededGenerator(seed: 32)
    let numbers = random.values(7 * columns).map { $0 * 30 }
    var expected = Expected()
    for row in 0..<7 {
      appendSoftmax(
        of: Array(numbers[row * columns..<(row + 1) * columns]), logarithm: logarithm,
        to: &expected)
    }
    for level in Level.available {
      for inPlace in [false, true] {
        let input = Buffer(numbers + [0])
        let out = inPlace ? input : Buffer(count: numbers.count + 1)
        let behind = out.bits[numbers.count]
        var arguments = forge_softmax_plain_arguments()
        arguments.out.base = 1
        arguments.rows = 7
        arguments.columns = Int64(columns)
        arguments.logarithm = logarithm ? 1 : 0
        run(level.kernels.softmax_plain, arguments, bases: [input, out], tiles: 0..<7)
        let result = (0..<numbers.count).map { out.pointer[$0] }
        if let wrong = difference(result, expected, place: { "\($0)" }) {
          Issue.record("\(level), \(columns) columns: \(wrong)")
        }
        #expect(out.bits[numbers.count] == behind)
      }
    }
  }

  @Test("special values affect only their pixel", arguments: [false, true])
  func specialValues(logarithm: Bool) {
    for channels in [5, 18] {
      var random = SeededGenerator(seed: 33)
      var image = Image(1, 6, channels, random: &random)
      image[0, 1, 2] = .nan
      image[0, 2, channels - 1] = .infinity
      image[0, 3, 0] = -.infinity
      for c in 0..<channels { image[0, 4, c] = -.infinity }
      for c in 0..<channels { image[0, 5, c] = 3e38 }
      check(image, logarithm: logarithm, "special values")
    }
  }

  @Test("tiles are independent")
  func tiles() {
    var random = SeededGenerator(seed: 34)
    let image = Image(4, 5, 37, random: &random)
    for level in Level.available {
      let input = Blocked(image)
      let out = Blocked(4, 5, 37)
      expectIndependentTiles(
        Call(
          level.kernels.softmax,
          forge_softmax_arguments(in: input.view(base: 0), out: out.view(base: 1), logarithm: 0),
          bases: [input.buffer, out.buffer], out: out.buffer, tiles: forge_softmax_tiles),
        "\(level)")

      let rows = Buffer(random.values(90))
      let result = Buffer(count: 90)
      var plain = forge_softmax_plain_arguments()
      plain.out.base = 1
      plain.rows = 5
      plain.columns = 18
      expectIndependentTiles(
        Call(
          level.kernels.softmax_plain, plain, bases: [rows, result], out: result,
          tiles: forge_softmax_plain_tiles), "\(level), plain")
    }
  }
}
