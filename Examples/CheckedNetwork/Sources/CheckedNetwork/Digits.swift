import ForgeMacros

/// A network that Swift checks while it compiles: two branches of different kernels, joined.
@Network(maxParameters: 100_000) enum Digits {
  static let body: Tensor = {
    let stem =
      Input(width: 28, height: 28, channels: 1, name: "image")
      --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
      --> MaxPooling(2)
    let branches = Concatenate([
      stem --> Convolution(kernel: 3, channels: 16, name: "fine"),
      stem --> Convolution(kernel: 5, channels: 16, name: "coarse"),
    ])
    return branches
      --> Convolution(kernel: 3, channels: 32, groups: 4, activation: .relu, name: "grouped")
      --> MaxPooling(2)
      --> Convolution(kernel: 7, channels: 32, padding: .valid, activation: .relu, name: "last")
      --> Dense(neurons: 10, name: "classes")
      --> Softmax()
  }()
}
