#if Macros
  import ForgeMacros

  /// A sequence of any length up to 40.
  @Network enum Frames {
    static let body =
      Input(shape: [.upTo(40), .exactly(6)], name: "frames")
      --> Convolution1D(kernel: 3, channels: 5, padding: .causal, activation: .relu, name: "conv")
      --> GRU(units: 7, name: "gru")
      --> Dense(neurons: 4, name: "fc")
  }

  /// A sequence of 4, 6, … 60 frames.
  @Network enum HalvedFrames {
    static let body =
      Input(shape: [.stepping(from: 4, through: 60, by: 2), 6], name: "frames")
      --> Convolution1D(
        kernel: 2, channels: 5, stride: 2, padding: .valid, activation: .relu, name: "conv")
      --> GRU(units: 7, name: "gru")
      --> Dense(neurons: 4, name: "fc")
  }
#endif
