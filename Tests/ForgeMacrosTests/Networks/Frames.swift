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
#endif
