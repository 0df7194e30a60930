import CForgeKernels
import Testing

/// Recurrent cells whose weights are not floats, against the kernel of floats.
@Suite struct NarrowRecurrentTests {
  /// A form of weights.
  enum Form: CaseIterable {
    case fixed, halves, bfloats, bytes

    var form: forge_weight_form {
      switch self {
      case .fixed: FORGE_WEIGHTS_FIXED
      case .halves: FORGE_WEIGHTS_HALVES
      case .bfloats: FORGE_WEIGHTS_BFLOATS
      case .bytes: FORGE_WEIGHTS_BYTES
      }
    }

    func kernel(_ level: Level) -> forge_kernel? {
      let kernels = forge_precision_kernels(forge_level(level.rawValue))
      return switch self {
      case .fixed: kernels.fixed_recurrent
      case .halves: kernels.half_recurrent
      case .bfloats: kernels.bfloat_recurrent
      case .bytes: kernels.byte_recurrent
      }
    }

    /// The weight that a weight becomes whose row has this largest magnitude, by the definition.
    func rounded(_ weight: Float, largest: Float) -> Float {
      switch self {
      case .fixed: return weight
      case .halves:
        let scale = Float(sign: .plus, exponent: Int(largest.exponent), significand: 1)
        return Float(Float16(weight / scale)) * scale
      case .bfloats: return roundedToBFloat(weight)
      case .bytes:
        let scale = Double(largest) / 127
        return Float((Double(weight) / scale).rounded(.toNearestOrEven) * scale)
      }
    }
  }

  /// Blocks of weights [units][inputs], in an order other than that of the gates.
  struct Matrix {
    var blocks: [Int]
    var firstBlocks: Int
    var units, inputs: Int
    var values: [Float]

    init(gates: Int, firstBlocks: Int, units: Int, inputs: Int, random: inout SeededGenerator) {
      blocks = (0..<gates).map { (3 * $0 + 1) % gates }
      if gates == 3 { blocks = [1, 0, 2] }
      (self.firstBlocks, self.units, self.inputs) = (firstBlocks, units, inputs)
      let scale = 1.5 / Float(inputs).squareRoot()
      values = random.values(gates * units * inputs).map { $0 * scale }
    }

    /// The floats in the kernel's order, by the definition.
    func packed(_ form: Form? = nil) -> Buffer {
      let panels = (units + 15) / 16
      let gates = blocks.count
      var all = [Float](repeating: 0, count: panels * inputs * gates * 16)
      for (gate, block) in blocks.enumerated() {
        let first = gate < firstBlocks ? 0 : firstBlocks
        let together = gate < firstBlocks ? firstBlocks : gates - firstBlocks
        for unit in 0..<units {
          let row = (block * units + unit) * inputs
          let largest = values[row..<row + inputs].map(abs).max() ?? 0
          for input in 0..<inputs {
            let vector =
              unit / 16 * gates * inputs + first * inputs + input * together + gate - first
            let weight = values[row + input]
            all[vector * 16 + unit % 16] = form?.rounded(weight, largest: largest) ?? weight
          }
        }
      }
      return Buffer(all)
    }

    /// The narrow weights and their scales; `nil` if they are refused.
    func packed(as form: Form, accuracy: Double, threads: Int32 = 1) -> (Buffer, Buffer)? {
      let blocks = blocks.map { Int64($0) } + [0, 0, 0]
      return values.withUnsafeBufferPointer { values in
        var packing = forge_recurrent_packing(
          weights: values.baseAddress, form: Int32(form.form.rawValue),
          gates: Int32(self.blocks.count), first_gates: Int32(firstBlocks), threads: threads,
          blocks: (blocks[0], blocks[1], blocks[2], blocks[3]), units: Int64(units),
          inputs: Int64(inputs), accuracy: accuracy)
        let packed = Buffer(count: Int(forge_recurrent_packed_floats(&packing)) + 3)
        let scales = Buffer(count: Int(forge_recurrent_scale_floats(&packing)) + 3)
        let fits = forge_pack_recurrent(&packing, packed.pointer, scales.pointer) != 0
        #expect(packed.bits.suffix(3).allSatisfy { $0 == canary })
        #expect(scales.bits.suffix(3).allSatisfy { $0 == canary })
        #expect(!fits || !scales.bits.dropLast(3).contains(canary))
        return fits ? (packed, scales) : nil
      }
    }
  }

