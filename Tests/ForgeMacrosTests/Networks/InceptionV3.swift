#if Macros
  import ForgeMacros

  @Network enum InceptionV3 {
    /// Numbers the layers of each kind, as Keras does.
    struct Builder {
      private var counts: [String: Int] = [:]

      private mutating func name(_ kind: String) -> String {
        let count = counts[kind, default: 0]
        counts[kind] = count + 1
        return count == 0 ? kind : "\(kind)_\(count)"
      }

      mutating func conv(
        _ channels: Int, _ width: Int, _ height: Int, stride: Int = 1, padding: Padding = .same
      ) -> Block {
        Convolution(
          kernel: (width, height), channels: channels, stride: stride, padding: padding,
          useBias: false, name: name("conv2d"))
          --> BatchNormalization(scale: false, name: name("batch_normalization"))
          --> Activation(.relu, name: name("activation"))
      }

      mutating func maxPooling() -> MaxPooling {
        MaxPooling(kernel: 3, stride: 2, name: name("max_pooling2d"))
      }

      mutating func averagePooling() -> AveragePooling {
        AveragePooling(kernel: 3, stride: 1, padding: .same, name: name("average_pooling2d"))
      }

      mutating func wide(_ x: Tensor, pooled: Int, name: String) -> Tensor {
        [
          x --> conv(64, 1, 1),
          x --> conv(48, 1, 1) --> conv(64, 5, 5),
          x --> conv(64, 1, 1) --> conv(96, 3, 3) --> conv(96, 3, 3),
          x --> averagePooling() --> conv(pooled, 1, 1),
        ] --> Concatenate(name: name)
      }

      mutating func deep(_ x: Tensor, inner: Int, name: String) -> Tensor {
        [
          x --> conv(192, 1, 1),
          x --> conv(inner, 1, 1) --> conv(inner, 7, 1) --> conv(192, 1, 7),
          x --> conv(inner, 1, 1) --> conv(inner, 1, 7) --> conv(inner, 7, 1)
            --> conv(inner, 1, 7) --> conv(192, 7, 1),
          x --> averagePooling() --> conv(192, 1, 1),
        ] --> Concatenate(name: name)
      }

      mutating func split(_ x: Tensor, inner: String, name: String) -> Tensor {
        let narrow = x --> conv(320, 1, 1)
        let one = x --> conv(384, 1, 1)
        let first = [one --> conv(384, 3, 1), one --> conv(384, 1, 3)] --> Concatenate(name: inner)
        let two = x --> conv(448, 1, 1) --> conv(384, 3, 3)
        let second =
          [two --> conv(384, 3, 1), two --> conv(384, 1, 3)]
          --> Concatenate(name: self.name("concatenate"))
        let pooled = x --> averagePooling() --> conv(192, 1, 1)
        return [narrow, first, second, pooled] --> Concatenate(name: name)
      }
    }

    static let body: Tensor = {
      var build = Builder()
      var x =
        Input(width: 299, height: 299, channels: 3)
        --> build.conv(32, 3, 3, stride: 2, padding: .valid)
        --> build.conv(32, 3, 3, padding: .valid)
        --> build.conv(64, 3, 3) --> build.maxPooling()
        --> build.conv(80, 1, 1, padding: .valid) --> build.conv(192, 3, 3, padding: .valid)
        --> build.maxPooling()
      for (index, pooled) in [32, 64, 64].enumerated() {
        x = build.wide(x, pooled: pooled, name: "mixed\(index)")
      }
      x =
        [
          x --> build.conv(384, 3, 3, stride: 2, padding: .valid),
          x --> build.conv(64, 1, 1) --> build.conv(96, 3, 3)
            --> build.conv(96, 3, 3, stride: 2, padding: .valid),
          x --> build.maxPooling(),
        ] --> Concatenate(name: "mixed3")
      for (index, inner) in [128, 160, 160, 192].enumerated() {
        x = build.deep(x, inner: inner, name: "mixed\(index + 4)")
      }
      x =
        [
          x --> build.conv(192, 1, 1) --> build.conv(320, 3, 3, stride: 2, padding: .valid),
          x --> build.conv(192, 1, 1) --> build.conv(192, 7, 1) --> build.conv(192, 1, 7)
            --> build.conv(192, 3, 3, stride: 2, padding: .valid),
          x --> build.maxPooling(),
        ] --> Concatenate(name: "mixed8")
      x = build.split(x, inner: "mixed9_0", name: "mixed9")
      x = build.split(x, inner: "mixed9_1", name: "mixed10")
      return x
        --> GlobalAveragePooling(name: "avg_pool")
        --> Dense(neurons: 1000, name: "predictions")
        --> Softmax(name: "probabilities")
    }()
  }
#endif
