import CForgeKernels
import Testing

/// A pooling to try; of the convolution's fields, those that a pooling has.
private struct PoolingCase: CustomStringConvertible {
  var window: ConvolutionCase
  var kind: forge_pooling_kind

  var description: String { "pooling \(kind.rawValue), \(window)" }

  /// The pooling by its definition.
  func expected(_ input: Image) -> Expected {
    var expected = Expected()
    for y in 0..<window.outHeight {
      for x in 0..<window.outWidth {
        for c in 0..<input.channels {
          let inside = numbers(under: y, x, c, of: input)
          let magnitude = inside.reduce(0) { $0 + abs($1) }
          let sum = inside.reduce(0, +)
          let value: Double
          var error = 0.0
          switch kind {
          case FORGE_POOL_MAXIMUM:
            value = inside.contains { $0.isNaN } ? .nan : inside.max() ?? 0
          case FORGE_POOL_AVERAGE_INSIDE:
            value = inside.isEmpty ? 0 : sum / Double(inside.count)
            error = tolerance(terms: inside.count, magnitude: magnitude / Double(inside.count))
          default:
            let all = Double(window.kernel.height * window.kernel.width)
            value = sum / all
            error = tolerance(terms: inside.count, magnitude: magnitude / all)
          }
          expected.append(
            window.activation.reference(value),
            tolerance: window.activation.tolerance(value, error: error))
        }
      }
    }
    return expected
  }

  private func numbers(under y: Int, _ x: Int, _ c: Int, of input: Image) -> [Double] {
    var inside: [Double] = []
    for ky in 0..<window.kernel.height {
      for kx in 0..<window.kernel.width {
        let iy = y * window.stride.y + ky * window.dilation.y - window.padding.top
        let ix = x * window.stride.x + kx * window.dilation.x - window.padding.left
        if iy >= 0 && iy < input.height && ix >= 0 && ix < input.width {
          inside.append(Double(input[iy, ix, c]))
        }
      }
    }
    return inside
  }

  /// No halo: windows are clipped, and a canary follows the last column.
  func prepare(_ image: Image, on level: Level) -> Prepared {
    let input = Blocked(image, images: window.images)
    let out = Blocked(
      window.outHeight, window.outWidth, image.channels, halo: Halo(top: 1, left: 1),
      images: window.images)
    let arguments = forge_pooling_arguments(
      in: input.view(base: 0), out: out.view(base: 1), kind: Int32(kind.rawValue),
      kernel_height: Int32(window.kernel.height), kernel_width: Int32(window.kernel.width),
      stride_y: Int32(window.stride.y), stride_x: Int32(window.stride.x),
      dilation_y: Int32(window.dilation.y), dilation_x: Int32(window.dilation.x),
      pad_top: Int32(window.padding.top), pad_left: Int32(window.padding.left),
      activation: window.activation.c)
    return Prepared(
      out: out,
      call: Call(
        level.kernels.pooling, arguments, bases: [input.buffer, out.buffer],
        image: window.images - 1, out: out.buffer, tiles: forge_pooling_tiles))
  }

  func check(_ image: Image? = nil) {
    var random = SeededGenerator(seed: window.seed)
    let image =
      image ?? Image(window.height, window.width, window.inputs, random: &random)
    let expected = expected(image)
    for level in Level.available {
      let prepared = prepare(image, on: level)
      let before = prepared.out.buffer.bits
      prepared.call.runAll()
      expect(
        prepared.out, image: window.images - 1, equals: expected, before: before,
        "\(level), \(self)")
    }
  }
}

private let kinds = [FORGE_POOL_MAXIMUM, FORGE_POOL_AVERAGE_INSIDE, FORGE_POOL_AVERAGE_ALL]

@Suite struct PoolingTests {
  @Test("channel counts", arguments: ConvolutionTests.channels)
  func channels(count: Int) {
    for kind in kinds {
      for kernel in [(height: 2, width: 2), (3, 3)] {
        PoolingCase(
          window: ConvolutionCase(
            height: 7, width: 9, inputs: count, kernel: kernel, stride: (2, 2),
            padding: (0, 0, 1, 1)), kind: kind
        ).check()
      }
    }
  }

