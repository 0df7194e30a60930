import Forge

/// A network whose convolutions have several kernels each, and ways to force one.
enum TunedNetwork {
  /// 3×3 with a pooling after it, 3×3, pointwise, 1×7 and 3×3 with stride 2; the first two of other sizes.
  static func model() -> Model {
    let input = Input(width: 26, height: 22, channels: 16)
    let output =
      input --> Activation(.tanh, name: "tanh")
      --> Convolution(kernel: (3, 3), channels: 64, activation: .relu, name: "first")
      --> MaxPooling(kernel: (2, 2), name: "pool")
      --> Convolution(kernel: (3, 3), channels: 96, activation: .relu, name: "second")
      --> Convolution(kernel: (1, 1), channels: 256, activation: .relu, name: "pointwise")
      --> Convolution(kernel: (1, 7), channels: 40, activation: .relu, name: "column")
      --> Convolution(kernel: (3, 3), channels: 33, stride: (2, 2), name: "half")
    return Model(input: input, output: output)
  }

  /// The best instruction set with more than one kernel per convolution.
  static var instructionSet: CompileOptions.InstructionSet? {
    CompileOptions.InstructionSet.present.last { $0 != .scalar }
  }

  /// Options under which kernels are compared by costs that are given.
  static func options(
    _ options: CompileOptions = CompileOptions(), timer: @escaping CompileOptions.TuningTimer
  ) -> CompileOptions {
    var options = options
    options.tuning = .measured
    options.tuningTimer = timer
    return options
  }

  /// Every pair of a convolution and a kernel that a measuring compile looks at.
  static func timed(
    _ model: Model, _ options: CompileOptions = CompileOptions()
  ) throws -> [TuningRecord.Choice] {
    let seen = Locked<[TuningRecord.Choice]>([])
    _ = try model.compile(
      parameters: SeededParameters(),
      options: self.options(options) { convolution, kernel in
        let choice = TuningRecord.Choice(convolution: convolution, kernel: kernel)
        seen.withLock { if !$0.contains(choice) { $0.append(choice) } }
        return 1
      })
    return seen.withLock { $0 }
  }
}
