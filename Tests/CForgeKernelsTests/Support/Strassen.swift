import CForgeKernels

/// A pointwise convolution by Strassen's algorithm to try.
struct StrassenCase: Sendable, CustomStringConvertible {
  var convolution: ConvolutionCase

  init(
    height: Int = 1, width: Int, inputs: Int, outputs: Int, panel: Int = 64, segments: Int = 1,
    activation: Activation = .linear, residual: Bool = false, images: Int = 1
  ) {
    convolution = ConvolutionCase(
      height: height, width: width, inputs: inputs, outputs: outputs, panel: panel,
      segments: segments, activation: activation, residual: residual, images: images)
  }

  var pixels: Int { convolution.height * convolution.width }

  /// The pixels of a segment, as the header says: the upper half has the odd one.
  func segment(_ index: Int) -> (first: Int, upper: Int, lower: Int) {
    let first = pixels * index / convolution.segments
    let count = pixels * (index + 1) / convolution.segments - first
    return (first, count - count / 2, count / 2)
  }

  var description: String { "Strassen, \(convolution)" }
}

/// The numbers of a pointwise convolution by Strassen's algorithm to try.
struct StrassenNumbers {
  var numbers: ConvolutionNumbers
  /// The direct convolution in doubles, with the error that Strassen's algorithm may make of it.
  let expected: Expected

  init(_ test: StrassenCase) {
    numbers = ConvolutionNumbers(test.convolution)
    var plain = test.convolution
    plain.activation = .linear
    let sums = numbers.expected(plain)
    let bounds = Self.magnitudes(test, numbers)
    // Four products of half of the channels each, and the sums that they are made of.
    let terms = 2 * test.convolution.inputs + 8
    var expected = Expected()
    for (i, value) in sums.values.enumerated() {
      let error = CForgeKernelsTests.tolerance(terms: terms, magnitude: bounds[i])
      expected.append(
        test.convolution.activation.reference(value),
        tolerance: test.convolution.activation.tolerance(value, error: error))
    }
    self.expected = expected
  }

  /// What the absolute values of all that is added up come to on the way through the seven products.
  ///
  /// [pixel][output]
  private static func magnitudes(_ test: StrassenCase, _ numbers: ConvolutionNumbers) -> [Double] {
    let sizes = test.convolution
    let (half, made) = (sizes.inputs / 2, sizes.outputs / 2)
    var result = [Double](repeating: 0, count: test.pixels * sizes.outputs)
    let input = { (pixel: Int, c: Int) in
      abs(Double(numbers.input.values[pixel * sizes.inputs + c]))
    }
    let weight = { (o: Int, c: Int) in abs(Double(numbers.weights[o * sizes.inputs + c])) }
    for index in 0..<sizes.segments {
      let segment = test.segment(index)
      for pixel in segment.first..<segment.first + segment.upper {
        let below = pixel + segment.upper
        let hasBelow = below < segment.first + segment.upper + segment.lower
        for o in 0..<made {
          var (q11, q12, q21, q22) = (0.0, 0.0, 0.0, 0.0)
          for c in 0..<half {
            let (a11, a12) = (input(pixel, c), input(pixel, c + half))
            let (a21, a22) = hasBelow ? (input(below, c), input(below, c + half)) : (0, 0)
            let (b11, b12) = (weight(o, c), weight(o + made, c))
            let (b21, b22) = (weight(o, c + half), weight(o + made, c + half))
            let (s1, s3) = (a21 + a22, a11 + a21)
            let (t1, t3) = (b12 + b11, b22 + b12)
            let (s2, t2) = (s1 + a11, b22 + t1)
            let shared = a11 * b11 + s2 * t2
            q11 += a11 * b11 + a12 * b21
            q12 += shared + s1 * t1 + (a12 + s2) * b22
            q21 += shared + s3 * t3 + a22 * (t2 + b21)
            q22 += shared + s3 * t3 + s1 * t1
          }
          result[pixel * sizes.outputs + o] = q11
          result[pixel * sizes.outputs + o + made] = q12
          guard hasBelow else { continue }
          result[below * sizes.outputs + o] = q21
          result[below * sizes.outputs + o + made] = q22
        }
      }
    }
    for i in result.indices {
      result[i] += abs(Double(numbers.bias[i % sizes.outputs]))
      if sizes.residual { result[i] += abs(Double(numbers.residual.values[i])) }
    }
    return result
  }

