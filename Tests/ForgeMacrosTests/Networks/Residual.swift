#if Macros
  import ForgeMacros

  /// The forms of the DSL side by side: a module, a block, a function, a scope, a model as a step,
  /// tensor arithmetic, and two outputs.
  @Network enum Residual {
    struct SqueezeExcite: Module {
      var ratio = 4
      func callAsFunction(_ x: Tensor) -> Tensor {
        let channels = x.channels ?? 1
        return [
          x,
          x --> GlobalAveragePooling()
            --> Dense(neurons: channels / ratio, activation: .relu, name: "reduce")
            --> Dense(neurons: channels, activation: .sigmoid, name: "expand"),
        ] --> Multiply()
      }
    }

    static let stem =
      Convolution(kernel: 3, channels: 16, activation: .relu, name: "stem") --> MaxPooling(2)

    static func residual(_ x: Tensor) -> Tensor {
      let y = x --> Convolution(kernel: 3, channels: 16, name: "inner") --> ReLU()
      return (x + y) * 0.5
    }

    static let head = Model(
      output: Input(width: 1, height: 1, channels: 16, name: "pooled")
        --> Dense(neurons: 5, name: "fc"))

    static let image = Input(width: 20, height: 12, channels: 3, name: "image")
    static let bias = Input(shape: [5], name: "bias")

    static let body: [Tensor] = {
      let features =
        image * (1 / 255) --> stem --> residual --> SqueezeExcite(ratio: 2).named("se")
        --> Scope("tail") { x in x --> Convolution(kernel: 1, channels: 16, name: "mix") }
      let classes = features --> GlobalAveragePooling() --> head
      let shifted = [classes --> Reshape(to: [5]), bias] --> Add(name: "scores")
      return [shifted --> Softmax(name: "classes"), features --> MaxPooling(2, name: "map")]
    }()
  }
#endif
