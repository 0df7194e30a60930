import CForgeKernels
import Testing

/// Recurrent cells: tiles are independent in every round, and hostile numbers stay where they are.
///
/// GeneralFixtureTests compares the numbers of whole layers with other frameworks.
@Suite struct RecurrentTests {
  struct Case: CustomStringConvertible, Sendable {
    var cell: forge_recurrent_cell
    var units: Int
    var outputs: Int
    var rows = 1
    var isReversed = false
    var hasLengths = false
    var hasMask = false
    var description: String {
      "cell \(cell.rawValue), \(units) units, \(outputs) outputs, \(rows) rows"
        + (isReversed ? ", reversed" : "") + (hasLengths ? ", lengths" : "")
        + (hasMask ? ", mask" : "")
    }

    var gates: Int {
      [
        FORGE_CELL_SIMPLE.rawValue: 1, FORGE_CELL_LSTM.rawValue: 4,
      ][cell.rawValue] ?? 3
    }
    var isProjected: Bool { outputs != units }
    var hasTwoRounds: Bool { isProjected || cell == FORGE_CELL_GRU_BEFORE }
    var hasCells: Bool { cell == FORGE_CELL_LSTM }

    static let all = [
      Case(cell: FORGE_CELL_SIMPLE, units: 1, outputs: 1),
      Case(cell: FORGE_CELL_SIMPLE, units: 37, outputs: 37, rows: 2, isReversed: true),
      Case(cell: FORGE_CELL_LSTM, units: 16, outputs: 16),
      Case(cell: FORGE_CELL_LSTM, units: 35, outputs: 35, rows: 3, hasLengths: true),
      Case(cell: FORGE_CELL_LSTM, units: 32, outputs: 40, rows: 2),
      Case(cell: FORGE_CELL_SIMPLE, units: 80, outputs: 80, rows: 2),
      Case(cell: FORGE_CELL_GRU_BEFORE, units: 32, outputs: 32, rows: 3),
      Case(cell: FORGE_CELL_LSTM, units: 33, outputs: 5, isReversed: true),
      Case(cell: FORGE_CELL_LSTM, units: 17, outputs: 50, rows: 2, hasLengths: true),
      Case(cell: FORGE_CELL_GRU_AFTER, units: 33, outputs: 33, rows: 2),
      Case(cell: FORGE_CELL_GRU_AFTER, units: 48, outputs: 48, isReversed: true, hasLengths: true),
      Case(cell: FORGE_CELL_GRU_BEFORE, units: 19, outputs: 19, rows: 2, hasLengths: true),
      Case(cell: FORGE_CELL_SIMPLE, units: 37, outputs: 37, rows: 2, hasMask: true),
      Case(cell: FORGE_CELL_LSTM, units: 33, outputs: 5, isReversed: true, hasMask: true),
      Case(cell: FORGE_CELL_LSTM, units: 48, outputs: 48, hasMask: true),
      Case(cell: FORGE_CELL_GRU_AFTER, units: 33, outputs: 33, rows: 2, hasMask: true),
      Case(
        cell: FORGE_CELL_GRU_BEFORE, units: 19, outputs: 19, rows: 3, isReversed: true,
        hasLengths: true, hasMask: true),
    ]
  }

  static let times = 3