  typealias Case = RecurrentTests.Case

  static let cases = [
    Case(cell: FORGE_CELL_SIMPLE, units: 37, outputs: 37, isReversed: true),
    Case(cell: FORGE_CELL_SIMPLE, units: 523, outputs: 523, rows: 3),
    Case(cell: FORGE_CELL_LSTM, units: 37, outputs: 37, rows: 3, hasLengths: true),
    Case(cell: FORGE_CELL_LSTM, units: 512, outputs: 512),
    Case(cell: FORGE_CELL_LSTM, units: 131, outputs: 58, rows: 3, hasLengths: true),
    Case(cell: FORGE_CELL_LSTM, units: 41, outputs: 147),
    Case(cell: FORGE_CELL_GRU_AFTER, units: 523, outputs: 523),
    Case(cell: FORGE_CELL_GRU_AFTER, units: 38, outputs: 38, rows: 3, isReversed: true),
    Case(cell: FORGE_CELL_GRU_BEFORE, units: 523, outputs: 523),
    Case(cell: FORGE_CELL_GRU_BEFORE, units: 39, outputs: 39, rows: 3, hasLengths: true),
  ]

  private static let times = 3

  /// The numbers of a case.
  private struct Numbers {
    var weights: Matrix
    var projection: Matrix?
    let biases, peepholes, input, state, cells, lengths: Buffer

    init(_ test: Case) {
      var random = SeededGenerator(seed: 21)
      let blocks = (test.units + 15) / 16
      weights = Matrix(
        gates: test.gates, firstBlocks: test.cell == FORGE_CELL_GRU_BEFORE ? 2 : test.gates,
        units: test.units, inputs: test.outputs, random: &random)
      if test.isProjected {
        projection = Matrix(
          gates: 1, firstBlocks: 1, units: test.outputs, inputs: test.units, random: &random)
        projection?.blocks = [0]
      }
      biases = Buffer(random.values(blocks * test.gates * 16))
      peepholes = Buffer(random.values(blocks * 3 * 16))
      input = Buffer(
        random.values(NarrowRecurrentTests.times * test.rows * test.gates * test.units))
      state = Buffer(random.values(test.rows * test.outputs))
      cells = Buffer(random.values(test.rows * test.units))
      lengths = Buffer((0..<test.rows).map { Float(1 + $0 % 3) })
    }

    /// Runs all rounds of a case, so many tiles at once, and returns the output.
    func run(
      _ test: Case, _ kernel: forge_kernel, weights: (Buffer, Buffer?),
      projection: (Buffer, Buffer?)?, tilesAtOnce: Int64 = .max
    ) -> [Float] {
      let (units, outputs, rows) = (test.units, test.outputs, test.rows)
      let times = NarrowRecurrentTests.times
      let count = times * rows * outputs + rows * (outputs + (test.hasCells ? units : 0))
      let out = Buffer(count: count)
      let scratch = Buffer(count: 2 * rows * (outputs + units))
      var arguments = forge_recurrent_arguments()
      arguments.cell = Int32(test.cell.rawValue)
      arguments.is_reversed = test.isReversed ? 1 : 0
      arguments.clip = .infinity
      arguments.cell_clip = .infinity
      let tanh = forge_activation(kind: Int32(FORGE_TANH.rawValue), a: 0, b: 0)
      let sigmoid = forge_activation(kind: Int32(FORGE_SIGMOID.rawValue), a: 0, b: 0)
      arguments.gates = test.cell == FORGE_CELL_SIMPLE ? tanh : sigmoid
      (arguments.candidate, arguments.hidden) = (tanh, tanh)
      (arguments.times, arguments.rows) = (Int64(times), Int64(rows))
      (arguments.units, arguments.outputs) = (Int64(units), Int64(outputs))
      arguments.setPlainGates(units: units, count: test.gates, rows: rows)
      arguments.out.base = 1
      arguments.lengths.base = 2
      arguments.scratch.base = 3
      arguments.initial_hidden.base = 4
      arguments.initial_cells.base = 5
      arguments.has_state = 1
      arguments.has_lengths = test.hasLengths ? 1 : 0
      arguments.weights = UnsafePointer(weights.0.pointer)
      arguments.scales = weights.1.map { UnsafePointer($0.pointer) }
      arguments.projection = projection.map { UnsafePointer($0.0.pointer) }
      arguments.projection_scales = projection?.1.map { UnsafePointer($0.pointer) }
      arguments.biases = UnsafePointer(biases.pointer)
      if test.hasCells { arguments.peepholes = UnsafePointer(peepholes.pointer) }
      let bases = [input, out, lengths, scratch, state, cells]
      let pointers: [UnsafeMutablePointer<Float>?] = bases.map(\.pointer)
      pointers.withUnsafeBufferPointer { pointers in
        for round in 0..<times * (test.hasTwoRounds ? 2 : 1) {
          var frame = forge_frame(
            bases: pointers.baseAddress, image: 0, crops: nil, worker: 0, calls: 0,
            round: Int64(round), fault: nil)
          let tiles = forge_recurrent_tiles(&arguments)
          let step = min(tilesAtOnce, tiles)
          for tile in stride(from: 0, to: tiles, by: Int(step)) {
            kernel(&arguments, &frame, tile, min(tile + step, tiles))
          }
        }
      }
      withExtendedLifetime((bases, weights, projection, biases, peepholes)) {}
      return (0..<count).map { out.pointer[$0] }
    }
  }

