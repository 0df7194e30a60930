import CForgeKernels
import Foundation

/// A pointwise convolution by Strassen's algorithm to try.
struct StrassenCase: Sendable, CustomStringConvertible {
  var convolution: ConvolutionCase
  let levels: Int
  /// The decades, up and down, over which inputs and outputs are spread; the weights undo what inputs have.
  ///
  /// Unless it is 0 the weights are packed with scales.
  let decades: Int

  init(
    height: Int = 1, width: Int, inputs: Int, outputs: Int, panel: Int = 64, levels: Int = 1,
    segments: Int = 1, activation: Activation = .linear, residual: Bool = false, images: Int = 1,
    decades: Int = 0
  ) {
    self.levels = levels
    self.decades = decades
    convolution = ConvolutionCase(
      height: height, width: width, inputs: inputs, outputs: outputs, panel: panel,
      segments: segments, activation: activation, residual: residual, images: images)
  }

  var pixels: Int { convolution.height * convolution.width }

  /// The pixels of a segment.
  func segment(_ index: Int) -> Range<Int> {
    pixels * index / convolution.segments..<pixels * (index + 1) / convolution.segments
  }

  /// The panels of a segment.
  var panels: Int {
    ((convolution.outputs >> levels) + convolution.panel - 1) / convolution.panel
  }

  var description: String {
    "Strassen, \(levels) levels, \(decades) decades, \(convolution)"
  }
}

/// The numbers of a pointwise convolution by Strassen's algorithm to try.
struct StrassenNumbers {
  var numbers: ConvolutionNumbers
  /// The scales that weights are packed with: 1 where they are packed without.
  let inputScales, outputScales: [Float]
  /// The direct convolution in doubles, with the error that Strassen's algorithm may make of it.
  var expected: Expected

  /// The numbers of a case, which `change` alters before the expected result is computed.
  init(_ test: StrassenCase, change: (inout ConvolutionNumbers) -> Void = { _ in }) {
    numbers = ConvolutionNumbers(test.convolution)
    change(&numbers)
    let (inputs, outputs) = (test.convolution.inputs, test.convolution.outputs)
    var inputScales = [Float](repeating: 1, count: inputs)
    var outputScales = [Float](repeating: 1, count: outputs)
    if test.decades > 0 {
      numbers.spread(decades: test.decades)
      forge_balance(
        numbers.weights, Int64(outputs), Int64(inputs), &inputScales, &outputScales, 1)
    }
    (self.inputScales, self.outputScales) = (inputScales, outputScales)
    var plain = test.convolution
    plain.activation = .linear
    let sums = numbers.expected(plain)
    let bounds = Self.magnitudes(
      test, numbers, inputScales: inputScales.map(Double.init),
      outputScales: outputScales.map(Double.init))
    // Four products of half of the channels each, or sixteen of a quarter, and the sums that they are made of.
    let terms = (test.convolution.inputs + 8) << test.levels
    var expected = Expected()
    for (i, value) in sums.values.enumerated() {
      let error = CForgeKernelsTests.tolerance(terms: terms, magnitude: bounds[i])
      expected.append(
        test.convolution.activation.reference(value),
        tolerance: test.convolution.activation.tolerance(value, error: error))
    }
    self.expected = expected
  }

  private static func inverse(_ scale: Double) -> Double { scale == 0 ? 0 : 1 / scale }

  /// What the absolute values of all that is added up come to on the way through the products.
  ///
  /// [pixel][output]
  private static func magnitudes(
    _ test: StrassenCase, _ numbers: ConvolutionNumbers, inputScales: [Double],
    outputScales: [Double]
  ) -> [Double] {
    let sizes = test.convolution
    let weights = Magnitudes(rows: sizes.inputs, columns: sizes.outputs) {
      abs(Double(numbers.weights[$1 * sizes.inputs + $0]))
        * inverse(inputScales[$0]) * inverse(outputScales[$1])
    }
    var result: [Double] = []
    for index in 0..<sizes.segments {
      let segment = test.segment(index)
      let scaled = segment.map { pixel in
        (0..<sizes.inputs).map {
          Double(numbers.input.values[pixel * sizes.inputs + $0]) * inputScales[$0]
        }
      }
      // Rows are added to each other with like norms; those that are not finite are added to none.
      let norms = scaled.map { row in
        row.reduce(0) { $0 + $1 * $1 }.squareRoot()
      }
      let pixels = Magnitudes(rows: segment.count, columns: sizes.inputs) {
        norms[$0] > 0 && norms[$0].isFinite ? abs(scaled[$0][$1]) / norms[$0] : 0
      }
      let product = Magnitudes.product(pixels, weights, levels: test.levels).values
      result += product.indices.map { product[$0] * norms[$0 / sizes.outputs] }
    }
    for i in result.indices {
      result[i] *= 2 * outputScales[i % sizes.outputs]
      result[i] += abs(Double(numbers.bias[i % sizes.outputs]))
      if sizes.residual { result[i] += abs(Double(numbers.residual.values[i])) }
    }
    return result
  }

