import CForgeKernels
import Testing

/// Packed weights against the definition of their layout.
@Suite struct PackingTests {
  static let sizes = [1, 2, 3, 15, 16, 17, 33, 64, 70]

  @Test("weights of convolutions", arguments: [16, 32, 48, 64])
  func convolution(panel: Int) {
    var random = SeededGenerator(seed: 6)
    for (index, outputs) in Self.sizes.enumerated() {
      for (taps, inputs) in [(1, 1), (1, 40), (2, 16), (9, 3), (9, 17), (25, 32)] {
        var test = ConvolutionCase(inputs: inputs, outputs: outputs, panel: panel)
        test.kernel = (1, taps)
        test.width = taps
        test.seed = UInt64(index)
        let numbers = ConvolutionNumbers(test)
        let wanted = numbers.packedWeights(test)
        let packed = Buffer(count: wanted.count + 32)
        forge_pack_convolution(
          numbers.weights, packed.pointer + 16, Int64(outputs), Int64(taps), Int64(inputs),
          Int64(panel), 1)
        #expect(
          packed.bits
            == Array(repeating: canary, count: 16) + wanted.map(\.bitPattern)
            + Array(repeating: canary, count: 16),
          "\(outputs) outputs, \(taps) taps, \(inputs) inputs, panel \(panel)")
      }
    }
    // A number wherever there is one: none is lost.
    let weights = random.values(70 * 9 * 17)
    let packed = Buffer(count: 80 / 16 * 9 * 32 * 16)
    forge_pack_convolution(weights, packed.pointer, 70, 9, 17, 16, 1)
    #expect((0..<packed.count).count { packed.pointer[$0] != 0 } == weights.count)
  }

  @Test("weights of Winograd's convolutions", arguments: WinogradForm.all)
  func winograd(form: WinogradForm) {
    let (vertical, horizontal) = (form.vertical, form.horizontal)
    let units = form.units
    #expect(
      forge_winograd_units(
        Int32(form.tile.height), Int32(form.kernel.height), Int32(form.tile.width),
        Int32(form.kernel.width), Int32(form.stride)) == units.count)
    let taps = form.kernel.height * form.kernel.width
    for (index, outputs) in Self.sizes.enumerated() {
      let panel = [16, 32, 48, 64][index % 4]
      for inputs in [1, 5, 16, 19, 33] {
        var random = SeededGenerator(seed: UInt64(index))
        let weights = random.values(outputs * taps * inputs)
        let padded = (inputs + 15) / 16 * 16
        let panels = (outputs + panel - 1) / panel
        let packed = Buffer(count: panels * units.count * padded * panel + 32)
        forge_pack_winograd(
          weights, packed.pointer + 16, Int64(outputs), Int64(inputs), Int32(form.tile.height),
          Int32(form.kernel.height), Int32(form.tile.width), Int32(form.kernel.width),
          Int32(form.stride), Int64(panel), 1)
        var wrong = 0
        var seen = 0
        for o in 0..<outputs {
          for c in 0..<inputs {
            let filters = form.taps(
              (0..<taps).map { Double(weights[(o * taps + $0) * inputs + c]) })
            let made = filters.map { transform(vertical.filter, $0, horizontal.filter) }
            // Rounded once; where terms cancel the doubles' own order may show.
            let bounds = filters.map {
              transform(
                magnitudes(vertical.filter), magnitudes($0), magnitudes(horizontal.filter))
            }
            for (index, unit) in units.enumerated() {
              let value = made[unit.phase][unit.y][unit.x]
              let bound = bounds[unit.phase][unit.y][unit.x]
              let row = (o / panel * units.count + index) * padded + c
              let actual = Double(packed.pointer[16 + row * panel + o % panel])
              if !(abs(actual - value) <= 6e-8 * abs(value) + 1e-14 * bound) { wrong += 1 }
              seen += actual == 0 ? 0 : 1
            }
          }
        }
        #expect(wrong == 0, "\(form), \(outputs) outputs, \(inputs) inputs, panel \(panel)")
        // All else is zero, and nothing around has been written.
        let all = (16..<packed.count - 16).count { packed.pointer[$0] != 0 }
        #expect(all == seen, "\(form), \(outputs) outputs, \(inputs) inputs, panel \(panel)")
        let around = Array(0..<16) + Array(packed.count - 16..<packed.count)
        #expect(around.allSatisfy { packed.pointer[$0].bitPattern == canary })
      }
    }
  }

  /// The right sides, in the order of the products that vector/strassen.h lists; of two levels those of the first
  /// one's, as matrices.
  ///
  /// Halves are the even and the odd blocks.
  @Test("weights of Strassen's convolutions", arguments: [16, 32, 48, 64], [1, 2])
  func strassen(panel: Int, levels: Int) {
    for (index, parts) in [1, 2, 3, 5].enumerated() {
      for blocks in [1, 3, 4] {
        let (outputs, inputs) = (parts * 16 << levels, blocks * 16 << levels)
        let stride = inputs + 5 * index
        var random = SeededGenerator(seed: UInt64(index))
        let weights = random.values(outputs * stride)
        let whole = WeightMatrix(inputs: inputs, outputs: outputs) {
          Double(weights[$1 * stride + $0])
        }
        var sides = whole.rightSides
        if levels == 2 { sides = sides.flatMap(\.rightSides) }
        let (rows, columns) = (outputs >> levels, inputs >> levels)
        let panels = (rows + panel - 1) / panel
        var wanted = [UInt32](repeating: 0, count: panels * sides.count * columns * panel)
        for (product, side) in sides.enumerated() {
          for o in 0..<rows {
            for c in 0..<columns {
              let row = (o / panel * sides.count + product) * columns + c
              wanted[row * panel + o % panel] = Float(side[c, o]).bitPattern
            }
          }
        }
        let packed = Buffer(count: wanted.count + 32)
        forge_pack_strassen(
          weights, packed.pointer + 16, Int64(outputs), Int64(inputs), Int64(stride), Int64(panel),
          Int32(levels), nil, nil, 1)
        #expect(
          packed.bits
            == Array(repeating: canary, count: 16) + wanted
            + Array(repeating: canary, count: 16),
          "\(outputs) outputs, \(inputs) inputs, panel \(panel), \(levels) levels")
      }
    }
  }
}

