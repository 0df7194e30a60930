#if Macros
  import ForgeMacros

  @Network(maxParameters: 1_000_000) enum LeNet {
    static let body =
      Input(width: 28, height: 28, channels: 1)
      --> Convolution(kernel: (5, 5), channels: 20, activation: .relu, name: "conv1")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Convolution(kernel: (5, 5), channels: 50, activation: .relu, name: "conv2")
      --> MaxPooling(kernel: (2, 2), stride: (2, 2))
      --> Dense(neurons: 320, activation: .relu, name: "fc1")
      --> Dense(neurons: 10, name: "fc2")
      --> Softmax()
  }
#endif
