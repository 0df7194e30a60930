import ForgeLayers
import ForgeOperations
import ForgeShapes
import Testing

/// One of each layer, made from a number wherever an argument is one.
///
/// The line is 14 and the column 7, so that a test sees both arrive.
private func everyLayer(_ n: Int, _ x: Float, name: String? = "n") -> [any Layer] {
  let file = "App/Net.swift"
  let f = ActivationFunction.clipped(minimum: x, maximum: x)
  let edges = Padding.explicit(top: n, left: n, bottom: n, right: n)
  return [
    Convolution(
      kernel: (n, n), channels: n, stride: (n, n), dilation: (n, n), padding: edges, groups: n,
      activation: f, name: name, fileID: file, line: 14, column: 7),
    Convolution(
      kernel: (n, n), channels: n, padding: .same, name: name, fileID: file, line: 14, column: 7),
    DepthwiseConvolution(
      kernel: (n, n), stride: (n, n), dilation: (n, n), padding: edges, multiplier: n,
      activation: f, name: name, fileID: file, line: 14, column: 7),
    PointwiseConvolution(
      channels: n, stride: (n, n), activation: f, name: name, fileID: file, line: 14, column: 7),
    Dense(neurons: n, activation: f, name: name, fileID: file, line: 14, column: 7),
    MaxPooling(
      kernel: (n, n), stride: (n, n), padding: edges, name: name, fileID: file, line: 14,
      column: 7),
    AveragePooling(
      kernel: (n, n), padding: .same, border: .counted, name: name, fileID: file, line: 14,
      column: 7),
    GlobalAveragePooling(name: name, fileID: file, line: 14, column: 7),
    GlobalMaxPooling(name: name, fileID: file, line: 14, column: 7),
    BatchNormalization(epsilon: x, scale: false, name: name, fileID: file, line: 14, column: 7),
    Scale(by: [x], bias: [x, x, x], name: name, fileID: file, line: 14, column: 7),
    Activation(f, name: name, fileID: file, line: 14, column: 7),
    PReLU(name: name, fileID: file, line: 14, column: 7),
    PReLU(shared: [], name: name, fileID: file, line: 14, column: 7),
    Softmax(name: name, fileID: file, line: 14, column: 7),
    LogSoftmax(name: name, fileID: file, line: 14, column: 7),
    Add(constant: [x], name: name, fileID: file, line: 14, column: 7),
    Add(name: name, fileID: file, line: 14, column: 7),
    Subtract(name: name, fileID: file, line: 14, column: 7),
    Multiply(name: name, fileID: file, line: 14, column: 7),
    Maximum(name: name, fileID: file, line: 14, column: 7),
    Minimum(name: name, fileID: file, line: 14, column: 7),
    Average(name: name, fileID: file, line: 14, column: 7),
    Concatenate(axis: n, name: name, fileID: file, line: 14, column: 7),
    Flatten(name: name, fileID: file, line: 14, column: 7),
    Reshape(to: [n, -1], name: name, fileID: file, line: 14, column: 7),
    Reshape(width: n, height: n, channels: n, name: name, fileID: file, line: 14, column: 7),
    Permute(order: [n, 0, 1], name: name, fileID: file, line: 14, column: 7),
    ZeroPadding(
      top: n, left: n, bottom: n, right: n, name: name, fileID: file, line: 14, column: 7),
    ZeroPadding(n, name: name, fileID: file, line: 14, column: 7),
    Crop(top: n, left: n, bottom: n, right: n, name: name, fileID: file, line: 14, column: 7),
    Resize(width: n, height: n, name: name, fileID: file, line: 14, column: 7),
    UpSampling(size: (n, n), name: name, fileID: file, line: 14, column: 7),
    SubtractMeanColor(
      red: x, green: x, blue: x, name: name, fileID: file, line: 14, column: 7),
    SwapRedBlue(name: name, fileID: file, line: 14, column: 7),
    Grayscale(name: name, fileID: file, line: 14, column: 7),
    Dropout(rate: x, name: name, fileID: file, line: 14, column: 7),
    Constant([x], shape: image(n, n, n), name: name, fileID: file, line: 14, column: 7),
    Custom(
      shape: { $0[0] }, name: name, body: { _, _ in }, fileID: file, line: 14, column: 7),
  ]
}

