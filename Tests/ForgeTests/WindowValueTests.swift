import Forge
import ForgeTestSupport
import Testing

/// Values of normalizations and of moved pixels that no fixture holds.
@Suite struct WindowValueTests {
  private func results(
    of layer: any Layer, _ sizes: [Int], _ values: [Float], _ set: CompileOptions.InstructionSet
  ) throws -> [Float] {
    let input = Input(shape: sizes, name: "input0")
    let model = Model(inputs: [input], outputs: [[input].chained(to: layer)])
    let network = try model.compile(
      parameters: SeededParameters(), options: CompileOptions(instructionSet: set, threads: 1))
    let given = [TensorValues(shape: Shape(sizes: sizes), values: values)]
    let outputs = try network.predict(ordered: given, crops: [:]).outputs
    return try #require(outputs.values.first).values
  }

  /// The standardized values of sets of places, in double precision.
  private func standardised(_ values: [Float], _ sets: [[Int]], epsilon: Double) -> [Float] {
    var result = values
    for set in sets {
      let count = Double(set.count)
      let mean = set.reduce(0) { $0 + Double(values[$1]) } / count
      let variance = set.reduce(0) {
        $0 + (Double(values[$1]) - mean) * (Double(values[$1]) - mean)
      }
      let divisor = (variance / count + epsilon).squareRoot()
      for place in set { result[place] = Float((Double(values[place]) - mean) / divisor) }
    }
    return result
  }

  /// A mean of 10⁴ times the deviation costs no accuracy.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func largeMeans(_ set: CompileOptions.InstructionSet) throws {
    let (height, width, channels) = (7, 11, 20)
    let count = height * width * channels
    let values = seededValues(count: count, seed: 3, range: -1...1).map { 10_000 + $0 }
    let sizes = [height, width, channels]
    func places(_ group: (Int) -> Int) -> [[Int]] {
      Array(Dictionary(grouping: 0..<count, by: group).values)
    }
    let layers: [(any Layer, (Int) -> Int)] = [
      (LayerNormalization(center: false, scale: false), { $0 / channels }),
      (LayerNormalization(axes: [0, 1, 2], center: false, scale: false), { _ in 0 }),
      (InstanceNormalization(center: false, scale: false), { $0 % channels }),
      (GroupNormalization(groups: 4, center: false, scale: false), { $0 % channels / 5 }),
    ]
    for (layer, group) in layers {
      let expected = standardised(values, places(group), epsilon: 1e-5)
      let actual = try results(of: layer, sizes, values, set)
      expectClose(actual, expected, relativeL2: 2e-6, "\(type(of: layer)), \(set)")
    }
  }

  @Test(arguments: CompileOptions.InstructionSet.present)
  func notANumberStaysInItsSet(_ set: CompileOptions.InstructionSet) throws {
    var values = seededValues(count: 3 * 5 * 20, seed: 4, range: 0.1...1)
    values[2 * 20 + 7] = .nan
    let rows = try results(of: LayerNormalization(), [3, 5, 20], values, set)
    #expect(rows.indices.allSatisfy { rows[$0].isNaN == ($0 / 20 == 2) })
    let channels = try results(of: InstanceNormalization(), [3, 5, 20], values, set)
    #expect(channels.indices.allSatisfy { channels[$0].isNaN == ($0 % 20 == 7) })
    let unit = try results(of: L2Normalize(), [3, 5, 20], values, set)
    #expect(unit.indices.allSatisfy { unit[$0].isNaN == ($0 / 20 == 2) })
    let pooled = try results(
      of: PoolingND(.maximum, kernel: [3, 5]), [3, 5, 20], values, set)
    #expect(pooled.indices.allSatisfy { pooled[$0].isNaN == ($0 == 7) })
  }

  /// Places that no tap reaches hold the biases, whatever the image holds.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func gapsOfATransposedConvolution(_ set: CompileOptions.InstructionSet) throws {
    let layer = TransposedConvolution(
      kernel: 2, channels: 6, stride: (x: 2, y: 2), dilation: 2, padding: .valid, name: "up")
    func outputs(pixel: Float) throws -> [Float] {
      var values = seededValues(count: 5 * 4 * 3, seed: 6, range: -1...1)
      values[(2 * 4 + 1) * 3] = pixel
      return try results(of: layer, [5, 4, 3], values, set)
    }
    let (first, second) = (try outputs(pixel: 0.25), try outputs(pixel: -0.5))
    #expect(first != second)
    for pixel in [Float.nan, .infinity] {
      let hostile = try outputs(pixel: pixel)
      #expect(
        hostile.indices.allSatisfy {
          hostile[$0].isFinite == (first[$0] == second[$0])
            && (hostile[$0] == first[$0] || !hostile[$0].isFinite)
        }, "\(pixel)")
    }
  }

  @Test func zerosHaveNoDirection() throws {
    let zeros = [Float](repeating: 0, count: 12)
    #expect(try results(of: L2Normalize(), [3, 4], zeros, .scalar) == zeros)
  }

  /// The loops of Darknet's reorg layer, on values with channels first.
  @Test func darknetReorg() throws {
    let (height, width, channels, step) = (4, 6, 8, 2)
    let first = (0..<height * width * channels).map { Float($0) + 0.5 }
    var expected = first
    let few = channels / (step * step)
    for k in 0..<channels {
      for j in 0..<height {
        for i in 0..<width {
          let (column, row) = (i * step + k / few % step, j * step + k / few / step)
          expected[i + width * (j + height * k)] =
            first[column + width * step * (row + height * step * (k % few))]
        }
      }
    }
    func last(_ values: [Float], _ height: Int, _ width: Int, _ channels: Int) -> [Float] {
      (0..<values.count).map {
        let (pixel, channel) = ($0 / channels, $0 % channels)
        return values[channel * height * width + pixel]
      }
    }
    let actual = try results(
      of: SpaceToDepth(block: step, order: .darknet), [height, width, channels],
      last(first, height, width, channels), .scalar)
    #expect(actual == last(expected, height / step, width / step, channels * step * step))
  }

  @Test func channelsOfGroupsInTurn() throws {
    let values = (0..<12).map { Float($0) }
    let actual = try results(of: ChannelShuffle(groups: 2), [2, 1, 6], values, .scalar)
    #expect(actual == [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11])
  }

  /// A batch in one memory: every example has its own moments and boxes.
  @Test func batches() throws {
    let input = Input(width: 5, height: 3, channels: 18)
    let output =
      input --> GroupNormalization(groups: 3)
      --> TransposedConvolution(kernel: (3, 3), channels: 7, stride: (2, 2))
      --> Resample(sizes: [7, 5, nil]) --> LayerNormalization()
    let network = try Model(input: input, output: output).compile(
      parameters: SeededParameters(), options: CompileOptions(threads: .exactly(3)))
    let values = seededValues(count: 3 * 3 * 5 * 18, seed: 5, range: -1...1)
    let all = try network.predict(values, batch: 3)
    let single = try (0..<3).flatMap {
      try network.predict(Array(values[($0 * 270)..<($0 * 270 + 270)]))
    }
    #expect(all == single)
  }
}
