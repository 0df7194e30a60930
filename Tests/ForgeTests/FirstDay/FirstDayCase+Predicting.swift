import Forge

extension FirstDayCase {
  /// Inputs of a prediction.
  static let predicting: [FirstDayCase] = [
    FirstDayCase("constant NaN") {
      let i = image(2, 2, 1)
      return try compiled(i, [i, Constant([.nan])] --> Add()).predict([1, 2, 3, 4])
    },
    FirstDayCase("dict NaN weights") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1, name: "fc1")).compile(
        parameters: ParameterDictionary(["fc1": [.weights: [1, 2, .nan, 4], .biases: [0]]])
      ).predict([1, 2, 3, 4])
    },
    FirstDayCase("predict wrong length") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([1, 2, 3])
    },
    FirstDayCase("predict empty") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([Float]())
    },
    FirstDayCase("predict NaN") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([.nan, 1, 2, 3])
    },
    FirstDayCase("predict NaN checked") {
      let i = image(2, 2, 1)
      return try Model(input: i, output: i --> Dense(neurons: 1)).compile(
        parameters: random, options: .init(checks: .finiteOutputs)
      ).predict([.nan, 1, 2, 3])
    },
    FirstDayCase("predict [Float] on 2 inputs") {
      let i = image(2, 2, 1), j = image(2, 2, 1)
      return try Model(inputs: [i, j], outputs: [[i, j] --> Add()]).compile().predict([1, 2, 3, 4])
    },
    FirstDayCase("predict unknown input name") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([
        "imput": TensorValues(width: 2, height: 2, channels: 1, values: [1, 2, 3, 4])
      ])
    },
    FirstDayCase("predict extra input name") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([
        "input": TensorValues(width: 2, height: 2, channels: 1, values: [1, 2, 3, 4]),
        "x": TensorValues(width: 2, height: 2, channels: 1, values: [1, 2, 3, 4]),
      ])
    },
    FirstDayCase("predict batch too large") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict(
        [Float](repeating: 1, count: 4 * 65), batch: 65)
    },
    FirstDayCase("predict batch 0") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([Float](), batch: 0)
    },
    FirstDayCase("predict batch Int.max") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict([Float](), batch: .max)
    },
    FirstDayCase("predict batch empty list") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict(batch: [[Float]]())
    },
    FirstDayCase("predict batch ragged") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Dense(neurons: 1)).predict(batch: [[1, 2, 3, 4], [1]])
    },
    FirstDayCase("inputs order swapped Subtract 3") {
      let i = image(2, 2, 1)
      return try compiled(i, [i, i, i] --> Subtract()).predict([1, 2, 3, 4])
    },
    FirstDayCase("custom body throws") {
      struct E: Error {}
      let i = image(2, 2, 1)
      return try compiled(i, i --> Custom(shape: { $0[0] }, name: "cu") { _, _ in throw E() })
        .predict([1, 2, 3, 4])
    },
    FirstDayCase("custom unknown shape") {
      let i = image(2, 2, 1)
      return try compiled(
        i,
        i
          --> Custom(shape: { _ in Shape(width: nil, height: nil, channels: 3) }, name: "cu") {
            _, _ in
          }
      ).predict([1, 2, 3, 4])
    },
    FirstDayCase("custom body writes nothing") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Custom(shape: { $0[0] }, name: "cu") { _, _ in }).predict([
        1, 2, 3, 4,
      ])
    },
    FirstDayCase("tensors 2^20 x 2^20 compile+predict") {
      let i = image(1 << 17, 1 << 17, 1)
      return try compiled(i, i --> GlobalAveragePooling()).predict([1])
    },
  ]
}