  /// Runs all rounds of a case and returns the bits of the output and of the scratch memory.
  ///
  /// `order` returns the order of the tiles of a round.
  private func run(
    _ test: Case, _ level: Level, input: [Float], isBlocked: Bool = false,
    order: (Range<Int64>) -> [Int64]
  ) -> (out: [UInt32], floats: [Float]) {
    var random = SeededGenerator(seed: 5)
    let (units, outputs, rows) = (test.units, test.outputs, test.rows)
    let blocks = (units + 15) / 16
    let outputBlocks = (outputs + 15) / 16
    let count = Self.times * rows * outputs + rows * (outputs + (test.hasCells ? units : 0))
    let weights = Buffer(random.values(blocks * outputs * test.gates * 16))
    let projection = Buffer(random.values(outputBlocks * units * 16))
    // Canaries around the output.
    let out = Buffer(count: count + 6)
    let lengths = Buffer((0..<rows).map { Float(1 + $0 % 3) })
    let scratch = Buffer(count: 2 * rows * (outputs + units))
    var arguments = forge_recurrent_arguments()
    arguments.cell = Int32(test.cell.rawValue)
    arguments.is_reversed = test.isReversed ? 1 : 0
    arguments.clip = .infinity
    arguments.cell_clip = test.cell == FORGE_CELL_LSTM ? 0.25 : .infinity
    let tanh = forge_activation(kind: Int32(FORGE_TANH.rawValue), a: 0, b: 0)
    let sigmoid = forge_activation(kind: Int32(FORGE_SIGMOID.rawValue), a: 0, b: 0)
    arguments.gates = test.cell == FORGE_CELL_SIMPLE ? tanh : sigmoid
    (arguments.candidate, arguments.hidden) = (tanh, tanh)
    (arguments.times, arguments.rows) = (Int64(Self.times), Int64(rows))
    (arguments.units, arguments.outputs) = (Int64(units), Int64(outputs))
    arguments.setPlainGates(units: units, count: test.gates, rows: rows)
    var gates = input
    if isBlocked {
      gates = blocked(input, test)
      arguments.in_block = Int64(Self.times * rows * 16)
      (arguments.in_time, arguments.in_row) = (Int64(rows * 16), 16)
      let gate = arguments.in_block * Int64(units / 16)
      arguments.gate_offsets = (0, gate, 2 * gate, 3 * gate)
    }
    arguments.out.base = 1
    arguments.out.offset = 3
    arguments.lengths.base = 2
    arguments.has_lengths = test.hasLengths ? 1 : 0
    let mask = Buffer((0..<Self.times * rows).map { Float([0, 1, -2][$0 * 7 % 3]) })
    arguments.mask.base = 4
    arguments.has_mask = test.hasMask ? 1 : 0
    arguments.scratch.base = 3
    arguments.weights = UnsafePointer(weights.pointer)
    if test.isProjected { arguments.projection = UnsafePointer(projection.pointer) }
    let bases = [Buffer(gates), out, lengths, scratch, mask]
    let pointers: [UnsafeMutablePointer<Float>?] = bases.map(\.pointer)
    let before = out.bits
    let rounds = Self.times * (test.hasTwoRounds ? 2 : 1)
    pointers.withUnsafeBufferPointer { pointers in
      withUnsafePointer(to: arguments) { arguments in
        for round in 0..<rounds {
          var frame = forge_frame(
            bases: pointers.baseAddress, image: 0, crops: nil, worker: 0, calls: 0,
            round: Int64(round), fault: nil)
          for tile in order(0..<forge_recurrent_tiles(arguments)) {
            level.kernels.recurrent(arguments, &frame, tile, tile + 1)
          }
        }
      }
    }
    #expect(out.bits.prefix(3) == before.prefix(3) && out.bits.suffix(3) == before.suffix(3))
    withExtendedLifetime((weights, projection, bases)) {}
    return (Array(out.bits.dropFirst(3).dropLast(3)), (0..<count).map { out.pointer[3 + $0] })
  }

  /// Returns the gates as `[block of 16][times][rows][16]`.
  private func blocked(_ input: [Float], _ test: Case) -> [Float] {
    let channels = test.gates * test.units
    let places = Self.times * test.rows
    return (0..<channels / 16).flatMap { block in
      (0..<places).flatMap { place in
        (0..<16).map { input[place * channels + block * 16 + $0] }
      }
    }
  }

  private func input(_ test: Case, nan: Int? = nil) -> [Float] {
    var random = SeededGenerator(seed: 9)
    var values = random.values(Self.times * test.rows * test.gates * test.units)
    if let nan { values[nan] = .nan }
    return values
  }

  @Test("tiles in any order", arguments: Case.all)
  func tiles(test: Case) {
    let input = input(test)
    let scalar = run(test, Level.available[0], input: input) { Array($0) }
    for level in Level.available {
      let forwards = run(test, level, input: input) { Array($0) }
      let backwards = run(test, level, input: input) { $0.reversed() }
      #expect(forwards.out == backwards.out, "\(level), \(test)")
      for (value, expected) in zip(forwards.floats, scalar.floats) {
        #expect(abs(value - expected) <= 1e-5, "\(level), \(test)")
      }
    }
  }

