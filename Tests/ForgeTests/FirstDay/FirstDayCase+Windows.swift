import Forge

extension FirstDayCase {
  /// Arguments of convolutions and poolings.
  static let windows: [FirstDayCase] = [
    FirstDayCase("even kernel same padding (should be OK)") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (4, 2), channels: 3)).outputShapes
    },
    FirstDayCase("kernel larger than image, valid") {
      let i = image(4, 4)
      return try compiled(
        i, i --> Convolution(kernel: (5, 5), channels: 8, padding: .valid, name: "big"))
    },
    FirstDayCase("kernel 0") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (0, 3), channels: 8))
    },
    FirstDayCase("kernel negative") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, -3), channels: 8))
    },
    FirstDayCase("channels 0") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 0))
    },
    FirstDayCase("channels negative") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: -8))
    },
    FirstDayCase("channels Int.max") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: .max))
    },
    FirstDayCase("channels 2^30") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 1 << 30))
    },
    FirstDayCase("channels 100 million") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 100_000_000))
    },
    FirstDayCase("stride 0") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 8, stride: (0, 1)))
    },
    FirstDayCase("stride Int.max") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 8, stride: (.max, .max)))
    },
    FirstDayCase("dilation 0") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 8, dilation: (0, 0)))
    },
    FirstDayCase("dilation Int.max") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 8, dilation: (.max, .max)))
    },
    FirstDayCase("kernel Int.max") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (.max, .max), channels: 8))
    },
    FirstDayCase("groups not dividing") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 8, groups: 2))
    },
    FirstDayCase("groups 0") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 8, groups: 0))
    },
    FirstDayCase("explicit padding negative") {
      let i = image()
      return try compiled(
        i,
        i
          --> Convolution(
            kernel: (3, 3), channels: 8, padding: .explicit(top: -1, left: 0, bottom: 0, right: 0)))
    },
    FirstDayCase("explicit padding max") {
      let i = image()
      return try compiled(
        i,
        i
          --> Convolution(
            kernel: (3, 3), channels: 8,
            padding: .explicit(top: .max, left: .max, bottom: .max, right: .max)))
    },
    FirstDayCase("pool kernel 0") {
      let i = image()
      return try compiled(i, i --> MaxPooling(kernel: (0, 0)))
    },
    FirstDayCase("pool too often") {
      let i = image(8, 8)
      var x = i
      for _ in 0..<5 { x = x --> MaxPooling(kernel: (2, 2)) }
      return try compiled(i, x)
    },
    FirstDayCase("pool stride 0") {
      let i = image()
      return try compiled(i, i --> MaxPooling(kernel: (2, 2), stride: (0, 2)))
    },
    FirstDayCase("dense before conv") {
      let i = image()
      return try compiled(
        i, i --> Dense(neurons: 10) --> Convolution(kernel: (3, 3), channels: 8, padding: .valid))
    },
    FirstDayCase("dense before conv same") {
      let i = image()
      return try compiled(i, i --> Dense(neurons: 10) --> Convolution(kernel: (3, 3), channels: 8))
        .outputShapes
    },
    FirstDayCase("add mismatch") {
      let i = image()
      let a = i --> Convolution(kernel: (3, 3), channels: 8, name: "left")
      let b = i --> Convolution(kernel: (3, 3), channels: 16, name: "right")
      return try compiled(i, [a, b] --> Add(name: "sum"))
    },
    FirstDayCase("add spatial mismatch") {
      let i = image()
      let a = i --> Convolution(kernel: (3, 3), channels: 8, name: "left")
      let b = i --> Convolution(kernel: (3, 3), channels: 8, stride: (2, 2), name: "right")
      return try compiled(i, [a, b] --> Add(name: "sum"))
    },
    FirstDayCase("concat spatial mismatch") {
      let i = image()
      let a = i --> MaxPooling(kernel: (2, 2), name: "half")
      return try compiled(i, Concatenate([i, a], name: "cat"))
    },
    FirstDayCase("unknown size into Dense") {
      let i = image(nil, nil)
      return try compiled(
        i, i --> Convolution(kernel: (3, 3), channels: 4) --> Dense(neurons: 1, name: "d"))
    },
    FirstDayCase("half-unknown") {
      let i = image(32, nil)
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 4) --> Flatten())
    },
    FirstDayCase("input is not an Input") {
      let i = image()
      let x = i --> Convolution(kernel: (3, 3), channels: 4, name: "c")
      return try Model(input: x, output: x --> Dense(neurons: 3)).compile(parameters: random)
    },
    FirstDayCase("same name, different layers") {
      let i = image()
      return try compiled(
        i,
        i --> Convolution(kernel: (3, 3), channels: 4, name: "c")
          --> Convolution(kernel: (3, 3), channels: 4, name: "c"))
    },
    FirstDayCase("same name, different types") {
      let i = image()
      return try compiled(
        i,
        i --> Convolution(kernel: (3, 3), channels: 4, name: "c") --> Dense(neurons: 4, name: "c"))
    },
    FirstDayCase("same name, same args: silently shared?") {
      let i = image(32, 32, 4)
      return try compiled(
        i,
        i --> Convolution(kernel: (3, 3), channels: 4, name: "c")
          --> Convolution(kernel: (3, 3), channels: 4, name: "c")
      ).summary()
    },
    FirstDayCase("empty name") {
      let i = image()
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 4, name: "")).summary()
    },
    FirstDayCase("odd name") {
      let i = image()
      return try compiled(
        i, i --> Convolution(kernel: (3, 3), channels: 4, name: "a\nb\u{1F600}/../x")
      ).summary()
    },
    FirstDayCase("elu NaN in conv") {
      let i = image()
      return try compiled(
        i, i --> Convolution(kernel: (3, 3), channels: 4, activation: .elu(alpha: .nan), name: "c"))
    },
    FirstDayCase("depthwise multiplier 0") {
      let i = image()
      return try compiled(i, i --> DepthwiseConvolution(kernel: (3, 3), multiplier: 0))
    },
    FirstDayCase("two on conv") {
      let i = image()
      return try compiled(i, [i, i] --> Convolution(kernel: (3, 3), channels: 4, name: "c"))
    },
    FirstDayCase("several mistakes") {
      let i = image()
      let a =
        i --> Convolution(kernel: (3, 0), channels: 8, name: "bad1") --> MaxPooling(kernel: (2, 2))
      let b =
        i
        --> MaxPooling(kernel: (2, 2))
        --> Convolution(kernel: (3, 3), channels: -8, name: "bad2")
        --> Dense(neurons: 5)
      let c = i --> Reshape(to: [7], name: "bad3")
      return try Model(inputs: [i], outputs: [[a, b] --> Add(), c]).compile(parameters: random)
    },
    FirstDayCase("layers after softmax / model chain") {
      return (Model() --> Softmax() --> Convolution(kernel: (3, 3), channels: 2)).summary()
    },
    FirstDayCase("summary of wrong model") {
      let i = image(4, 4)
      return Model(
        input: i,
        output: i --> Convolution(kernel: (5, 5), channels: 8, padding: .valid, name: "big")
          --> Dense(neurons: 3)
      ).summary()
    },
    FirstDayCase("model.check of wrong model") {
      let i = image(4, 4)
      try Model(
        input: i,
        output: i --> Convolution(kernel: (5, 5), channels: 8, padding: .valid, name: "big")
          --> Dense(neurons: 3)
      ).check()
      return "fine"
    },
    FirstDayCase("GlobalAvg on vector") {
      let i = Input(shape: [7])
      return try compiled(i, i --> GlobalAveragePooling())
    },
    FirstDayCase("conv on rank 2") {
      let i = Input(shape: [7, 4])
      return try compiled(i, i --> Convolution(kernel: (3, 3), channels: 2))
    },
    FirstDayCase("block name reuse") {
      let block = Convolution(kernel: (3, 3), channels: 3, name: "shared") --> Activation(.relu)
      let i = image(); return try compiled(i, i --> block --> block).summary()
    },
    FirstDayCase("block name reuse misfit") {
      let block = Convolution(kernel: (3, 3), channels: 8, name: "shared") --> Activation(.relu)
      let i = image(); return try compiled(i, i --> block --> block).summary()
    },
    FirstDayCase("summary huge") {
      let i = image(1 << 20, 1 << 20, 1)
      return Model(input: i, output: i --> Convolution(kernel: (3, 3), channels: 1000)).summary()
    },
  ]
}
