import CForgeKernels
import Testing

/// Recurrent cells whose products are those of bytes, equal to their definition.
@Suite struct DynamicRecurrentTests {
  /// The numbers of a cell.
  private struct Cell {
    let units, rows: Int
    /// [4 · units][units], and the zero point of each row.
    let weights: [Int8]
    let zeros: [Int32]
    let scales: [Float]
    /// [rows][units].
    var hidden: [Float]

    init(units: Int, rows: Int, hasZeros: Bool) {
      var random = SeededGenerator(seed: UInt64(units * 7 + rows))
      (self.units, self.rows) = (units, rows)
      weights = random.values(4 * units * units).map { Int8(($0 * 127).rounded()) }
      zeros = random.values(4 * units).map { hasZeros ? Int32(($0 * 128).rounded()) : 0 }
      scales = random.values(4 * units).map { abs($0) * 0.01 + 1e-4 }
      hidden = random.values(rows * units)
    }

    /// The scale and the zero point of the hidden values.
    var range: (scale: Float, zero: Int) {
      if hidden.contains(where: \.isNaN) { return (.nan, 0) }
      let (least, most) = (min(hidden.min() ?? 0, 0), max(hidden.max() ?? 0, 0))
      guard least != most else { return (1, 0) }
      let scale = (most - least) / 255
      let zero = -least / scale
      return (scale, zero > 0 ? Int(min(zero, 255).rounded(.toNearestOrEven)) : 0)
    }

    /// The product of a row and the weights of a unit's gate.
    func product(_ row: Int, _ block: Int, _ unit: Int) -> Float {
      let (scale, zero) = range
      let place = block * units + unit
      var sum = 0
      for input in 0..<units {
        let quotient = (hidden[row * units + input] / scale).rounded(.toNearestOrEven)
        let byte = quotient.isNaN ? 0 : Int(max(-300, min(300, quotient))) + zero
        let weight = Int(weights[place * units + input]) - Int(zeros[place])
        sum += (max(0, min(255, byte)) - zero) * weight
      }
      return Float(sum) * (scale * scales[place])
    }

    /// What is made of products by a cell without functions, whose gates are i, f, c and o, and
    /// whose cells are 0: `o · (i · c)`.
    func expected(blocks: [Int]) -> [Float] {
      (0..<rows * units).map { place in
        let (row, unit) = (place / units, place % units)
        let (i, c) = (product(row, blocks[0], unit), product(row, blocks[2], unit))
        return product(row, blocks[3], unit) * (i * c)
      }
    }

    /// The outputs of a kernel.
    func run(_ kernel: forge_kernel, blocks: [Int], tilesAtOnce: Int64) -> [Float] {
      let panels = (units + 15) / 16
      let tables = panels * 4 * 16
      var packed = [Int8](repeating: 0, count: tables * ((units + 3) / 4) * 4)
      var totals = [Int32](repeating: 0, count: tables)
      var packedZeros = totals
      var factors = [Float](repeating: 0, count: tables)
      for gate in 0..<4 {
        for unit in 0..<units {
          factors[(unit / 16 * 4 + gate) * 16 + unit % 16] = scales[blocks[gate] * units + unit]
        }
      }
      weights.withUnsafeBufferPointer { weights in
        zeros.withUnsafeBufferPointer { zeros in
          var packing = forge_dynamic_recurrent_packing()
          (packing.weights, packing.zeros) = (weights.baseAddress, zeros.baseAddress)
          (packing.gates, packing.units, packing.outputs) = (4, Int64(units), Int64(units))
          packing.blocks = (Int64(blocks[0]), Int64(blocks[1]), Int64(blocks[2]), Int64(blocks[3]))
          forge_pack_dynamic_recurrent(&packing, &packed, &totals, &packedZeros)
        }
      }
      let bases = [
        Buffer([Float](repeating: 0, count: rows * 4 * units)),
        Buffer(count: rows * units * 3 + 3), Buffer(count: 2 * rows * units), Buffer(hidden),
        Buffer([Float](repeating: 0, count: rows * units)),
      ]
      var arguments = forge_recurrent_arguments()
      arguments.cell = Int32(FORGE_CELL_LSTM.rawValue)
      let linear = forge_activation(kind: Int32(FORGE_LINEAR.rawValue), a: 0, b: 0)
      (arguments.gates, arguments.candidate, arguments.hidden) = (linear, linear, linear)
      (arguments.clip, arguments.cell_clip) = (.infinity, .infinity)
      (arguments.times, arguments.rows) = (1, Int64(rows))
      (arguments.units, arguments.outputs) = (Int64(units), Int64(units))
      arguments.setPlainGates(units: units, count: 4, rows: rows)
      (arguments.out.base, arguments.scratch.base) = (1, 2)
      (arguments.initial_hidden.base, arguments.initial_cells.base) = (3, 4)
      arguments.has_state = 1
      let pointers: [UnsafeMutablePointer<Float>?] = bases.map(\.pointer)
      packed.withUnsafeBytes { packed in
        arguments.weights = packed.baseAddress?.assumingMemoryBound(to: Float.self)
        totals.withUnsafeBufferPointer { totals in
          packedZeros.withUnsafeBufferPointer { packedZeros in
            factors.withUnsafeBufferPointer { factors in
              (arguments.totals, arguments.weight_zeros, arguments.scales) = (
                totals.baseAddress, packedZeros.baseAddress, factors.baseAddress
              )
              pointers.withUnsafeBufferPointer { pointers in
                var frame = forge_frame(
                  bases: pointers.baseAddress, image: 0, crops: nil, worker: 0, calls: 0,
                  round: 0, fault: nil)
                let tiles = forge_dynamic_recurrent_tiles(&arguments)
                for tile in stride(from: 0, to: tiles, by: Int(min(tilesAtOnce, tiles))) {
                  kernel(&arguments, &frame, tile, min(tile + tilesAtOnce, tiles))
                }
              }
            }
          }
        }
      }
      #expect(bases[1].bits.suffix(3).allSatisfy { $0 == canary })
      return (0..<rows * units).map { bases[1].pointer[$0] }
    }
  }

  @Test(arguments: [1, 15, 16, 37, 131, 512], [1, 3])
  func productsAreExact(_ units: Int, _ rows: Int) {
    for (hasZeros, blocks) in [(false, [0, 1, 2, 3]), (true, [0, 2, 3, 1])] {
      var cell = Cell(units: units, rows: rows, hasZeros: hasZeros)
      for extreme: Float in [0.5, 0, 1e30, -.leastNonzeroMagnitude, -.infinity, .nan] {
        cell.hidden[cell.hidden.count / 2] = extreme
        let expected = cell.expected(blocks: blocks)
        for level in Level.available {
          for tiles in [1, 2, Int64.max / 2] {
            let found = cell.run(
              level.kernels.dynamic_recurrent, blocks: blocks, tilesAtOnce: tiles)
            let same = zip(found, expected).allSatisfy {
              $0 == $1 || ($0.isNaN && $1.isNaN)
            }
            #expect(same, "\(level), \(units) units, \(extreme), \(tiles) at once")
          }
        }
      }
    }
  }
}
