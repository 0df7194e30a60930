import Forge
import ForgeTestSupport
import Testing

/// Recurrent layers with a mask: beside lengths, states and other layers.
@Suite struct MaskedRecurrenceTests {
  private let parameters = RandomParameters(seed: 3)

  /// Words of a vocabulary of which 0 is none, read in both directions, then forwards.
  private func sentence(_ size: InputSize) throws -> CompiledModel {
    let ids = Input(shape: [size], name: "ids")
    let isWord = ids --> Compare(.notEqual, than: [0])
    let words = ids --> Embedding(vocabulary: 9, channels: 5, name: "words")
    let both =
      [words, isWord]
      --> Bidirectional(GRU(units: 6, returnSequences: true, masked: true), name: "both")
    let last = [both, isWord] --> LSTM(units: 17, masked: true, name: "last")
    return try Model(input: ids, output: last).compile(parameters: parameters)
  }

  @Test func lengthsMayVary() throws {
    let network = try sentence(.upTo(19))
    for length in [1, 3, 11, 19] {
      let ids = (0..<length).map { Float($0 * 5 % 9) }
      let expected = try sentence(.exactly(length)).predict(ids)
      #expect(try network.predict(ids) == expected, "\(length)")
    }
    // What is hidden at the end, inside and at the start is as if it were not there.
    let short = try network.predict([3, 4, 5])
    #expect(short.contains { $0 != 0 })
    for padded: [Float] in [[3, 4, 5, 0, 0, 0], [3, 0, 0, 4, 0, 5], [0, 3, 4, 5]] {
      #expect(try network.predict(padded) == short)
    }
    #expect(try network.predict([0, 0, 0]).allSatisfy { $0 == 0 })
  }

  @Test func stepsEqualTheSequence() throws {
    func network(_ times: Int, isStateful: Bool) throws -> CompiledModel {
      let x = Input(shape: [times, 3], name: "x"), mask = Input(shape: [times], name: "mask")
      let y =
        [x, mask]
        --> GRU(
          units: 4, returnSequences: true, stateful: isStateful, masked: true, name: "gru")
      return try Model(inputs: [x, mask], outputs: [y]).compile(parameters: parameters)
    }
    let values = seededValues(count: 15, seed: 8)
    let mask: [Float] = [0, 1, 0, .nan, -2]
    let whole = try network(5, isStateful: false)
    let expected = try whole.predict(["x": values, "mask": mask])[whole.outputNames[0]]?.values
    let stepping = try network(1, isStateful: true)
    let context = try Context(stepping)
    var steps: [Float] = []
    for time in 0..<5 {
      let step = try context.predict([
        "x": Array(values[time * 3..<time * 3 + 3]), "mask": [mask[time]],
      ])
      steps += step[stepping.outputNames[0]]?.values ?? []
    }
    #expect(steps == expected)
    // A hidden time keeps the output; other numbers than 0, and NaN, count.
    #expect(Array(steps[0..<4]) == [0, 0, 0, 0] && steps[8..<12] == steps[4..<8])
    #expect(steps[12..<16] != steps[8..<12])
  }

  @Test func mistakes() throws {
    func message(_ inputs: [Tensor], _ output: Tensor) -> String {
      do {
        _ = try Model(inputs: inputs, outputs: [output]).compile(parameters: parameters)
        return ""
      } catch {
        return "\(error)"
      }
    }
    let x = Input(shape: [7, 3]), short = Input(shape: [6]), h = Input(shape: [4])
    #expect(
      message([x, short], [x, short] --> GRU(units: 4, masked: true))
        .contains("the mask has a different length from the sequence"))
    for (inputs, output) in [
      ([x], x --> LSTM(units: 4, masked: true)),
      ([x], x --> Bidirectional(GRU(units: 4, masked: true))),
      ([x, h], [x, h] --> SimpleRNN(units: 4, masked: true)),
    ] {
      let found = message(inputs, output)
      #expect(found.contains("mask"), "\(found)")
    }
  }
}