  /// The weights as forge_pack_strassen makes them.
  func packedWeights(_ test: StrassenCase) -> [Float] {
    let sizes = test.convolution
    let products = Int(forge_strassen_products(Int32(test.levels)))
    var packed = [Float](
      repeating: Float(bitPattern: canary),
      count: test.panels * products * (sizes.inputs >> test.levels) * sizes.panel)
    forge_pack_strassen(
      numbers.weights, &packed, Int64(sizes.outputs), Int64(sizes.inputs), Int64(sizes.inputs),
      Int64(sizes.panel), Int32(test.levels), test.decades > 0 ? inputScales : nil,
      test.decades > 0 ? outputScales : nil, 1)
    return packed
  }
}

extension ConvolutionNumbers {
  /// Gives each input channel a scale of its own, which the weights undo, and each output channel another.
  ///
  /// One output and one input have no weights at all, and the input is large.
  fileprivate mutating func spread(decades: Int) {
    var random = SeededGenerator(seed: 77)
    func scales(_ count: Int) -> [Float] {
      (0..<count).map { _ in pow(10, Float(decades) * random.value()) }
    }
    let (inputs, outputs) = (input.channels, bias.count)
    var inputScales = scales(inputs)
    let outputScales = scales(outputs)
    for o in 0..<outputs {
      for i in 0..<inputs { weights[o * inputs + i] *= outputScales[o] / inputScales[i] }
    }
    for i in 0..<inputs { weights[(outputs - 1) * inputs + i] = 0 }
    for o in 0..<outputs { weights[o * inputs + 3] = 0 }
    inputScales[3] = 1e20
    for i in input.values.indices { input.values[i] *= inputScales[i % inputs] }
    for o in 0..<outputs {
      bias[o] *= outputScales[o]
      for pixel in 0..<residual.height * residual.width {
        residual.values[pixel * outputs + o] *= outputScales[o]
      }
    }
  }
}

/// A matrix of absolute values.
private struct Magnitudes {
  let rows, columns: Int
  private(set) var values: [Double]

  init(rows: Int, columns: Int, _ value: (_ row: Int, _ column: Int) -> Double) {
    (self.rows, self.columns) = (rows, columns)
    values = []
    for row in 0..<rows { for column in 0..<columns { values.append(value(row, column)) } }
  }

  /// Zero past the last row.
  subscript(row: Int, column: Int) -> Double { row < rows ? values[row * columns + column] : 0 }

  /// The even or the odd blocks of 16 columns.
  private func half(ofColumns half: Int) -> Magnitudes {
    Magnitudes(rows: rows, columns: columns / 2) {
      self[$0, ($1 / 16 * 2 + half) * 16 + $1 % 16]
    }
  }

  /// The even or the odd blocks of 16 rows, as inputs have them.
  private func half(ofRows half: Int) -> Magnitudes {
    Magnitudes(rows: rows / 2, columns: columns) {
      self[($0 / 16 * 2 + half) * 16 + $0 % 16, $1]
    }
  }

  /// The upper or the lower half, as pixels have them: the upper one has the odd row.
  private func half(_ lower: Int) -> Magnitudes {
    let upper = rows - rows / 2
    return Magnitudes(rows: upper, columns: columns) { self[$0 + lower * upper, $1] }
  }

  static func + (a: Magnitudes, b: Magnitudes) -> Magnitudes {
    Magnitudes(rows: a.rows, columns: a.columns) { a[$0, $1] + b[$0, $1] }
  }

  /// What the sums in a b come to by so many levels of the algorithm: no sign is different, so nothing cancels.
  static func product(_ a: Magnitudes, _ b: Magnitudes, levels: Int) -> Magnitudes {
    guard levels > 0 else {
      return Magnitudes(rows: a.rows, columns: b.columns) { row, column in
        (0..<a.columns).reduce(0) { $0 + a[row, $1] * b[$1, column] }
      }
    }
    let (a11, a12) = (a.half(0).half(ofColumns: 0), a.half(0).half(ofColumns: 1))
    let (a21, a22) = (a.half(1).half(ofColumns: 0), a.half(1).half(ofColumns: 1))
    let (b11, b12) = (b.half(ofRows: 0).half(ofColumns: 0), b.half(ofRows: 0).half(ofColumns: 1))
    let (b21, b22) = (b.half(ofRows: 1).half(ofColumns: 0), b.half(ofRows: 1).half(ofColumns: 1))
    let (s1, t1) = (a21 + a22, b12 + b11)
    let (s2, t2) = (s1 + a11, b22 + t1)
    let multiply = { product($0, $1, levels: levels - 1) }
    let first = multiply(a11, b11)
    let shared = first + multiply(s2, t2)
    let third = multiply(a11 + a21, b22 + b12)
    let fourth = multiply(s1, t1)
    let quarters = [
      [first + multiply(a12, b21), shared + fourth + multiply(a12 + s2, b22)],
      [shared + third + multiply(a22, t2 + b21), shared + third + fourth],
    ]
    let upper = max(a.rows - a.rows / 2, 1)
    return Magnitudes(rows: a.rows, columns: b.columns) { row, column in
      let block = column / 16
      return quarters[row / upper][block % 2][row % upper, block / 2 * 16 + column % 16]
    }
  }
}

