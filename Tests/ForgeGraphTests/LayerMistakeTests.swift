import ForgeGraph
import ForgeLayers
import ForgeShapes
import Testing

/// Errors of layers: each message, and all of them reported together.
@Suite struct LayerMistakeTests {
  private let input = Input(width: 12, height: 8, channels: 3)

  @Test func designDocumentSample() {
    let output =
      Input(width: 8, height: 8, channels: 1)
      --> Convolution(kernel: (5, 5), channels: 20, name: "conv1")
      --> MaxPooling(kernel: (2, 2))
      --> MaxPooling(kernel: (2, 2), name: "pool1")
      --> Convolution(
        kernel: (5, 5), channels: 50, padding: .valid, name: "conv2", fileID: "App/Net.swift",
        line: 14, column: 7)
    let texts = Inference(Model(inputs: output.roots, outputs: [output])).problems
      .map(\.description)
    #expect(
      texts == [
        """
        App/Net.swift:14:7: layer 4 "conv2" (Convolution): the output would be empty
          received  2×2×20 (width×height×channels) from "pool1"
          needs     width and height of at least 5 for a 5×5 kernel with padding .valid
        """
      ])
  }

  @Test func errorsFollowLayerOrderWithoutFollowUps() {
    let a = input --> Dense(neurons: 0, name: "a")
    let b = a --> Dense(neurons: 5, name: "b") --> MaxPooling(kernel: (9, 9), name: "c")
    let d = input --> MaxPooling(kernel: (9, 9), name: "d")
    let e = [b, d, input] --> Add(name: "e") --> Softmax(name: "f")
    let g = input --> Convolution(kernel: (3, 3), channels: 4, groups: 2, name: "g")
    let h = input --> MaxPooling(kernel: (2, 2), name: "h") --> Dropout(rate: 2, name: "i")
    let model = Model(inputs: [input], outputs: [h, g, e])
    #expect(
      mistakes(model) == [
        """
        layer 1 "a" (Dense): neurons must be positive
          received  neurons: 0
          needs     numbers from 1 to 1048576
        """,
        """
        layer 4 "d" (MaxPooling): the kernel is larger than the input
          received  12×8×3 (width×height×channels) from "input"
          needs     width and height of at least 9 for a 9×9 kernel with padding .valid
        """,
        """
        layer 7 "g" (Convolution): the input channels cannot be divided into 2 groups
          received  12×8×3 (width×height×channels) from "input"
          needs     a number of input channels divisible by 2, not 3
        """,
        """
        layer 9 "i" (Dropout): rate is out of range
          received  rate: 2.0
          needs     a number from 0 to 1
        """,
      ])
  }

  @Test func errorDescriptionListsAllProblems() throws {
    let output =
      Input(shape: [4])
      --> Dense(neurons: 0, name: "a", fileID: "App/Net.swift", line: 1, column: 2)
    let other =
      Input(shape: [4])
      --> Dense(neurons: -1, name: "b", fileID: "App/Net.swift", line: 3, column: 4)
    let model = Model(inputs: output.roots + other.roots, outputs: [output, other])
    let error = try #require(throws: ModelError.self) { try model.check() }
    #expect(
      "\(error)" == """
        App/Net.swift:1:2: layer 1 "a" (Dense): neurons must be positive
          received  neurons: 0
          needs     numbers from 1 to 1048576
        App/Net.swift:3:4: layer 2 "b" (Dense): neurons must be positive
          received  neurons: -1
          needs     numbers from 1 to 1048576
        """)
    #expect(error.problems.count == 2)
  }

  @Test func sharedTensorErrorIsReportedOnce() {
    let wrong = input --> Dense(neurons: 0, name: "a")
    let output = [wrong, wrong --> Softmax(), wrong] --> Add()
    #expect(problems(Model(inputs: [input], outputs: [output, wrong])).count == 1)
  }

  @Test func sourceLocationsAreExact() {
    let line = #line
    let output =
      input
      --> Dense(neurons: 0, name: "a")
    let wide =
      input
      --> Activation(.relu)
      --> MaxPooling(
        kernel: (9, 9))
    let sum = Concatenate([input, wide, output], axis: 7)
    let one = [input, Constant([], name: "nothing")] --> Add()
    let model = Model(inputs: [input], outputs: [output, wide, sum, one])
    let file = "ForgeGraphTests/LayerMistakeTests.swift"
    #expect(
      places(model) == [
        "\(file):\(line + 3):16", "\(file):\(line + 7):21", "\(file):\(line + 10):31",
      ])
  }

  @Test func sourceLocationsInFunctionsAndBlocks() {
    func tower(_ x: Tensor) -> Tensor {
      x --> Dense(neurons: 0)
    }
    let line = #line - 2
    let block = Softmax() --> Dense(neurons: -1)
    let model = Model(inputs: [input], outputs: [tower(input), input --> tower, input --> block])
    let file = "ForgeGraphTests/LayerMistakeTests.swift"
    #expect(
      places(model) == [
        "\(file):\(line):18", "\(file):\(line):18", "\(file):\(line + 3):36",
      ])
  }

  @Test func unknownSizes() {
    let loose = Input(channels: 3, name: "picture")
    #expect(
      mistakes(loose, loose --> Dense(neurons: 5, name: "fc")) == [
        """
        layer 1 "fc" (Dense): the size of the input is not known
          received  ?×?×3 (width×height×channels) from "picture"
          needs     a known number of elements to flatten
          remedy    give the Input a width and a height, or put a Resize before this layer
        """
      ])
    let wide = Input(width: 12, channels: 3)
    #expect(
      mistakes(wide, wide --> Reshape(to: [-1])) == [
        """
        layer 1 "__Reshape_1__" (Reshape): the size of the input is not known
          received  12×?×3 (width×height×channels) from "input"
          needs     a known number of elements to reshape
          remedy    give the Input a width and a height, or put a Resize before this layer
        """
      ])
    let fine = loose --> Convolution(kernel: (3, 3), channels: 4) --> MaxPooling(kernel: (2, 2))
    #expect(mistakes(loose, fine --> GlobalMaxPooling() --> Dense(neurons: 5)) == [])
    #expect(mistakes(loose, fine --> Resize(width: 4, height: 4) --> Dense(neurons: 5)) == [])
  }

  @Test func emptyOutputs() {
    #expect(
      mistakes(input, input --> Crop(top: 4, bottom: 4, name: "cut")) == [
        """
        layer 1 "cut" (Crop): the output would be empty
          received  12×8×3 (width×height×channels) from "input"
          needs     width above 0 and height above 8 to cut top 4, left 0, bottom 4, right 0
        """
      ])
    #expect(
      mistakes(
        input,
        input --> Convolution(kernel: (3, 5), channels: 1, dilation: (1, 2), padding: .valid)
      ) == [
        """
        layer 1 "__Conv_1__" (Convolution): the output would be empty
          received  12×8×3 (width×height×channels) from "input"
          needs     width of at least 3 and height of at least 9 for a 3×5 kernel dilated to 3×9 \
        with padding .valid
        """
      ])
  }

  @Test func mismatchedInputs() {
    let a = input --> Convolution(kernel: (3, 3), channels: 4, name: "a")
    let b = input --> MaxPooling(kernel: (2, 2), name: "b")
    #expect(
      mistakes(input, [a, b] --> Add(name: "sum")) == [
        """
        layer 3 "sum" (Add): the inputs do not match
          received  12×8×4 (width×height×channels) from "a"
                    6×4×3 (width×height×channels) from "b"
          needs     sizes that are equal along each axis, or 1 where they differ
        """
      ])
    #expect(
      mistakes(input, Concatenate([a, input, b], name: "all")) == [
        """
        layer 3 "all" (Concatenate): the inputs do not match
          received  12×8×4 (width×height×channels) from "a"
                    12×8×3 (width×height×channels) from "input"
                    6×4×3 (width×height×channels) from "b"
          needs     the same rank and, on every axis but channels, the same sizes
        """
      ])
    #expect(
      mistakes(input, [a, input] --> Concatenate(axis: 0, name: "all")) == [
        """
        layer 2 "all" (Concatenate): the inputs do not match
          received  12×8×4 (width×height×channels) from "a"
                    12×8×3 (width×height×channels) from "input"
          needs     the same rank and, on every axis but height, the same sizes
        """
      ])
    let row = input --> Reshape(to: [-1], name: "row")
    #expect(
      mistakes(input, [row, input] --> Concatenate(name: "all")) == [
        """
        layer 2 "all" (Concatenate): the inputs do not match
          received  288 (in memory order) from "row"
                    12×8×3 (width×height×channels) from "input"
          needs     the same rank and, on every axis but 0, the same sizes
        """
      ])
  }

  @Test func wrongInputCounts() {
    #expect(
      mistakes(input, input --> Add()) == [
        """
        layer 1 "__Add_1__" (Add): wrong number of inputs
          received  1 tensor
          needs     at least 2 tensors, as in [a, b] --> Add()
        """
      ])
    #expect(
      mistakes(input, [input, input] --> Softmax()) == [
        """
        layer 1 "__Softmax_1__" (Softmax): wrong number of inputs
          received  2 tensors
          needs     exactly 1 tensor
        """
      ])
    #expect(
      mistakes(input, input --> Constant([1], shape: Shape(sizes: [1]), name: "one")) == [
        """
        layer 1 "one" (Constant): wrong number of inputs
          received  1 tensor
          needs     no tensor
        """
      ])
    let none: [Tensor] = []
    #expect(
      mistakes(input, [input, Concatenate(none, name: "none")] --> Add()) == [
        """
        layer 1 "none" (Concatenate): wrong number of inputs
          received  0 tensors
          needs     at least 1 tensor, as in [a, b] --> Concatenate()
        """
      ])
  }

  @Test func groups() {
    let output = input --> Convolution(kernel: (1, 1), channels: 4, groups: 3, name: "conv")
    #expect(
      mistakes(input, output) == [
        """
        layer 1 "conv" (Convolution): the output channels cannot be divided into 3 groups
          received  12×8×3 (width×height×channels) from "input"
          needs     a number of output channels divisible by 3, not 4
        """
      ])
  }

  @Test(arguments: [.min, -1, 0, (1 << 20) + 1, .max] as [Int])
  func argumentsOutOfRange(number: Int) {
    let rule = number < 1 ? "positive" : "at most 1048576"
    let needs = "needs     numbers from 1 to 1048576"
    #expect(
      mistakes(input, input --> Convolution(kernel: (3, number), channels: 4, name: "a")) == [
        """
        layer 1 "a" (Convolution): kernel must be \(rule)
          received  kernel: (3, \(number))
          \(needs)
        """
      ])
    #expect(
      mistakes(input, input --> MaxPooling(kernel: (2, 2), stride: (number, 2), name: "a")) == [
        """
        layer 1 "a" (MaxPooling): stride must be \(rule)
          received  stride: (\(number), 2)
          \(needs)
        """
      ])
    #expect(
      mistakes(input, input --> Resize(width: number, height: 1, name: "a")) == [
        """
        layer 1 "a" (Resize): size must be \(rule)
          received  size: (\(number), 1)
          \(needs)
        """
      ])
    let wrong = Input(width: 4, height: number, channels: 3, name: "picture")
    #expect(
      mistakes(wrong, wrong --> Softmax()) == [
        """
        "picture" (Input): height must be \(rule)
          received  height: \(number)
          \(needs)
        """
      ])
  }

  @Test func inputsOutOfRange() {
    func text(_ input: Tensor) -> [String] { mistakes(input, input --> Softmax()) }
    #expect(
      text(Input(width: 0, height: 4, channels: 3)) == [
        """
        "input" (Input): width must be positive
          received  width: 0
          needs     numbers from 1 to 1048576
        """
      ])
    #expect(
      text(Input(channels: -3)) == [
        """
        "input" (Input): channels must be positive
          received  channels: -3
          needs     numbers from 1 to 1048576
        """
      ])
    for shape in [[0], [4, 0], [1, 2, 3, 0], [0, 0, 0, 0, 0, 0, 0, 0]] {
      #expect(
        text(Input(shape: shape))
          == [
            """
            "input" (Input): size must be positive
              received  size: 0
              needs     numbers from 1 to 1048576
            """
          ].map { shape.count == 3 ? $0.replacing("size", with: "height") : $0 })
    }
    #expect(
      text(Input(shape: [])) == [
        """
        "input" (Input): rank is out of range
          received  rank: 0
          needs     1 to 8 axes
        """
      ])
    #expect(
      text(Input(shape: Array(repeating: 2, count: 9))) == [
        """
        "input" (Input): rank is out of range
          received  rank: 9
          needs     1 to 8 axes
        """
      ])
    #expect(
      text(Input(shape: [1 << 20, 1 << 20, 1 << 20, 1 << 20])) == [
        """
        "input" (Input): the output would be too large
          needs     at most 1099511627776 elements
        """
      ])
  }

  @Test func totalsOverflowAcrossLayers() {
    let wide = Input(width: 1 << 20, height: 1 << 19, channels: 1)
    #expect(
      mistakes(wide, [wide, wide, wide] --> Concatenate(name: "all")) == [
        """
        layer 1 "all" (Concatenate): the output would be too large
          received  1048576×524288×1 (width×height×channels) from "input"
                    1048576×524288×1 (width×height×channels) from "input"
                    1048576×524288×1 (width×height×channels) from "input"
          needs     at most 1099511627776 elements
        """
      ])
    #expect(
      mistakes(wide, wide --> Dense(neurons: 1 << 20, name: "fc")) == [
        """
        layer 1 "fc" (Dense): the weights would be too large
          received  1048576×524288×1048576×1 [O][H][W][I]
          needs     at most 1099511627776 values
        """
      ])
    #expect(
      mistakes(wide, wide --> UpSampling(size: (1 << 20, 1 << 20), name: "up")) == [
        """
        layer 1 "up" (UpSampling): the output would be too large
          received  1048576×524288×1 (width×height×channels) from "input"
          needs     at most 1099511627776 elements
        """
      ])
  }

  @Test func wrongConstantValueCounts() {
    let wrong = Constant([1, 2, 3], shape: [2, 2], name: "two")
    #expect(
      mistakes(input, [input, wrong] --> Add()) == [
        """
        layer 1 "two" (Constant): the values do not fill the shape
          received  3 values for 2×2 (in memory order)
          needs     4 values
        """
      ])
  }
}

extension Tensor {
  /// The inputs that lead to a tensor.
  var roots: [Tensor] {
    if case .input = source { [self] } else { inputs.flatMap(\.roots) }
  }
}
