import Forge

extension FirstDayCase {
  /// Parameters and options of a compile.
  static let compiling: [FirstDayCase] = [
    FirstDayCase("no parameters at all") {
      let i = image()
      return try Model(input: i, output: i --> Dense(neurons: 3, name: "fc")).compile()
    },
    FirstDayCase("closure nil") {
      let i = image()
      return try Model(
        input: i,
        output: i --> Convolution(kernel: (3, 3), channels: 2, name: "c")
          --> Dense(neurons: 3, name: "fc")
      ).compile { _, _, _ in nil }
    },
    FirstDayCase("closure wrong count") {
      let i = image()
      return try Model(input: i, output: i --> Dense(neurons: 3, name: "fc")).compile { n, c, t in
        ParameterValues([1, 2])
      }
    },
    FirstDayCase("closure throws") {
      struct E: Error {}
      let i = image()
      return try Model(input: i, output: i --> Dense(neurons: 3, name: "fc")).compile { n, c, t in
        throw E()
      }
    },
    FirstDayCase("dict misspelt layer") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1, name: "fc1")).compile(
        parameters: ParameterDictionary(["fcl": [.weights: [1, 2, 3, 4], .biases: [0]]]))
    },
    FirstDayCase("dict wrong count") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1, name: "fc1")).compile(
        parameters: ParameterDictionary(["fc1": [.weights: [1, 2, 3], .biases: [0]]]))
    },
    FirstDayCase("dict bias missing") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1, name: "fc1")).compile(
        parameters: ParameterDictionary(["fc1": [.weights: [1, 2, 3, 4]]]))
    },
    FirstDayCase("unnamed layer by name source") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1)).compile(
        parameters: ParameterDictionary(["fc1": [.weights: [1, 2, 3, 4], .biases: [0]]]))
    },
    FirstDayCase("maximumBatch 0") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1)).compile(
        parameters: random, options: .init(maximumBatch: 0))
    },
    FirstDayCase("maximumBatch Int.max") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1)).compile(
        parameters: random, options: .init(maximumBatch: .max))
    },
    FirstDayCase("keep with hidden layer name") {
      let i = image(4, 4)
      return try Model(input: i, output: i --> Dense(neurons: 3)).compile(
        parameters: random, options: .init(keep: ["__Dense_1__"])
      ).outputNames
    },
    FirstDayCase("keep duplicate") {
      let i = image(4, 4)
      return try Model(input: i, output: i --> Flatten(name: "f") --> Dense(neurons: 3)).compile(
        parameters: random, options: .init(keep: ["f", "f"])
      ).outputNames
    },
  ]
}