  /// The relative L2 difference ‖a − b‖ / ‖b‖.
  private func difference(_ a: [Float], _ b: [Float]) -> Double {
    let squares = zip(a, b).reduce(0.0) { sum, pair in
      sum + (Double(pair.0) - Double(pair.1)) * (Double(pair.0) - Double(pair.1))
    }
    return (squares / b.reduce(0.0) { $0 + Double($1) * Double($1) }).squareRoot()
  }

  @Test("narrow weights compute what the floats do that they stand for", arguments: cases)
  func matchFloats(test: Case) throws {
    let numbers = Numbers(test)
    for form in Form.allCases {
      // Of few outputs an input's weights may all be small.
      let accuracy = test.units < 100 || test.isProjected ? 1e-5 : 1e-6
      let weights = try #require(numbers.weights.packed(as: form, accuracy: accuracy))
      let projection = try numbers.projection.map {
        try #require($0.packed(as: form, accuracy: accuracy))
      }
      let floats = numbers.run(
        test, Level.available[0].kernels.recurrent, weights: (numbers.weights.packed(form), nil),
        projection: numbers.projection.map { ($0.packed(form), nil) })
      for level in Level.available {
        guard let kernel = form.kernel(level) else { continue }
        let narrow = numbers.run(test, kernel, weights: weights, projection: projection)
        #expect(difference(narrow, floats) < 2e-6, "\(form), \(level), \(test)")
      }
    }
  }

  /// The kernels that read the same packed weights.
  private func kernels(_ form: Form, _ level: Level) -> [forge_kernel] {
    let older = forge_precision_kernels_without_vbmi2(forge_level(level.rawValue))
    return [form.kernel(level), form == .fixed ? older.fixed_recurrent : nil].compactMap { $0 }
  }

  @Test(
    "a block has the same bits alone, beside others, and without AVX512-VBMI2", arguments: cases)
  func blocks(test: Case) throws {
    let numbers = Numbers(test)
    for form in Form.allCases {
      let weights = try #require(numbers.weights.packed(as: form, accuracy: 1e-5))
      let projection = try numbers.projection.map {
        try #require($0.packed(as: form, accuracy: 1e-5))
      }
      for level in Level.available {
        var first: [UInt32]?
        for kernel in kernels(form, level) {
          for tiles: Int64 in [.max, 1, 2, 7] {
            let result = numbers.run(
              test, kernel, weights: weights, projection: projection, tilesAtOnce: tiles
            ).map(\.bitPattern)
            #expect(result == first ?? result, "\(form), \(level), \(tiles) at once, \(test)")
            first = result
          }
        }
      }
    }
  }