/// A right side of a product: inputs are rows, outputs columns.
private struct WeightMatrix {
  let inputs, outputs: Int
  private var values: [Double]

  init(inputs: Int, outputs: Int, _ value: (_ input: Int, _ output: Int) -> Double) {
    (self.inputs, self.outputs) = (inputs, outputs)
    values = []
    for i in 0..<inputs { for o in 0..<outputs { values.append(value(i, o)) } }
  }

  subscript(input: Int, output: Int) -> Double { values[input * outputs + output] }

  /// A quarter: the even or the odd blocks of both.
  private func quarter(_ input: Int, _ output: Int) -> WeightMatrix {
    let place = { (channel: Int, half: Int) in (channel / 16 * 2 + half) * 16 + channel % 16 }
    return WeightMatrix(inputs: inputs / 2, outputs: outputs / 2) {
      self[place($0, input), place($1, output)]
    }
  }

  var rightSides: [WeightMatrix] {
    let (b11, b12, b21, b22) = (quarter(0, 0), quarter(0, 1), quarter(1, 0), quarter(1, 1))
    return [
      b11, b22 - (b12 - b11), b21, b22 - b12, b12 - b11, b22, b21 - (b22 - (b12 - b11)),
    ]
  }

  static func - (a: WeightMatrix, b: WeightMatrix) -> WeightMatrix {
    WeightMatrix(inputs: a.inputs, outputs: a.outputs) { a[$0, $1] - b[$0, $1] }
  }
}
