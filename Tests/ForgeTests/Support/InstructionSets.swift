import Forge

extension CompileOptions.InstructionSet {
  /// Those of this machine: the ones a model compiles for.
  static let present: [Self] = allCases.filter { set in
    let input = Input(width: 1, height: 1, channels: 1)
    let model = Model(input: input, output: input --> Dropout(rate: 0.5))
    return (try? model.compile(options: CompileOptions(instructionSet: set))) != nil
  }

  /// Those of this machine whose kernels read weights of 24 bits.
  static var withFixedPointWeights: [Self] { present.filter { $0 != .baseline } }

  /// Those that this machine lacks.
  static var absent: [Self] { allCases.filter { !present.contains($0) } }
}