  @Test("the kernels of floats agree on every level", arguments: cases)
  func floats(test: Case) {
    let numbers = Numbers(test)
    let results = Level.available.map {
      numbers.run(
        test, $0.kernels.recurrent, weights: (numbers.weights.packed(), nil),
        projection: numbers.projection.map { ($0.packed(), nil) })
    }
    for result in results { #expect(difference(result, results[0]) < 1e-6, "\(test)") }
  }

  private func matrix(_ change: (inout Matrix) -> Void) -> Matrix {
    var random = SeededGenerator(seed: 3)
    var matrix = Matrix(gates: 4, firstBlocks: 4, units: 60, inputs: 300, random: &random)
    change(&matrix)
    return matrix
  }

  @Test("rows of any scale keep their own error, hostile weights are refused")
  func hostileWeights() throws {
    // Each unit's gate has a scale of its own, from 1e-6 to 1e6.
    let scaled = matrix { matrix in
      for row in 0..<240 {
        var scale: Float = 1e-6
        for _ in 0..<row % 13 { scale *= 10 }
        for input in 0..<300 { matrix.values[row * 300 + input] *= scale }
      }
    }
    // All inputs share the error of the largest units.
    let (packed, scales) = try #require(scaled.packed(as: .fixed, accuracy: 1e-6))
    let floats = scaled.packed()
    let bytes = UnsafeRawPointer(packed.pointer)
    for vector in 0..<4 * 4 * 300 {
      let (block, gate) = (vector / 1200, vector % 4)
      for lane in 0..<16 where block * 16 + lane < 60 {
        let words = (0..<3).map {
          bytes.load(fromByteOffset: vector / 4 * 192 + ($0 * 16 + lane) * 4, as: Int32.self)
        }
        let low = words.enumerated().reduce(Int32(0)) { $0 | ($1.1 & 255) << (24 - 8 * $1.0) }
        let word = Double(gate < 3 ? words[gate] : low)
        let scale = Double(scales.pointer[(block * 4 + gate) * 16 + lane])
        // The largest weight is 2³¹ − 512 scales.
        let bound = scale * 0x1p8 * 1.001
        #expect(abs(word * scale - Double(floats.pointer[vector * 16 + lane])) <= bound)
      }
    }
    let outlier = matrix { $0.values[7 * 300 + 2] = 1000 }
    #expect(outlier.packed(as: .fixed, accuracy: 1e-6) == nil)
    for value in [Float.nan, .infinity, -.infinity, 0x1p127] {
      #expect(matrix { $0.values[777] = value }.packed(as: .fixed, accuracy: 1e-3) == nil)
    }
    let denormal = matrix { matrix in
      for i in 0..<300 { matrix.values[i] = .leastNonzeroMagnitude * Float(i + 1) }
    }
    #expect(denormal.packed(as: .fixed, accuracy: 1e-3) == nil)
    // Of 300 · 2⁻¹⁴⁹ the scale rounds down: the bytes stay within their range.
    let (bytes8, _) = try #require(denormal.packed(as: .bytes, accuracy: 1))
    let first = UnsafeRawPointer(bytes8.pointer)
    for input in 0..<300 {
      // The row is that of the gate whose block is the first.
      let gate = try #require(denormal.blocks.firstIndex(of: 0))
      let byte = first.load(fromByteOffset: (input * 4 + gate) * 16, as: Int8.self)
      let expected = (Double(input + 1) / 2).rounded(.toNearestOrEven)
      #expect(Double(byte) == min(expected, 127))
    }
    let smallInput = matrix { matrix in
      for row in 0..<240 { matrix.values[row * 300 + 5] *= 1e-6 }
    }
    #expect(smallInput.packed(as: .fixed, accuracy: 1e-6) == nil)
  }

  @Test("several threads pack the same bits", arguments: Form.allCases)
  func threads(form: Form) throws {
    var random = SeededGenerator(seed: 8)
    let matrix = Matrix(gates: 3, firstBlocks: 2, units: 300, inputs: 301, random: &random)
    let one = try #require(matrix.packed(as: form, accuracy: 1e-6))
    let three = try #require(matrix.packed(as: form, accuracy: 1e-6, threads: 3))
    #expect(one.0.bits == three.0.bits && one.1.bits == three.1.bits)
  }

  @Test("a weight that is not finite reaches its own unit only", arguments: [Float.nan, .infinity])
  func notFinite(value: Float) throws {
    let test = Case(cell: FORGE_CELL_SIMPLE, units: 37, outputs: 37)
    var numbers = Numbers(test)
    numbers.weights.values[20 * 37 + 4] = value
    for form in Form.allCases where form != .fixed {
      let weights = try #require(numbers.weights.packed(as: form, accuracy: 1))
      for level in Level.available {
        guard let kernel = form.kernel(level) else { continue }
        let result = numbers.run(test, kernel, weights: weights, projection: nil)
        let first = result[..<37].enumerated().filter { !$1.isFinite || abs($1) == 1 }
        #expect(first.map(\.offset) == [20], "\(form), \(level)")
      }
    }
  }
}