  /// The weights as forge_pack_strassen makes them.
  func packedWeights(_ test: StrassenCase) -> [Float] {
    let sizes = test.convolution
    let panels = (sizes.outputs / 2 + sizes.panel - 1) / sizes.panel
    var packed = [Float](
      repeating: Float(bitPattern: canary), count: panels * 7 * sizes.inputs / 2 * sizes.panel)
    forge_pack_strassen(
      numbers.weights, &packed, Int64(sizes.outputs), Int64(sizes.inputs), Int64(sizes.panel), 1)
    return packed
  }
}

/// The two calls of a convolution by Strassen's algorithm.
struct PreparedStrassen {
  var out: Blocked
  var sums, products: Buffer
  /// Where scratch begins, how much of it each has, and how far apart the parts of two workers are.
  var start, sumsFloats, productsFloats, productsWorker: Int
  var input, output: Call

  func runAll() {
    input.runAll()
    output.runAll()
  }

  /// Scratch outside its place, or that of a worker who took no part, that is not a canary any more.
  func hasStrayed(workers: Set<Int>) -> Bool {
    let isSum = start..<start + sumsFloats
    let isStray = (0..<products.count).contains { at in
      let (worker, float) = (at - start).quotientAndRemainder(dividingBy: productsWorker)
      let isOwn = at >= start && workers.contains(worker) && float < productsFloats
      return !isOwn && products.pointer[at].bitPattern != canary
    }
    return isStray
      || (0..<sums.count).contains {
        !isSum.contains($0) && sums.pointer[$0].bitPattern != canary
      }
  }
}

extension StrassenNumbers {
  /// The convolution on one level, in memory with canaries all around and room for four workers.
  ///
  /// With `inPlace`, the output is where the residual is; `next` is fetched ahead.
  func prepare(
    _ test: StrassenCase, on level: Level, inPlace: Bool = false, next: Ahead = .bias
  ) -> PreparedStrassen {
    let sizes = test.convolution
    // No gaps between rows: one long row is laid out, and looked at as an image.
    let flat = Image(1, test.pixels, sizes.inputs, values: numbers.input.values)
    let input = Blocked(flat, images: sizes.images)
    let residual = Blocked(numbers.residual, images: sizes.images)
    let out = inPlace ? residual : numbers.output(sizes)
    let weights = Buffer(packedWeights(test))
    let bias = Buffer(numbers.bias)
    var arguments = forge_strassen_arguments()
    arguments.in = input.view(base: 0)
    arguments.in.height = Int32(sizes.height)
    arguments.in.width = Int32(sizes.width)
    arguments.in.row_stride = Int64(sizes.width * 16)
    arguments.out = out.view(base: 1)
    arguments.weights = UnsafePointer(weights.pointer)
    arguments.bias = UnsafePointer(bias.pointer)
    arguments.panel_width = Int32(sizes.panel)
    arguments.segments = Int32(sizes.segments)
    arguments.epilogue = numbers.epilogue(sizes, residual.view(base: 2))
    let ahead = next.memory(bias)
    arguments.next = ahead.map { UnsafePointer($0.buffer.pointer) }
    arguments.next_floats = Int64(ahead?.floats ?? 0)

    let start = 37
    let sumsFloats = Int(forge_strassen_sums_floats(&arguments))
    let productsFloats = Int(forge_strassen_products_floats(&arguments))
    let productsWorker = productsFloats + 16
    let sums = Buffer(count: start + sumsFloats + 64)
    let products = Buffer(count: start + 4 * productsWorker + 64)
    arguments.sums.base = 3
    arguments.sums.offset = Int64(start)
    arguments.products.base = 4
    arguments.products.offset = Int64(start)
    arguments.products_worker = Int64(productsWorker)
    let bases =
      [input.buffer, out.buffer, residual.buffer, sums, products, weights, bias]
      + (ahead.map { [$0.buffer] } ?? [])
    let (table, image) = (level.kernels, sizes.images - 1)
    return PreparedStrassen(
      out: out, sums: sums, products: products, start: start, sumsFloats: sumsFloats,
      productsFloats: productsFloats, productsWorker: productsWorker,
      input: Call(
        table.strassen_input, arguments, bases: bases, image: image, out: sums,
        tiles: forge_strassen_input_tiles),
      output: Call(
        table.strassen_output, arguments, bases: bases, image: image, out: out.buffer,
        tiles: forge_strassen_output_tiles))
  }
}
