import Forge
import ForgeImages
import ForgeTestSupport
import Foundation
import Testing

/// Networks for pictures with what is before and after them.
@Suite struct ImageTaskTests {
  private let labels = ["red", "green", "blue"]

  /// The mean of each color, for pictures of 9 × 7.
  private func means() throws -> CompiledModel {
    let input = Input(width: 9, height: 7, name: "picture")
    return try Model(input: input, output: input --> GlobalAveragePooling(name: "means")).compile()
  }

  private func picture(width: Int, height: Int, seed: UInt64) throws -> Image {
    var random = SplitMix64(seed: seed)
    return try Image(
      width: width, height: height, format: .rgb,
      pixels: (0..<3 * width * height).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  @Test func classifierIsWhatOneWritesByHand() throws {
    let network = try means()
    let preparation = ImagePreparation(normalization: .unitRange)
    let task = try ImageTask.classifier(
      network, preparation: preparation, labels: labels, top: 2)
    #expect(task.preparation.size == Size(width: 9, height: 7))
    let sizes = [(9, 7), (30, 20), (5, 41)]
    let pictures = try sizes.enumerated().map {
      try picture(width: $1.0, height: $1.1, seed: UInt64($0))
    }
    var expected: [[RankedClass]] = []
    for image in pictures {
      let values = try image.values(prepared: task.preparation)
      expected.append(try network.predict(values).top(k: 2, labels: labels))
    }
    #expect(try pictures.map { try task.predict($0) } == expected)
    #expect(try task.predict(batch: pictures) == expected)
    #expect(try task.predict(batch: []).isEmpty)
    for (image, ranks) in zip(pictures, expected) {
      let viewed = try image.withView { try task.predict($0) }
      #expect(viewed == ranks)
    }
    let soft = try ImageTask.classifier(
      network, preparation: preparation, labels: labels, top: 3, appliesSoftmax: true)
    let sum = try soft.predict(pictures[0]).reduce(0) { $0 + $1.probability }
    #expect(abs(sum - 1) < 1e-6)
    // Without labels of its own, those of the network.
    #expect(
      try ImageTask.classifier(network, preparation: preparation)
        .predict(pictures[1]).map(\.label) == [nil, nil, nil])
  }

  @Test func filesAndRunners() async throws {
    let network = try means()
    let task = try ImageTask.classifier(
      network, preparation: ImagePreparation(normalization: .raw), labels: labels)
    let image = try picture(width: 13, height: 11, seed: 9)
    let path = NSTemporaryDirectory() + "forge-task-\(UUID().uuidString).png"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try image.write(to: path)
    let expected = try task.predict(image)
    #expect(try task.predict(contentsOf: path) == expected)
    let runner = try Runner(network, inflightBuffers: 2)
    let results = try await withThrowingTaskGroup(of: [RankedClass].self) { group in
      for _ in 0..<8 { group.addTask { try await task.predict(image, in: runner) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == Array(repeating: expected, count: 8))
    await #expect(throws: RunnerError.self) {
      try await task.predict(image, in: runner, deadline: .after(.zero))
    }
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await task.predict(image, in: runner)
    }
    cancelled.cancel()
    await #expect(throws: RunnerError.self) { try await cancelled.value }
    #expect(throws: ImageError.self) { try task.predict(contentsOf: path + ".none") }
  }

  /// Boxes of a letterbox are those of the picture, and one is left for each object.
  @Test func detectorMapsBoxesBack() throws {
    // (candidates, 5 + classes): the values of the picture are not looked at.
    let found: [Float] = [
      32, 32, 16, 8, 0.9, 1, 0,  // the center, a quarter wide
      33, 32, 16, 8, 0.8, 1, 0,  // the same object
      32, 32, 16, 8, 0.7, 0, 1,  // another class
      32, 32, 16, 8, 0.2, 1, 0,  // too low
    ]
    let input = Input(width: 64, height: 64, name: "picture")
    let zero = input --> GlobalAveragePooling() --> Dense(neurons: 28, name: "boxes")
    func parameters(_ name: String, _ count: Int, _ type: ParameterType) -> (any ParameterData)? {
      ParameterValues(type == .biases ? found : Array(repeating: 0, count: count))
    }
    let network = try Model(input: input, output: zero --> Reshape(to: [4, 7]))
      .compile(parameters: parameters)
    let decoder = try BoxDecoder.candidatesWithObjectness(
      classes: 2, count: 4, input: Size(square: 64))
    let task = try ImageTask.detector(
      network, preparation: .letterbox(width: 64, height: 64), decoder: decoder)
    // Twice as wide as high: the picture has the middle half of the rows.
    let boxes = try task.predict(picture(width: 200, height: 100, seed: 1))
    try #require(boxes.count == 2)
    #expect(boxes.map(\.label) == [0, 1])
    for box in boxes {
      #expect(abs(box.x - 0.5) < 1e-6 && abs(box.y - 0.5) < 1e-6)
      #expect(abs(box.width - 0.25) < 1e-6 && abs(box.height - 0.25) < 1e-6)
    }
    let all = try ImageTask.detector(
      network, preparation: .letterbox(width: 64, height: 64), decoder: decoder,
      minimumScore: 0.1, iou: 1)
    #expect(try all.predict(picture(width: 64, height: 64, seed: 1)).count == 4)
  }

  /// A network of open sizes that changes nothing returns the picture.
  @Test func transformerKeepsThePicture() throws {
    let input = Input(
      width: .open("w", 1...40), height: .open("h", 1...40), name: "picture")
    let network = try Model(input: input, output: input --> Activation(.linear)).compile()
    let task = try ImageTask.transformer(
      network, preparation: ImagePreparation(normalization: .raw), range: 0...255)
    #expect(task.preparation.size == nil)
    for (width, height) in [(40, 40), (1, 7), (23, 5)] {
      let image = try picture(width: width, height: height, seed: 4)
      #expect(try task.predict(image).pixels == image.pixels)
    }
    // A larger one is made smaller.
    let large = try task.predict(picture(width: 80, height: 20, seed: 4))
    #expect(large.width == 40 && large.height == 10)
    let small = try ImageTask.transformer(
      network,
      preparation: ImagePreparation(width: 8, height: 6, normalization: .raw), range: 0...255,
      keepsSize: true)
    let image = try small.predict(picture(width: 31, height: 17, seed: 2))
    #expect(image.width == 31 && image.height == 17)
  }

  @Test func mistakes() throws {
    let network = try means()
    let raw = ImagePreparation(normalization: .raw)
    func kind(_ body: () throws -> Void) -> ImageErrorKind? {
      #expect(throws: ImageError.self) { try body() }?.kind
    }
    #expect(
      kind { _ = try ImageTask.classifier(network, preparation: raw, input: "x") }
        == .invalidArgument)
    #expect(
      kind { _ = try ImageTask.classifier(network, preparation: raw, output: "x") }
        == .invalidArgument)
    #expect(
      kind { _ = try ImageTask.classifier(network, preparation: raw, labels: ["a", "b"]) }
        == .wrongCount)
    let gray = ImagePreparation(normalization: PixelNormalization.raw.ordered(.gray))
    #expect(kind { _ = try ImageTask.classifier(network, preparation: gray) } == .invalidArgument)
    #expect(
      kind {
        _ = try ImageTask.classifier(
          network, preparation: ImagePreparation(width: 8, height: 7, normalization: .raw))
      } == .invalidArgument)
    #expect(
      kind {
        _ = try ImageTask.detector(
          network, preparation: raw,
          decoder: .candidates(classes: 1, count: 2, input: Size(square: 8)))
      } == .wrongCount)
    let vector = try Model(output: Input(shape: [4]) --> Softmax()).compile()
    #expect(kind { _ = try ImageTask.classifier(vector, preparation: raw) } == .invalidArgument)
    let (a, b) = (Input(width: 2, height: 2, name: "a"), Input(width: 2, height: 2, name: "b"))
    let two = try Model(inputs: [a, b], outputs: [[a, b] --> Add()]).compile()
    #expect(
      kind { _ = try ImageTask.transformer(two, preparation: raw) } == .invalidArgument)
    struct Broken: Error {}
    let task = try ImageTask(network, preparation: raw) { _, _ -> Int in throw Broken() }
    #expect(throws: Broken.self) { try task.predict(picture(width: 3, height: 3, seed: 1)) }
  }
}
