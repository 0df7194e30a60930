import CForgeKernels
import Testing

/// The balance of weights over the channels that Strassen's algorithm adds.
@Suite struct BalanceTests {
  /// Weights `[outputs][inputs]`, random from −1 to 1.
  private struct Weights {
    var values: [Float]
    let outputs: Int
    let inputs: Int

    init(outputs: Int, inputs: Int) {
      var random = SeededGenerator(seed: UInt64(outputs * inputs))
      (self.outputs, self.inputs) = (outputs, inputs)
      values = random.values(outputs * inputs)
    }

    subscript(output: Int, input: Int) -> Float {
      get { values[output * inputs + input] }
      set { values[output * inputs + input] = newValue }
    }

    func unevenness(
      levels: Int, _ scales: (inputs: [Float], outputs: [Float])? = nil, threads: Int32 = 1
    )
      -> forge_unevenness
    {
      forge_strassen_unevenness(
        values, Int64(outputs), Int64(inputs), Int32(levels), scales?.inputs, scales?.outputs,
        threads)
    }

    var scales: (inputs: [Float], outputs: [Float]) { scales(threads: 1) }

    func scales(threads: Int32) -> (inputs: [Float], outputs: [Float]) {
      var (ofInputs, ofOutputs) = (
        [Float](repeating: -1, count: inputs), [Float](repeating: -1, count: outputs)
      )
      forge_balance(values, Int64(outputs), Int64(inputs), &ofInputs, &ofOutputs, threads)
      return (ofInputs, ofOutputs)
    }
  }

  @Test("random weights are balanced", arguments: [1, 2])
  func even(levels: Int) {
    for (outputs, inputs) in [(128, 64), (192, 448), (512, 512)] {
      let unevenness = Weights(outputs: outputs, inputs: inputs).unevenness(levels: levels)
      #expect((1..<1.5).contains(unevenness.channel), "\(unevenness)")
      #expect((1..<3).contains(unevenness.block), "\(unevenness)")
      #expect((1..<1.1).contains(unevenness.input), "\(unevenness)")
    }
  }

  /// Every other input has a scale of 10; each group mixes both kinds.
  @Test("input scales that weights compensate", arguments: [1, 2])
  func scaledInputs(levels: Int) {
    var weights = Weights(outputs: 128, inputs: 128)
    for o in 0..<128 { for i in 0..<128 where i / 16 % 2 == 1 { weights[o, i] /= 10 } }
    // Half of a group has 100 times the energy of the other half: (1 + 100) · (1 + 1/100) / 4.
    let expected = (101 * 1.01 / 4 as Double).squareRoot()
    let unevenness = weights.unevenness(levels: levels)
    #expect(abs(unevenness.input / expected - 1) < 0.1, "\(unevenness)")
    #expect(weights.unevenness(levels: levels, weights.scales).input < 1.3)
    // Lane by lane: the sums over a block hide them.
    for o in 0..<128 {
      for i in 0..<128 { weights[o, i] *= i / 16 % 2 == 1 ? 10 : 1 }
      for i in 0..<128 where (i + i / 16) % 2 == 1 { weights[o, i] /= 10 }
    }
    #expect(abs(weights.unevenness(levels: levels).input / expected - 1) < 0.1)
  }

  /// Errors follow the mean of a group: a channel of a thousandth of the size has the others'
  /// errors.
  @Test("small output channels have the error of their group", arguments: [1, 2])
  func smallOutput(levels: Int) {
    var weights = Weights(outputs: 128, inputs: 128)
    for i in 0..<128 { weights[37, i] *= 1e-3 }
    let parts = Double(1 << levels)
    let expected = 1e3 * ((parts - 1) / parts).squareRoot()
    let unevenness = weights.unevenness(levels: levels)
    #expect(abs(unevenness.channel / expected - 1) < 0.2, "\(unevenness)")
    #expect(weights.unevenness(levels: levels, weights.scales).channel < 2)
  }

