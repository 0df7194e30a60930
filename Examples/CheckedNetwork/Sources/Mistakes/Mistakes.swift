import ForgeMacros

// 1. After two poolings the picture is 7×7, smaller than the kernel.
@Network enum KernelTooLarge {
  static let body =
    Input(width: 28, height: 28, channels: 1)
    --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
    --> MaxPooling(4)
    --> Convolution(kernel: 9, channels: 32, padding: .valid, activation: .relu, name: "last")
    --> Dense(neurons: 10, name: "classes")
}

// 2. One of two branches has a stride.
@Network enum BranchesDiffer {
  static let stem =
    Input(width: 28, height: 28, channels: 1)
    --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
  static let body = Concatenate([
    stem --> Convolution(kernel: 3, channels: 16, stride: 2, name: "fine"),
    stem --> Convolution(kernel: 5, channels: 16, name: "coarse"),
  ])
}

// 3. Sixteen channels in three groups.
@Network enum GroupsDoNotDivide {
  static let body =
    Input(width: 28, height: 28, channels: 1)
    --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
    --> Convolution(kernel: 3, channels: 30, groups: 3, activation: .relu, name: "grouped")
}

// 4. Two layers of one name, whose weights would be found by it.
@Network enum NameTwice {
  static let body =
    Input(width: 28, height: 28, channels: 1)
    --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
    --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
}

// 5. A picture of 32×32 pixels for a network of 28×28.
@Network enum Digits {
  static let body =
    Input(width: 28, height: 28, channels: 1)
    --> Convolution(kernel: 5, channels: 16, activation: .relu, name: "conv1")
    --> Dense(neurons: 10, name: "classes")
}

@main struct Mistakes {
  static func main() throws {
    let digits = try Digits.Network(parameters: RandomParameters(seed: 1))
    let picture = FixedImage<32, 32, 1>(repeating: 0.5)
    print(try digits.predict(picture))
  }
}
