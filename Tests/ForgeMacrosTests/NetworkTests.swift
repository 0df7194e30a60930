#if Macros
  import ForgeMacros
  import ForgeModels
  import Testing

  /// Networks of every kind expand, build, and give the numbers of the plain form.
  @Suite(.serialized) struct NetworkTests {
    /// Predicts with the typed and the plain form of a network, with the same random parameters.
    private func check<Network: TypedNetwork>(
      _ network: Network.Type, against model: Model
    ) throws where Network.Input: FixedTensor, Network.Output: FixedTensor {
      let source = RandomParameters(seed: 7)
      var generator = SplitMix64(seed: 3)
      let values = (0..<Network.Input.elementCount).map { _ in
        Float.random(in: -1...1, using: &generator)
      }
      let typed = try Network(parameters: source).predict(try Network.Input(values: values))
      let plain = try model.compile(parameters: source).predict(values)
      #expect(typed.values.map(\.bitPattern) == plain.map(\.bitPattern))
      #expect(typed.values.contains { $0 != typed.values[0] })
      #expect(Network.model.parameterCount == model.parameterCount)
    }

    @Test func leNet() throws { try check(LeNet.Network.self, against: .leNet()) }
    @Test func mobileNetV1() throws { try check(MobileNetV1.Network.self, against: .mobileNetV1()) }
    @Test func mobileNetV2() throws { try check(MobileNetV2.Network.self, against: .mobileNetV2()) }
    @Test func inceptionV3() throws { try check(InceptionV3.Network.self, against: .inceptionV3()) }
    @Test func tinyYOLO() throws { try check(TinyYOLO.Network.self, against: .tinyYOLOV2()) }

    @Test func uNet() throws {
      try check(UNet.Network.self, against: Model(output: UNet.body))
      // The sizes are part of the types.
      let _: FixedImage<48, 32, 2>.Type = UNet.Network.Output.self
      let _: FixedVector<1000>.Type = InceptionV3.Network.Output.self
      let _: FixedImage<13, 13, 125>.Type = TinyYOLO.Network.Output.self
    }

    /// A size that follows the length is not part of a type; the others are.
    @Test func sequencesOfAnyLength() throws {
      let source = RandomParameters(seed: 7)
      let network = try Frames.Network(parameters: source)
      let plain = try Model(output: Frames.body).compile(parameters: source)
      for length in [40, 1, 7] {
        let values = (0..<6 * length).map { Float($0 % 11) - 5 }
        let frames = TensorValues(shape: Shape(sizes: [length, 6]), values: values)
        let result: FixedVector<4> = try network.predict(frames)
        #expect(result.values == (try plain.predict(values)))
      }
      let halved = try HalvedFrames.Network(parameters: source)
      let untyped = try Model(output: HalvedFrames.body).compile(parameters: source)
      for length in [60, 4, 18] {
        let values = (0..<6 * length).map { Float($0 % 11) - 5 }
        let frames = TensorValues(shape: Shape(sizes: [length, 6]), values: values)
        #expect(try halved.predict(frames).values == (try untyped.predict(values)))
      }
    }

    /// Open sizes are not part of a type; sizes that do not follow them are.
    @Test func openSizes() throws {
      let source = RandomParameters(seed: 7)
      let network = try Page.Network(parameters: source)
      let plain = try Model(output: Page.body).compile(parameters: source)
      for (width, height) in [(64, 32), (8, 12), (20, 8)] {
        let page = TensorValues(
          width: width, height: height, channels: 2,
          values: (0..<2 * width * height).map { Float($0 % 11) - 5 })
        let result: FixedVector<4> = try network.predict(page)
        #expect(result.values == (try plain.predict(page)))
      }
      let table = try Table.Network(parameters: source)
      let rows: TensorValues = try table.predict(
        TensorValues(shape: Shape(sizes: [1, 2]), values: [3, 3]))
      #expect(rows.values == [0.5, 0.5])
    }

    @Test func severalInputsAndOutputs() throws {
      let source = RandomParameters(seed: 7)
      var generator = SplitMix64(seed: 3)
      let image = FixedImage<20, 12, 3>(
        checked: (0..<720).map { _ in .random(in: 0...255, using: &generator) })
      let bias = FixedVector<5>([0.5, -1, 2, 0, 0.25])
      let network = try Residual.Network(parameters: source)
      let typed = try network.predict(.init(image: image, bias: bias))
      let plain = try Model(outputs: Residual.body).compile(parameters: source)
        .predict(["image": image.tensorValues, "bias": bias.tensorValues])
      #expect(typed.classes.values == plain["classes"]?.values)
      #expect(typed.map.values == plain["map"]?.values)
      let _: FixedVector<5> = typed.classes
      let _: FixedImage<5, 3, 16> = typed.map
      let names = Residual.Network.model.layers.map(\.name)
      #expect(names.contains("se.reduce") && names.contains("tail.mix"))
    }
  }
#endif