  @Test("scales are powers of two, at most 1, and balance the norms")
  func scales() {
    var weights = Weights(outputs: 96, inputs: 160)
    var random = SeededGenerator(seed: 3)
    for i in 0..<160 {
      let scale = [Float](arrayLiteral: 1e-6, 1e-3, 1, 1e3, 1e6)[Int(random.next() % 5)]
      for o in 0..<96 { weights[o, i] *= scale }
    }
    for o in 0..<96 {
      let scale = [Float](arrayLiteral: 1e-4, 1, 1e4)[Int(random.next() % 3)]
      for i in 0..<160 { weights[o, i] *= scale }
    }
    for o in 0..<96 { weights[o, 5] = 0 }
    for i in 0..<160 { weights[7, i] = 0 }
    let scales = weights.scales
    #expect(scales.inputs[5] == 0)
    #expect(scales.outputs[7] == 0)
    for (index, scale) in (scales.inputs + scales.outputs).enumerated()
    where index != 5 && index != 160 + 7 {
      #expect(scale > 0 && scale <= 1 && scale.significand == 1, "\(index): \(scale)")
    }
    let norm = { (weights: [Double]) in weights.reduce(0) { $0 + $1 * $1 }.squareRoot() }
    let scaled = { (o: Int, i: Int) in
      scales.inputs[i] == 0 || scales.outputs[o] == 0
        ? 0 : Double(weights[o, i]) / Double(scales.inputs[i]) / Double(scales.outputs[o])
    }
    let ofInputs = (0..<160).filter { $0 != 5 }.map { i in norm((0..<96).map { scaled($0, i) }) }
    let ofOutputs = (0..<96).filter { $0 != 7 }.map { o in norm((0..<160).map { scaled(o, $0) }) }
    for norms in [ofInputs, ofOutputs] {
      #expect((norms.max() ?? 0) <= 3 * (norms.min() ?? 0), "\(norms)")
    }
    for levels in 1...2 where levels == 1 || 96 % 64 == 0 {
      #expect(weights.unevenness(levels: levels).channel > 1e6)
      let unevenness = weights.unevenness(levels: levels, scales)
      #expect(
        unevenness.channel < 3 && unevenness.block < 4 && unevenness.input < 1.5, "\(unevenness)")
    }
  }

  /// The definition in unevenness.c, one sum after the other.
  private func plain(
    _ weights: Weights, levels: Int, _ scales: (inputs: [Float], outputs: [Float])
  ) -> (channel: Double, block: Double, input: Double) {
    let (parts, blocks) = (1 << levels, weights.inputs / 16)
    let square = { (o: Int, i: Int) -> Double in
      let (of, by) = (Double(scales.outputs[o]), Double(scales.inputs[i]))
      let scaled = of == 0 || by == 0 ? 0 : Double(weights[o, i]) / of / by
      return scaled * scaled
    }
    let isUnused = (0..<blocks).map { block in
      (0..<16).allSatisfy { scales.inputs[block * 16 + $0] == 0 }
    }
    var (channel, block, input, count) = (1.0, 1.0, 0.0, 0.0)
    var ofInputs = [Double](repeating: 0, count: weights.inputs)
    for group in 0..<weights.outputs / 16 / parts {
      for lane in 0..<16 {
        let outputs = (0..<parts).map { (group * parts + $0) * 16 + lane }
        let energy = outputs.map { o in
          (0..<blocks).map { b in (0..<16).reduce(0) { $0 + square(o, b * 16 + $1) } }
        }
        for o in outputs { for i in 0..<weights.inputs { ofInputs[i] += square(o, i) } }
        let all = energy.joined().reduce(0, +)
        var mixed = 0.0
        for first in stride(from: 0, to: weights.inputs, by: parts * 16) {
          for place in first..<first + 16 {
            let members = (0..<parts).map { place + $0 * 16 }
            mixed +=
              members.reduce(0) { $0 + Double(scales.inputs[$1]) * Double(scales.inputs[$1]) }
              * members.reduce(0) { sum, i in outputs.reduce(sum) { $0 + square($1, i) } }
          }
        }
        for (part, o) in outputs.enumerated() where scales.outputs[o] != 0 && all != 0 {
          let alike = (0..<weights.inputs).reduce(0) {
            $0 + square(o, $1) * Double(scales.inputs[$1]) * Double(scales.inputs[$1])
          }
          channel = max(
            channel, all / Double(parts) / energy[part].reduce(0, +),
            mixed / Double(parts * parts) / alike)
          for first in stride(from: 0, to: blocks, by: parts) {
            let sum = energy.reduce(0) { $0 + $1[first..<first + parts].reduce(0, +) }
            for b in first..<first + parts where sum != 0 && !isUnused[b] {
              block = max(block, sum / Double(parts * parts) / energy[part][b])
            }
          }
        }
      }
    }
    for first in stride(from: 0, to: weights.inputs, by: parts * 16) {
      for place in first..<first + 16 {
        let members = (0..<parts).map { place + $0 * 16 }.filter { scales.inputs[$0] != 0 }
        input +=
          members.reduce(0) { $0 + ofInputs[$1] } * members.reduce(0) { $0 + 1 / ofInputs[$1] }
          / Double(parts)
        count += Double(members.count)
      }
    }
    return (channel.squareRoot(), block.squareRoot(), (input / count).squareRoot())
  }

  @Test("the measure is its definition, with any number of threads", arguments: [1, 2])
  func definition(levels: Int) {
    for (outputs, inputs) in [(64, 64), (192, 320), (576, 448), (1088, 192)] {
      var weights = Weights(outputs: outputs, inputs: inputs)
      for o in 0..<outputs where o % 7 == 3 { for i in 0..<inputs { weights[o, i] *= 1e-5 } }
      for o in 0..<outputs { for i in 64..<(inputs > 64 ? 80 : 64) { weights[o, i] = 0 } }
      for i in 0..<inputs { weights[17, i] = 0 }
      let ones = (
        inputs: [Float](repeating: 1, count: inputs), outputs: [Float](repeating: 1, count: outputs)
      )
      for scales in [ones, weights.scales] {
        let expected = plain(weights, levels: levels, scales)
        for threads: Int32 in [1, 2, 5] {
          let found = weights.unevenness(levels: levels, scales, threads: threads)
          for (found, expected) in [
            (found.channel, expected.channel), (found.block, expected.block),
            (found.input, expected.input),
          ] {
            #expect(found == expected || abs(found / expected - 1) < 1e-12, "\(outputs)×\(inputs)")
          }
        }
      }
      let without = weights.unevenness(levels: levels)
      let with = weights.unevenness(levels: levels, ones, threads: 2)
      #expect(without.channel == with.channel && without.input == with.input)
    }
  }

  @Test("scales do not depend on threads, and sizes need not be even")
  func threads() {
    for (outputs, inputs) in [(1, 1), (7, 17), (97, 1009), (1031, 257)] {
      let weights = Weights(outputs: outputs, inputs: inputs)
      let one = weights.scales(threads: 1)
      for threads: Int32 in [2, 5] {
        let some = weights.scales(threads: threads)
        #expect(one.inputs == some.inputs && one.outputs == some.outputs)
      }
      for scale in one.inputs + one.outputs {
        #expect(scale > 0 && scale <= 1 && scale.significand == 1)
      }
    }
  }

  /// A large weight makes the scale of its input large.
  ///
  /// An input that is not small in return then drowns the others, in all outputs.
  @Test("one large weight", arguments: [1, 2])
  func outlier(levels: Int) {
    var weights = Weights(outputs: 128, inputs: 128)
    #expect(weights.unevenness(levels: levels, weights.scales).channel < 1.5)
    for size: Float in [1e4, 1e7, 1e20] {
      weights[37, 5] = size
      #expect(weights.unevenness(levels: levels).channel > 100)
      #expect(weights.unevenness(levels: levels, weights.scales).channel > 100, "\(size)")
    }
  }

  @Test("weights that no scale balances", arguments: [1, 2])
  func sparse(levels: Int) {
    var identity = Weights(outputs: 128, inputs: 128)
    for o in 0..<128 { for i in 0..<128 { identity[o, i] = o == i ? 1 : 0 } }
    #expect(identity.unevenness(levels: levels, identity.scales).block == .infinity)
    for value in [Float.nan, .infinity, -.infinity] {
      var weights = Weights(outputs: 128, inputs: 128)
      weights[3, 9] = value
      let unevenness = weights.unevenness(levels: levels, weights.scales)
      #expect(!(unevenness.channel <= 1e6) || !(unevenness.block <= 1e6), "\(value): \(unevenness)")
    }
  }
}
