import Forge
import ForgeTestSupport
import Testing

/// A row of pixels becomes a column without a copy, and recurrent layers read it as it is.
@Suite struct ColumnViewTests {
  private func conversions(_ model: Model, _ options: CompileOptions) throws -> Int {
    try model.compile(parameters: SeededParameters(), options: options).report.steps
      .count { $0.kernel == "unblock" }
  }

  /// Gates are read where a product wrote them if they are whole blocks of channels.
  @Test(arguments: CompileOptions.InstructionSet.present)
  func recurrentLayersReadBlockedGates(_ level: CompileOptions.InstructionSet) throws {
    let layers: [@Sendable (Tensor, Int) -> Tensor] = [
      { $0 --> LSTM(units: $1, returnSequences: true, peepholes: true) },
      { $0 --> LSTM(units: $1, returnSequences: true, projection: 21, form: .pytorch) },
      { $0 --> GRU(units: $1, returnSequences: true) },
      { $0 --> GRU(units: $1, returnSequences: true, resetAfter: false, isReversed: true) },
      { $0 --> SimpleRNN(units: $1, returnSequences: true) },
      { $0 --> Bidirectional(LSTM(units: $1, returnSequences: true)) },
    ]
    for (index, layer) in layers.enumerated() {
      for (units, unblocks) in [(48, 0), (37, index == 5 ? 2 : 1)] {
        let input = Input(shape: [11, 23])
        let model = Model(input: input, output: layer(input, units))
        let options = CompileOptions(instructionSet: level)
        try expectAgreement(model, options: options, relativeL2: 2e-6, "\(index)")
        #expect(try conversions(model, options) == unblocks, "layer \(index), \(units) units")
      }
    }
  }

  /// A column is read blocked and plain, and its row is not overwritten while it is.
  @Test func columnsAreImages() throws {
    let input = Input(shape: [13, 20])
    let row = input --> LastAxisDense(neurons: 35)
    let column = row --> Reshape(to: [13, 1, 35])
    try expectAgreement(
      Model(inputs: [input], outputs: [column, column --> Permute(order: [2, 0, 1])]))
    for other in [
      row --> Softmax(), row --> Activation(.tanh), row --> LayerNormalization(),
    ] {
      let later =
        column --> Convolution(kernel: (1, 3), channels: 19, padding: .same)
        --> Activation(.relu)
      try expectAgreement(Model(inputs: [input], outputs: [other, later]), relativeL2: 1e-6)
      try expectAgreement(
        Model(inputs: [input], outputs: [later, other, column --> Activation(.tanh)]),
        relativeL2: 1e-6)
    }
    // A column of other channels is not a view.
    try expectAgreement(
      Model(input: input, output: row --> Reshape(to: [35, 1, 13]) --> Softmax()))
  }
}
