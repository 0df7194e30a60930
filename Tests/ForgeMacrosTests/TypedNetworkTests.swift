#if Macros
  import ForgeMacros
  import Testing

  /// Typed networks with everything that predicts.
  @Suite struct TypedNetworkTests {
    private typealias Network = LeNet.Network
    private let source = RandomParameters(seed: 4)

    private func picture(_ seed: UInt64) -> FixedImage<28, 28, 1> {
      var generator = SplitMix64(seed: seed)
      return FixedImage(checked: (0..<784).map { _ in .random(in: 0...1, using: &generator) })
    }

    @Test func everyWayToPredictGivesTheSame() async throws {
      let network = try Network(parameters: source, options: CompileOptions(maximumBatch: 3))
      let pictures = (0..<3).map { picture(UInt64($0)) }
      let expected = try pictures.map { try network.predict($0) }
      #expect(expected[0] != expected[1])
      #expect(try network.predict(batch: pictures) == expected)

      let context = try Context(network.compiled)
      for (picture, expected) in zip(pictures, expected) {
        let result: FixedVector<10> = try context.predict(Network.request(picture))
        #expect(result == expected)
      }

      let runner = try Runner(network.compiled, inflightBuffers: 2)
      let result: FixedVector<10> = try await runner.predict(Network.request(pictures[1]))
      #expect(result == expected[1])
      var streamed: [FixedVector<10>] = []
      for try await result in try runner.predictions(of: pictures.map(Network.request)) {
        streamed.append(result.prediction)
      }
      #expect(streamed == expected)
      #expect(try await runner.predictBatch(pictures.map(Network.request)) == expected)

      var output = FixedVector<10>(repeating: 0)
      let realtime = try RealtimeContext(network.compiled)
      try realtime.predict(pictures[2], into: &output, of: Network.self)
      #expect(output == expected[2])

      // The plain forms take a fixed tensor, too.
      #expect(try network.compiled.predict(pictures[0]) == expected[0].values)
    }

    @Test func rankingAndElements() throws {
      let vector = FixedVector<4>([0.1, 0.5, 0.4, 0.5])
      #expect(vector.top(k: 2, labels: ["a", "b", "c", "d"]).map(\.label) == ["b", "d"])
      #expect(vector[2] == 0.4)
      #expect(vector.elements[3] == 0.5)
      let matrix = FixedMatrix<2, 3>([[1, 2, 3], [4, 5, 6]])
      #expect(matrix[row: 1, column: 0] == 4)
      let image = FixedImage<2, 1, 3>(rows: [[[1, 2, 3], [4, 5, 6]]])
      #expect(image[x: 1, y: 0, channel: 2] == 6)
      #expect(FixedImage<2, 1, 3>.shape == Shape(width: 2, height: 1, channels: 3))
    }

    @Test func sizesThatAreKnownOnlyWhenRunning() throws {
      #expect(throws: PredictionError.self) { try FixedVector<3>(values: [1, 2]) }
      do {
        _ = try FixedImage<28, 28, 1>(
          TensorValues(width: 32, height: 32, channels: 1, values: .init(repeating: 0, count: 1024))
        )
        Issue.record("a picture of another size was taken")
      } catch {
        #expect(error.kind == .wrongShape)
      }
      #expect(throws: PredictionError.self) {
        try FixedImage<2, 2, 1>(TensorValues(width: 2, height: 2, channels: 1, values: [1]))
      }
      let values = TensorValues(shape: Shape(width: 1, height: 1, channels: 2), values: [1, 2])
      #expect(try FixedVector<2>(values).values == [1, 2])
    }

    @Test func anotherNetworkIsRefused() throws {
      let other = try Model(output: Input(shape: [4]) --> Dense(neurons: 10, name: "fc"))
        .compile(parameters: source)
      #expect(throws: PredictionError.self) { try Network(other) }
      let several = try Model(outputs: Residual.body).compile(parameters: source)
      #expect(throws: PredictionError.self) { try Network(several) }
      #expect(throws: Never.self) { try Residual.Network(several) }
    }

    @Test func emptyBatch() throws {
      let network = try Network(parameters: source)
      #expect(throws: PredictionError.self) { try network.predict(batch: []) }
    }

    @Test func closureOfParameters() throws {
      let named = try Network { name, count, type in
        source.parameter(
          for: ParameterSpec(type, axes: [.channels], sizes: [count]).named(name))
      }
      #expect(named.compiled.inputShapes == [Shape(width: 28, height: 28, channels: 1)])
    }

    // MARK: Any size

    @Network enum AnySize {
      static let body =
        Input(channels: 3, name: "image")
        --> Convolution(kernel: 3, channels: 4, name: "conv")
        --> GlobalAveragePooling()
    }

    @Network enum Map {
      static let body = Input(channels: 1) --> MaxPooling(2)
    }

    @Test func sizesThatAreChosenWhenRunning() throws {
      let network = try AnySize.Network(parameters: source)
      let values = TensorValues(
        width: 5, height: 7, channels: 3, values: (0..<105).map { Float($0 % 11) })
      let result: FixedVector<4> = try network.predict(values)
      #expect(try result.values == network.compiled.predict(values))
      let map = try Map.Network(parameters: source).predict(
        TensorValues(width: 4, height: 2, channels: 1, values: [1, 2, 3, 4, 5, 6, 7, 8]))
      #expect(map.values == [6, 8])
      #expect(map.shape == Shape(width: 2, height: 1, channels: 1))
    }

    // MARK: #network

    @Test func modelsOfClosures() throws {
      let plain = #network {
        let x = Input(width: 6, height: 6, channels: 2)
        let y = x --> Convolution(kernel: 3, channels: 4, name: "a")
        return [x --> PointwiseConvolution(channels: 4, name: "b"), y] --> Add() --> Softmax()
      }
      // Places are those of the source, though the closure was expanded.
      let lines = plain.layers.compactMap(\.place?.line)
      #expect(Set(lines).count == 2)
      #expect(plain.layers[0].place?.fileID == #fileID)
      #expect(try plain.compile(parameters: source).outputShapes[0].channels == 4)
      // Outside of #expect, whose expansion would expand them again without their file.
      let shape = #shape(of: plain.outputs[0])
      #expect(shape == Shape(width: 6, height: 6, channels: 4))
      let summary = #summary(LeNet.body)
      #expect(summary == Model(output: LeNet.body).summary())
    }
  }
#endif
