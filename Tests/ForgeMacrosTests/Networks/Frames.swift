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

  /// A page of any height and width in steps of 4.
  @Network enum Page {
    static let body =
      Input(width: .open("w", 8...64, step: 4), height: .open("h", 8...32, step: 4), channels: 2)
      --> Convolution(kernel: 3, channels: 5, stride: 2, activation: .relu, name: "conv")
      --> GlobalAveragePooling()
      --> Dense(neurons: 4, name: "fc")
  }

  /// Rows and columns of a table, each of any number.
  @Network enum Table {
    static let body =
      Input(shape: [.open("rows", 1...9), .open("columns", 2...7)], name: "table") --> Softmax()
  }
#endif
