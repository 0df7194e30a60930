import Forge

extension FirstDayCase {
  /// Descriptions of networks without convolutions and poolings.
  static let describing: [FirstDayCase] = [
    FirstDayCase("dense 0 neurons") {
      let i = image()
      return try compiled(i, i --> Dense(neurons: 0))
    },
    FirstDayCase("dense Int.max") {
      let i = image()
      return try compiled(i, i --> Dense(neurons: .max))
    },
    FirstDayCase("add of one tensor") {
      let i = image()
      return try compiled(i, i --> Add())
    },
    FirstDayCase("add of none") {
      let i = image()
      let none: [Tensor] = []
      return try compiled(i, none --> Add())
    },
    FirstDayCase("concat axis 7") {
      let i = image()
      return try compiled(i, Concatenate([i, i], axis: 7))
    },
    FirstDayCase("concat axis -7") {
      let i = image()
      return try compiled(i, Concatenate([i, i], axis: -7))
    },
    FirstDayCase("concat axis Int.min") {
      let i = image()
      return try compiled(i, Concatenate([i, i], axis: .min))
    },
    FirstDayCase("concat empty") {
      let i = image()
      return try compiled(i, Concatenate([]))
    },
    FirstDayCase("reshape mismatch") {
      let i = image()
      return try compiled(i, i --> Reshape(to: [10, 10]))
    },
    FirstDayCase("reshape two -1") {
      let i = image()
      return try compiled(i, i --> Reshape(to: [-1, -1]))
    },
    FirstDayCase("reshape 0") {
      let i = image()
      return try compiled(i, i --> Reshape(to: [0, 5]))
    },
    FirstDayCase("reshape -2") {
      let i = image()
      return try compiled(i, i --> Reshape(to: [-2, 5]))
    },
    FirstDayCase("reshape empty") {
      let i = image()
      return try compiled(i, i --> Reshape(to: []))
    },
    FirstDayCase("reshape overflow") {
      let i = image()
      return try compiled(i, i --> Reshape(to: [.max, .max, 3]))
    },
    FirstDayCase("permute wrong") {
      let i = image()
      return try compiled(i, i --> Permute(order: [0, 0, 1]))
    },
    FirstDayCase("permute range") {
      let i = image()
      return try compiled(i, i --> Permute(order: [3, 2, 1]))
    },
    FirstDayCase("permute empty") {
      let i = image()
      return try compiled(i, i --> Permute(order: []))
    },
    FirstDayCase("negative input") {
      let i = image(-3, 5)
      return try compiled(i, i --> Dense(neurons: 1))
    },
    FirstDayCase("zero input") {
      let i = image(0, 5)
      return try compiled(i, i --> Dense(neurons: 1))
    },
    FirstDayCase("input Int.max") {
      let i = image(.max, .max, .max)
      return try compiled(i, i --> Dense(neurons: 1))
    },
    FirstDayCase("input rank 0") {
      let i = Input(shape: [])
      return try compiled(i, i --> Dense(neurons: 1))
    },
    FirstDayCase("input rank 9") {
      let i = Input(shape: [1, 2, 3, 1, 2, 3, 1, 2, 3])
      return try compiled(i, i --> Dense(neurons: 1)).outputShapes
    },
    FirstDayCase("input rank 1") {
      let i = Input(shape: [7])
      return try compiled(i, i --> Dense(neurons: 1)).outputShapes
    },
    FirstDayCase("unused input") {
      let i = image(), j = Input(width: 1, height: 1, channels: 4, name: "extra")
      return try Model(inputs: [i, j], outputs: [i --> Dense(neurons: 3)]).compile(
        parameters: random)
    },
    FirstDayCase("missing input in model") {
      let i = image(), j = Input(width: 32, height: 32, channels: 3, name: "extra")
      return try Model(inputs: [i], outputs: [[i, j] --> Add()]).compile(parameters: random)
    },
    FirstDayCase("no inputs") {
      let i = image()
      return try Model(inputs: [], outputs: [i --> Dense(neurons: 3)]).compile(parameters: random)
    },
    FirstDayCase("no outputs") {
      let i = image()
      return try Model(inputs: [i], outputs: []).compile(parameters: random)
    },
    FirstDayCase("input twice") {
      let i = image()
      return try Model(inputs: [i, i], outputs: [i --> Dense(neurons: 3)]).compile(
        parameters: random)
    },
    FirstDayCase("output is input") {
      let i = image()
      return try compiled(i, i).outputShapes
    },
    FirstDayCase("output twice") {
      let i = image()
      let o = i --> Dense(neurons: 3)
      return try Model(inputs: [i], outputs: [o, o]).compile(parameters: random).outputNames
    },
    FirstDayCase("two inputs same name") {
      let i = Input(width: 2, height: 2, channels: 1, name: "x"),
        j = Input(width: 2, height: 2, channels: 1, name: "x")
      return try Model(inputs: [i, j], outputs: [[i, j] --> Add()]).compile(parameters: random)
    },
    FirstDayCase("input named like a layer") {
      let i = Input(width: 2, height: 2, channels: 1, name: "x")
      return try compiled(i, i --> Dense(neurons: 3, name: "x"))
    },
    FirstDayCase("leaky NaN") {
      let i = image()
      return try compiled(i, i --> Activation(.leakyReLU(slope: .nan)))
    },
    FirstDayCase("leaky inf") {
      let i = image()
      return try compiled(i, i --> Activation(.leakyReLU(slope: .infinity)))
    },
    FirstDayCase("clipped min>max") {
      let i = image()
      return try compiled(i, i --> Activation(.clipped(minimum: 5, maximum: 1)))
    },
    FirstDayCase("bn epsilon NaN") {
      let i = image()
      return try compiled(i, i --> BatchNormalization(epsilon: .nan))
    },
    FirstDayCase("bn epsilon negative") {
      let i = image()
      return try compiled(i, i --> BatchNormalization(epsilon: -1))
    },
    FirstDayCase("scale NaN") {
      let i = image()
      return try compiled(i, i --> Scale(by: [.nan]))
    },
    FirstDayCase("scale wrong count") {
      let i = image()
      return try compiled(i, i --> Scale(by: [1, 2]))
    },
    FirstDayCase("scale empty") {
      let i = image()
      return try compiled(i, i --> Scale(by: []))
    },
    FirstDayCase("dropout 2") {
      let i = image()
      return try compiled(i, i --> Dropout(rate: 2))
    },
    FirstDayCase("dropout NaN") {
      let i = image()
      return try compiled(i, i --> Dropout(rate: .nan))
    },
    FirstDayCase("upsample 0") {
      let i = image()
      return try compiled(i, i --> UpSampling(size: (0, 2)))
    },
    FirstDayCase("upsample max") {
      let i = image()
      return try compiled(i, i --> UpSampling(size: (.max, .max)))
    },
    FirstDayCase("resize 0") {
      let i = image()
      return try compiled(i, i --> Resize(width: 0, height: 3))
    },
    FirstDayCase("resize max") {
      let i = image()
      return try compiled(i, i --> Resize(width: .max, height: .max))
    },
    FirstDayCase("crop too much") {
      let i = image()
      return try compiled(i, i --> Crop(top: 20, bottom: 20))
    },
    FirstDayCase("crop negative") {
      let i = image()
      return try compiled(i, i --> Crop(top: -1))
    },
    FirstDayCase("crop Int.min") {
      let i = image()
      return try compiled(i, i --> Crop(top: .min))
    },
    FirstDayCase("zeropad negative") {
      let i = image()
      return try compiled(i, i --> ZeroPadding(top: -1))
    },
    FirstDayCase("zeropad max") {
      let i = image()
      return try compiled(i, i --> ZeroPadding(top: .max, bottom: .max))
    },
    FirstDayCase("zeropad 2^40") {
      let i = image()
      return try compiled(i, i --> ZeroPadding(top: 1 << 40))
    },
    FirstDayCase("swap on 4 channels") {
      let i = image(8, 8, 4)
      return try compiled(i, i --> SwapRedBlue())
    },
    FirstDayCase("grayscale on 1 channel") {
      let i = image(8, 8, 1)
      return try compiled(i, i --> Grayscale())
    },
    FirstDayCase("constant mismatch") {
      let i = image()
      return try compiled(i, [i, Constant([1, 2])] --> Add())
    },
    FirstDayCase("constant shape mismatch") {
      let i = image()
      return try compiled(i, [i, Constant([1, 2], shape: [3])] --> Add())
    },
    FirstDayCase("constant negative shape") {
      let i = image()
      return try compiled(i, [i, Constant([1, 2], shape: [-1, -2])] --> Add())
    },
    FirstDayCase("constant empty") {
      let i = image()
      return try compiled(i, [i, Constant([])] --> Add())
    },
    FirstDayCase("softmax on none") {
      let i = image()
      let none: [Tensor] = []
      return try compiled(i, none --> Softmax())
    },
    FirstDayCase("empty block") {
      let i = image()
      return try compiled(i, i --> Block([])).outputShapes
    },
    FirstDayCase("PReLU unknown size") {
      let i = image(nil, nil)
      return try compiled(i, i --> PReLU(name: "p"))
    },
    FirstDayCase("custom shape throws") {
      struct E: Error {}
      let i = image(2, 2, 1)
      return try compiled(i, i --> Custom(shape: { _ in throw E() }, name: "cu") { _, _ in })
    },
    FirstDayCase("custom negative shape") {
      let i = image(2, 2, 1)
      return try compiled(
        i, i --> Custom(shape: { _ in Shape(sizes: [-1, 3]) }, name: "cu") { _, _ in })
    },
    FirstDayCase("custom huge shape") {
      let i = image(2, 2, 1)
      return try compiled(
        i, i --> Custom(shape: { _ in Shape(sizes: [.max, .max]) }, name: "cu") { _, _ in })
    },
    FirstDayCase("custom rank 0 shape") {
      let i = image(2, 2, 1)
      return try compiled(i, i --> Custom(shape: { _ in Shape(sizes: []) }, name: "cu") { _, _ in })
    },
    FirstDayCase("add tensor of other model (fine?)") {
      let i = image()
      let other = image()
      return try compiled(i, [i, other --> Activation(.relu)] --> Add())
    },
  ]
}
