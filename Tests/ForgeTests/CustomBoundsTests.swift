import Forge
import ForgeTestSupport
import Testing

/// A custom layer may access only its inputs and its output.
@Suite struct CustomBoundsTests {
  private static func network(_ body: @escaping CustomOperation.Body) throws -> CompiledModel {
    let input = Input(width: 3, height: 2, channels: 1)
    let output =
      input --> Activation(.relu) --> Custom(shape: { $0[0] }, name: "own", body: body)
      --> Activation(.tanh)
    return try Model(input: input, output: output).compile()
  }

  private static let values: [Float] = [1, 2, 3, 4, 5, 6]

  @Test(arguments: [-1, 6, 1 << 40]) func outOfBoundsWrites(index: Int) async {
    await #expect(processExitsWith: .failure) { [index] in
      let network = try CustomBoundsTests.network { _, output in output[index] = 1 }
      _ = try network.predict(CustomBoundsTests.values)
    }
  }

  @Test(arguments: [-1, 6, 1 << 40]) func outOfBoundsReads(index: Int) async {
    await #expect(processExitsWith: .failure) { [index] in
      let network = try CustomBoundsTests.network { inputs, output in
        output[0] = inputs[0][index]
      }
      _ = try network.predict(CustomBoundsTests.values)
    }
  }

  @Test func excessOutputValues() async {
    await #expect(processExitsWith: .failure) {
      let input = Input(width: 3, height: 2, channels: 1)
      let half = Custom(shape: { _ in Shape(width: 1, height: 1, channels: 3) }) { inputs, output in
        output.update(fromContentsOf: inputs[0])
      }
      let network = try Model(input: input, output: input --> half).compile()
      _ = try network.predict(CustomBoundsTests.values)
    }
  }

  @Test func allReadAccessors() throws {
    let network = try Self.network { inputs, output in
      let input = inputs[0]
      let sum = input.reduce(0, +)
      let spanned = input.withSpan { span in span.indices.reduce(0) { $0 + span[$1] } }
      let buffered = input.withContiguousStorageIfAvailable { $0.reduce(0, +) }
      for (index, value) in input.enumerated() { output[index] = value }
      output[0] = sum == spanned && sum == buffered && sum == Array(input).reduce(0, +) ? 0 : 1
    }
    #expect(try network.predict(Self.values).first == 0)
  }

  /// A retained input can be read after the network is released.
  @Test func retainedInputsOutliveNetwork() throws {
    struct Kept: @unchecked Sendable { var inputs: [CustomInput] = [] }
    let kept = Locked(Kept())
    do {
      let network = try Self.network { inputs, output in
        output.update(fromContentsOf: inputs[0])
        let own = Kept(inputs: inputs)
        kept.withLock { $0 = own }
      }
      _ = try network.predict(Self.values)
    }
    let inputs = kept.withLock { $0 }.inputs
    #expect(inputs.count == 1)
    #expect(inputs.first.map { Array($0) } == Self.values)
  }
}