  @Test("strides and dilations", arguments: 1...3, 1...3)
  func strides(y: Int, x: Int) {
    for kind in kinds {
      for dilation in [(y: 1, x: 1), (2, 3)] {
        for padding in [(top: 0, left: 0, bottom: 0, right: 0), (2, 1, 3, 5)] {
          PoolingCase(
            window: ConvolutionCase(
              height: 11, width: 17, inputs: 18, kernel: (3, 4), stride: (y, x),
              dilation: dilation, padding: padding), kind: kind
          ).check()
        }
      }
    }
  }

  @Test(
    "common windows at every width", arguments: [(2, 1), (2, 2), (3, 1), (3, 2), (5, 1), (4, 1)])
  func widths(kernel: Int, stride: Int) {
    for kind in kinds {
      for width in 1...15 {
        for padding in [0, kernel / 2, kernel] where width + 2 * padding >= kernel {
          PoolingCase(
            window: ConvolutionCase(
              height: 6, width: width, inputs: 17, kernel: (kernel, kernel),
              stride: (stride, stride), padding: (padding, padding, padding, padding),
              activation: width % 2 == 0 ? .linear : .relu), kind: kind
          ).check()
        }
      }
    }
  }

  @Test("NaN and infinities at one position of a larger image")
  func specialPlaces() {
    var random = SeededGenerator(seed: 8)
    for value in [Float.nan, -.nan, .infinity, -.infinity] {
      for (kernel, stride) in [(2, 1), (2, 2), (3, 1), (3, 2), (5, 1)] {
        for place in 0..<15 {
          var image = Image(5, 19, 18, random: &random)
          image[place % 5, place * 5 % 19, place] = value
          image[place / 4, place * 7 % 19, 17 - place] = -value
          PoolingCase(
            window: ConvolutionCase(
              height: 5, width: 19, inputs: 18, kernel: (kernel, kernel),
              stride: (stride, stride), padding: (1, 1, 1, 1)), kind: FORGE_POOL_MAXIMUM
          ).check(image)
        }
      }
    }
  }

  @Test("windows entirely in the padding give 0", arguments: [0, 1, 2])
  func empty(kind: Int) {
    for activation in [Activation.linear, Activation(kind: FORGE_SIGMOID)] {
      PoolingCase(
        window: ConvolutionCase(
          height: 3, width: 5, inputs: 17, kernel: (2, 2), stride: (1, 2),
          padding: (4, 5, 3, 4), activation: activation), kind: kinds[kind]
      ).check()
    }
  }

  @Test("global pooling", arguments: [(1, 1), (7, 7), (13, 5), (31, 40)])
  func whole(height: Int, width: Int) {
    for kind in kinds {
      PoolingCase(
        window: ConvolutionCase(
          height: height, width: width, inputs: 40, kernel: (height, width)), kind: kind
      ).check()
    }
  }

  @Test("activations", arguments: Activation.all)
  func activations(activation: Activation) {
    for kind in kinds {
      PoolingCase(
        window: ConvolutionCase(
          height: 5, width: 6, inputs: 21, kernel: (2, 3), activation: activation, images: 2),
        kind: kind
      ).check()
    }
  }

  @Test("tiles are independent")
  func tiles() {
    for kind in kinds {
      let test = PoolingCase(
        window: ConvolutionCase(
          height: 9, width: 10, inputs: 37, kernel: (3, 3), stride: (2, 1),
          padding: (1, 1, 1, 1), activation: Activation(kind: FORGE_TANH)), kind: kind)
      var random = SeededGenerator(seed: 5)
      let image = Image(9, 10, 37, random: &random)
      for level in Level.available {
        expectIndependentTiles(test.prepare(image, on: level).call, "\(level), \(test)")
      }
    }
  }

  @Test("NaN and infinities at every window position")
  func specialValues() {
    var random = SeededGenerator(seed: 6)
    for value in [Float.nan, -.nan, .infinity, -.infinity] {
      for place in 0..<9 {
        var image = Image(3, 3, 17, random: &random)
        for c in [0, 3, 16] { image[place / 3, place % 3, c] = value }
        for kind in kinds {
          PoolingCase(
            window: ConvolutionCase(height: 3, width: 3, inputs: 17, kernel: (3, 3)), kind: kind
          ).check(image)
        }
      }
      let same = Image(2, 2, 3, values: [Float](repeating: value, count: 12))
      PoolingCase(
        window: ConvolutionCase(height: 2, width: 2, inputs: 3, kernel: (2, 2)),
        kind: FORGE_POOL_MAXIMUM
      ).check(same)
    }
  }
}