@Suite struct LayerTests {
  @Test func summaryNames() {
    var names: [String] = []
    for layer in everyLayer(1, 1) {
      let name = type(of: layer).summaryName
      if names.last != name { names.append(name) }
    }
    #expect(
      names == [
        "Conv", "DepthwConv", "PointwConv", "Dense", "MaxPool", "AvgPool", "GlbAvgPool",
        "GlbMaxPool", "BatchNorm", "Scale", "Activation", "PReLU", "Softmax", "LogSoftmax", "Add",
        "Subtract", "Multiply", "Maximum", "Minimum", "Average", "Concat", "Flatten", "Reshape",
        "Permute", "ZeroPad", "Crop", "Resize", "UpSampling", "SubMean", "SwapRB", "Grayscale",
        "Dropout", "Constant", "Custom",
      ])
    // The column "Type" of a summary holds ten characters.
    #expect(names.allSatisfy { $0.count <= 10 })
  }

  @Test func namesAndPlacesArrive() {
    for layer in everyLayer(1, 1) {
      #expect(layer.name == "n", "\(type(of: layer))")
      #expect(
        layer.place == SourcePlace(fileID: "App/Net.swift", line: 14, column: 7),
        "\(type(of: layer))")
    }
    for layer in everyLayer(1, 1, name: nil) { #expect(layer.name == nil) }
  }

  @Test func placeIsWhereTheLayerStands() {
    let layer = Softmax(); let line = #line
    #expect(layer.place.fileID == "ForgeLayersTests/LayerTests.swift")
    #expect(layer.place.line == line)
    #expect(layer.place.column == 24)
  }

  @Test func equalWithTheSameFieldsAtTheSamePlace() {
    func layer(kernel: Int) -> Convolution {
      Convolution(kernel: (kernel, 3), channels: 1, name: "a")
    }
    #expect(layer(kernel: 3) == layer(kernel: 3))
    #expect(layer(kernel: 3) != layer(kernel: 5))
    // The same words at another place are another layer. (Inside a macro all places are one.)
    let first = Convolution(kernel: (3, 3), channels: 1, name: "a")
    let second = Convolution(kernel: (3, 3), channels: 1, name: "a")
    #expect(first != second)
  }

  @Test func chainsAreBlocks() {
    let block = Flatten().chained(to: Softmax()).chained(to: Dropout(rate: 0.5))
    #expect(block.steps.map { "\(type(of: $0))" } == ["Flatten", "Softmax", "Dropout"])
    let nested = Softmax().chained(to: block)
    #expect(nested.steps.map { "\(type(of: $0))" } == ["Softmax", "Block"])
  }

  @Test func aUsersOwnLayer() throws {
    /// `x·x`, composed of a primitive.
    struct Square: Layer {
      let name: String? = nil
      let place = SourcePlace(fileID: "App/Square.swift", line: 1, column: 1)
      func lower(into lowering: inout Lowering) throws(ShapeError) {
        lowering.output = try lowering.apply(
          .binary(.multiply), to: lowering.inputs + lowering.inputs)
      }
    }
    #expect(Square.summaryName == "Square")
    #expect(try Lowered(Square(), image(7, 5, 3)).text == ["multiply x0, x0"])
    #expect(try Square().parameters(for: [image(7, 5, 3)]).isEmpty)
    #expect(try Square().multiplyAdds(for: [image(7, 5, 3)]) == 0)
  }

  @Test(
    arguments: [
      (Shape([]), ShapeError.Kind.shapeMismatch, "the input has 0 axes\n  needs     1 to 8 axes"),
      (
        Shape(sizes: Array(repeating: 1, count: 9)), .shapeMismatch,
        "the input has 9 axes\n  needs     1 to 8 axes"
      ),
      (
        image(7, 0, 3), .shapeMismatch,
        "the input is empty\n  needs     every size to be at least 1"
      ),
      (
        image(.max, 2, 3), .tooLarge,
        "the input is too large\n  needs     at most 1099511627776 elements"
      ),
    ] as [(Shape, ShapeError.Kind, String)])
  func inputsThatNoTensorCanHave(input: Shape, kind: ShapeError.Kind, text: String) {
    expectError(Softmax(), [input], kind, text)
    expectError(Convolution(kernel: (3, 3), channels: 1), [input], kind, text)
  }

  /// Every argument a number that invites overflow, on every kind of shape: an answer or an error,
  /// never a trap.
  @Test(
    arguments: [
      .min, -(1 << 32), -2, -1, 0, 1, 2, 3, 5, 1 << 10, 1 << 20, (1 << 20) + 1, 1 << 32, 1 << 62,
      .max,
    ] as [Int])
  func nothingTraps(number: Int) {
    let shapes: [[Shape]] = [
      [], [Shape([])], [Shape(sizes: [5])], [Shape(sizes: [3, 3])], [image(7, 5, 3)],
      [image(nil, nil, 3)], [image(nil, nil, nil)], [image(7, 5, nil)],
      [image(1 << 20, 1 << 20, 1)], [image(1, 1, 1 << 40)], [image(1 << 40, nil, 1)],
      [image(.max, .max, .max)], [image(.min, -1, 0)], [Shape(sizes: [.max])],
      [Shape(sizes: Array(repeating: 2, count: 9))], [image(7, 5, 3), image(7, 5, 3)],
      [image(.max, 5, 3), image(.max, 5, 3)], [image(7, 5, 3), Shape([]), image(nil, 5, 3)],
    ]
    for x in [0, 1, -1, .infinity, -.infinity, .nan, .greatestFiniteMagnitude] as [Float] {
      for layer in everyLayer(number, x) {
        for inputs in shapes { exercise(layer, inputs) }
      }
    }
  }

  private func exercise(_ layer: some Layer, _ inputs: [Shape]) {
    guard let outline = try? LayerOutline(layer, inputs: inputs) else { return }
    #expect((try? SizeRule.bounded(outline.shape)) != nil, "\(layer) \(inputs)")
    #expect(outline.parameters.allSatisfy { $0.count > 0 })
    #expect(outline.multiplyAdds >= 0)
  }
}
