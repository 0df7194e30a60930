import Forge
import Foundation
import Testing

/// States of a stream in a file.
@Suite struct SavedStateCodingTests {
  private func network() throws -> CompiledModel {
    let input = Input(shape: [1, 3], name: "frame")
    let output = input --> GRU(units: 5, returnSequences: true, stateful: true, name: "gru")
    return try Model(input: input, output: output).compile(parameters: RandomParameters(seed: 4))
  }

  /// A stream that goes on from JSON has the bits of one that was never interrupted.
  @Test func jsonKeepsEveryBit() throws {
    let network = try network()
    let (whole, first, second) = (
      try Context(network), try Context(network), try Context(network)
    )
    for frame: [Float] in [[1, -2, 0.1], [3e-30, 0.7, 1 / 3]] {
      #expect(try whole.predict(frame) == first.predict(frame))
    }
    let saved = try first.state.saved()
    let file = try JSONEncoder().encode(saved)
    let read = try JSONDecoder().decode(SavedState.self, from: file)
    #expect(read == saved)
    try second.state.restore(read)
    #expect(try second.predict([0.2, 0.3, 0.4]) == whole.predict([0.2, 0.3, 0.4]))
  }

  @Test(arguments: [
    #"[{"name":"gru.hidden","sizes":[1,5],"values":[1,2,3]}]"#,
    #"[{"name":"gru.hidden","sizes":[-1,-5],"values":[1,2,3,4,5]}]"#,
    #"[{"name":"gru.hidden","sizes":[4611686018427387904,4],"values":[]}]"#,
    #"[{"name":"gru.hidden","values":[]}]"#,
  ])
  func alteredFilesAreErrors(json: String) throws {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SavedState.self, from: Data(json.utf8))
    }
  }

  @Test func statesOfOtherNetworksAreErrors() throws {
    let context = try Context(network())
    for json in [
      "[]", #"[{"name":"gru.hidden","sizes":[5],"values":[1,2,3,4,5]}]"#,
      #"[{"name":"other","sizes":[1,5],"values":[1,2,3,4,5]}]"#,
    ] {
      let state = try JSONDecoder().decode(SavedState.self, from: Data(json.utf8))
      let error = #expect(throws: PredictionError.self) { try context.state.restore(state) }
      #expect(error?.kind == .wrongState, "\(json)")
    }
  }
}