  @Test("blocked gates", arguments: Case.all.filter { $0.units.isMultiple(of: 16) })
  func blockedGates(test: Case) {
    let input = input(test)
    for level in Level.available {
      let plain = run(test, level, input: input) { Array($0) }
      let blocked = run(test, level, input: input, isBlocked: true) { Array($0) }
      #expect(blocked.out == plain.out, "\(level), \(test)")
    }
  }

  /// Outputs after the end of a row are 0, and its last values are those of its end.
  @Test("lengths", arguments: Case.all.filter { $0.hasLengths && !$0.isReversed })
  func lengths(test: Case) {
    for level in Level.available {
      let floats = run(test, level, input: input(test)) { Array($0) }.floats
      let (rows, outputs) = (test.rows, test.outputs)
      for row in 0..<rows {
        let length = 1 + row % 3
        for time in 0..<Self.times {
          let start = (time * rows + row) * outputs
          let isZero = floats[start..<start + outputs].allSatisfy { $0 == 0 }
          #expect(isZero == (time >= length), "\(level), \(test)")
        }
        let end = ((length - 1) * rows + row) * outputs
        let last = (Self.times * rows + row) * outputs
        #expect(floats[end..<end + outputs] == floats[last..<last + outputs])
      }
    }
  }

  /// Outputs of hidden times are those of the time read before, and inputs there have no effect.
  @Test("mask", arguments: Case.all.filter { $0.hasMask && !$0.hasLengths })
  func mask(test: Case) {
    let (rows, outputs) = (test.rows, test.outputs)
    let isHidden = { (time: Int, row: Int) in (time * rows + row) % 3 == 0 }
    var hostile = input(test)
    let width = test.gates * test.units
    for place in 0..<Self.times * rows where place % 3 == 0 {
      hostile.replaceSubrange(
        place * width..<(place + 1) * width, with: Array(repeating: Float.nan, count: width))
    }
    for level in Level.available {
      let floats = run(test, level, input: input(test)) { Array($0) }
      let ignoring = run(test, level, input: hostile) { Array($0) }
      #expect(floats.out == ignoring.out, "\(level), \(test)")
      for row in 0..<rows {
        var before = Array(repeating: Float(0), count: outputs)
        for step in 0..<Self.times {
          let time = test.isReversed ? Self.times - 1 - step : step
          let start = (time * rows + row) * outputs
          let now = Array(floats.floats[start..<start + outputs])
          #expect((now == before) == isHidden(time, row), "\(level), \(test), time \(time)")
          before = now
        }
        let last = (Self.times * rows + row) * outputs
        #expect(before == Array(floats.floats[last..<last + outputs]), "\(level), \(test)")
      }
    }
  }

  /// A NaN in one row reaches no other row and no earlier time.
  @Test("NaN", arguments: Case.all.filter { $0.rows > 1 && !$0.isReversed && !$0.hasMask })
  func notANumber(test: Case) {
    for level in Level.available {
      // In the second time of the first row.
      let place = test.rows * test.gates * test.units
      let floats = run(test, level, input: input(test, nan: place)) { Array($0) }.floats
      let outputs = test.outputs
      for time in 0..<Self.times {
        for row in 0..<test.rows {
          let start = (time * test.rows + row) * outputs
          let hasNaN = floats[start..<start + outputs].contains(where: \.isNaN)
          let isHit = row == 0 && time > 0 && !test.hasLengths
          #expect(hasNaN == isHit, "\(level), \(test), time \(time), row \(row)")
        }
      }
    }
  }
}

extension forge_recurrent_arguments {
  /// Sets where gates are in a plain tensor `[times][rows][count * units]`.
  mutating func setPlainGates(units: Int, count: Int, rows: Int) {
    (in_time, in_row, in_block) = (Int64(rows * count * units), Int64(count * units), 16)
    gate_offsets = (0, Int64(units), Int64(2 * units), Int64(3 * units))
  }
}
