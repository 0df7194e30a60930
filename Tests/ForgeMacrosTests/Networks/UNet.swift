#if Macros
  import ForgeMacros

  @Network enum UNet {
    static func double(_ channels: Int, _ name: String) -> Block {
      Convolution(kernel: 3, channels: channels, activation: .relu, name: "\(name)a")
        --> Convolution(kernel: 3, channels: channels, activation: .relu, name: "\(name)b")
    }

    /// One level with everything below it.
    static func level(_ x: Tensor, _ channels: Int, _ depth: Int) -> Tensor {
      let here = x --> double(channels, "down\(depth)")
      guard depth < 3 else { return here }
      let below = level(here --> MaxPooling(2), channels * 2, depth + 1)
      let up =
        below
        --> TransposedConvolution(kernel: 2, channels: channels, stride: 2, name: "grow\(depth)")
      return Concatenate([here, up]) --> double(channels, "up\(depth)")
    }

    static let body =
      level(Input(width: 48, height: 32, channels: 1), 8, 0)
      --> PointwiseConvolution(channels: 2, activation: .sigmoid, name: "mask")
  }
#endif