/// The call of a convolution by Strassen's algorithm.
struct PreparedStrassen {
  var out: Blocked
  var scratch: Buffer
  /// Where the scratch of the first worker begins, how much each has, and how far apart two are.
  var start, floats, worker: Int
  var call: Call
  /// The step before it that computes the sums, if all workers read the same.
  var sums: Call?
  /// The first steps, which make the norms of all rows alike.
  var factors, even: Call

  func runAll() {
    factors.runAll()
    even.runAll()
    sums?.runAll()
    call.runAll()
  }

  /// Scratch outside its place, or that of a worker who took no part, that is not a canary any more.
  func hasStrayed(workers: Set<Int>) -> Bool {
    (0..<scratch.count).contains { at in
      let (worker, float) = (at - start).quotientAndRemainder(dividingBy: worker)
      let isOwn = at >= start && workers.contains(worker) && float < floats
      return !isOwn && scratch.pointer[at].bitPattern != canary
    }
  }
}

extension StrassenNumbers {
  /// The convolution on one level, in memory with canaries all around and room for four workers.
  ///
  /// With `inPlace`, the output is where the residual is; `next` is fetched ahead. With
  /// `sharesSums`, a step of its own computes the sums.
  func prepare(
    _ test: StrassenCase, on level: Level, inPlace: Bool = false, next: Ahead = .bias,
    sharesSums: Bool = false
  ) -> PreparedStrassen {
    let sizes = test.convolution
    // No gaps between rows: one long row is laid out, and looked at as an image.
    let flat = Image(1, test.pixels, sizes.inputs, values: numbers.input.values)
    let input = Blocked(flat, images: sizes.images)
    let residual = Blocked(numbers.residual, images: sizes.images)
    let out = inPlace ? residual : numbers.output(sizes)
    let weights = Buffer(packedWeights(test))
    let bias = Buffer(numbers.bias)
    let scales = Buffer(inputScales + outputScales)
    let even = Blocked(1, test.pixels, sizes.inputs)
    let factors = Buffer(count: 16 + test.pixels + 16)
    var rows = forge_even_rows_arguments()
    rows.in = input.view(base: 0)
    rows.in.height = Int32(sizes.height)
    rows.in.width = Int32(sizes.width)
    rows.in.row_stride = Int64(sizes.width * 16)
    rows.out = even.view(base: 5)
    rows.out.image_stride = 0
    (rows.factors.base, rows.factors.offset) = (6, 16)
    if test.decades > 0 { rows.input_scales = UnsafePointer(scales.pointer) }
    var arguments = forge_strassen_arguments()
    arguments.in = rows.out
    arguments.uneven = rows.in
    arguments.factors = rows.factors
    arguments.out = out.view(base: 1)
    arguments.weights = UnsafePointer(weights.pointer)
    arguments.bias = UnsafePointer(bias.pointer)
    if test.decades > 0 {
      arguments.input_scales = UnsafePointer(scales.pointer)
      arguments.output_scales = UnsafePointer(scales.pointer + sizes.inputs)
    }
    arguments.panel_width = Int32(sizes.panel)
    arguments.segments = Int32(sizes.segments)
    arguments.levels = Int32(test.levels)
    arguments.epilogue = numbers.epilogue(sizes, residual.view(base: 2))
    let ahead = next.memory(bias)
    arguments.next = ahead.map { UnsafePointer($0.buffer.pointer) }
    arguments.next_floats = Int64(ahead?.floats ?? 0)
    arguments.shares_sums = sharesSums ? 1 : 0
    let sums = Buffer(count: 16 + Int(forge_strassen_sums_floats(&arguments)) + 16)
    arguments.sums.base = 4
    arguments.sums.offset = 16

    let start = 37
    let floats = Int(forge_strassen_scratch_floats(&arguments))
    let worker = floats + 16
    let scratch = Buffer(count: start + 4 * worker + 64)
    arguments.scratch.base = 3
    arguments.scratch.offset = Int64(start)
    arguments.scratch_worker = Int64(worker)
    let bases =
      [input.buffer, out.buffer, residual.buffer, scratch, sums, even.buffer, factors]
      + [weights, bias, scales]
      + (ahead.map { [$0.buffer] } ?? [])
    return PreparedStrassen(
      out: out, scratch: scratch, start: start, floats: floats, worker: worker,
      call: Call(
        level.kernels.strassen, arguments, bases: bases, image: sizes.images - 1, out: out.buffer,
        tiles: forge_strassen_tiles),
      sums: sharesSums
        ? Call(
          level.kernels.strassen_sums, arguments, bases: bases, image: sizes.images - 1, out: sums,
          tiles: forge_strassen_sums_tiles) : nil,
      factors: Call(
        level.kernels.row_factors, rows, bases: bases, image: sizes.images - 1, out: factors,
        tiles: forge_row_factors_tiles),
      even: Call(
        level.kernels.even_rows, rows, bases: bases, image: sizes.images - 1, out: even.buffer,
        tiles: forge_even_rows_tiles))
  }
}
