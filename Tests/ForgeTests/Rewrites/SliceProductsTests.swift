import Forge
import Testing

/// Channels of a product that are taken from a reshaped one, as `torch.nn.MultiheadAttention` does.
@Suite struct SliceProductsTests {
  private let name = "sliceProducts"
  private let input = Input(shape: [7, 20], name: "x")

  private func kernels(_ outputs: [Tensor], without: Set<String> = []) throws -> [String] {
    let report = try Model(inputs: [input], outputs: outputs).compile(
      parameters: RandomParameters(seed: 3), options: CompileOptions(disabledRewrites: without)
    ).report
    return report.arithmetic
  }

  /// Expects so many products, an attention, and nothing that is gathered.
  private func expectProducts(_ count: Int, _ outputs: [Tensor]) throws {
    let kernels = try kernels(outputs)
    #expect(kernels.count { $0.hasPrefix("convolution") } == count, "\(kernels)")
    #expect(kernels.count { $0.hasPrefix("attention") } == 1, "\(kernels)")
    #expect(!kernels.contains { $0.hasPrefix("gather") }, "\(kernels)")
  }

  private func expectSameResults(_ outputs: [Tensor], keep: [String] = []) throws {
    for disabled in [[], [name], ["viewChannels"]] {
      try expectAgreement(
        Model(inputs: [input], outputs: outputs),
        options: CompileOptions(keep: keep, disabledRewrites: Set(disabled)))
    }
  }

  /// Parts [time][C] of a product whose channels are [3][C], or [heads][3][C] with `heads`.
  private func parts(
    channels: Int, heads: Int? = nil, scale: [Float]? = nil
  ) -> [Tensor] {
    let all = input --> LastAxisDense(neurons: 3 * channels, name: "qkv")
    let product = scale.map { all --> Scale(by: $0, name: "scale") } ?? all
    guard let heads else {
      let split = product --> Reshape(to: [7, 3, channels])
      return (0..<3).map { index in
        split --> Gather(indices: [index], axis: 1) --> Reshape(to: [7, channels])
      }
    }
    let split = product --> Reshape(to: [7, heads, 3, channels / heads])
    return (0..<3).map { index in
      split --> Slice(starts: [index], ends: [index + 1], axes: [2])
        --> Reshape(to: [7, channels])
    }
  }

  @Test func wholeBlocksAreViewsOfOneProduct() throws {
    let outputs = [parts(channels: 32) --> ScaledDotProductAttention(heads: 2)]
    try expectProducts(1, outputs)
    #expect(try kernels(outputs, without: [name]).contains { $0.hasPrefix("gather") })
    try expectSameResults(outputs)
    try expectSameResults(outputs, keep: ["qkv"])
  }

  @Test func otherPartsAreProductsOfTheirOwn() throws {
    let scale = (0..<30).map { Float($0) - 11.5 }
    let attention = ScaledDotProductAttention(heads: 2)
    // Products of whole blocks are joined again.
    for (products, outputs) in [
      (3, [parts(channels: 10) --> attention]),
      (3, [parts(channels: 10, scale: scale) --> attention]),
      (3, [parts(channels: 18, heads: 2) --> attention]),
      (3, [parts(channels: 32, heads: 2) --> attention]),
    ] {
      try expectProducts(products, outputs)
      try expectSameResults(outputs)
      try expectSameResults(outputs, keep: ["qkv"])
    }
  }

  /// A product that something reads as a whole is computed once.
  @Test func othersStay() throws {
    let all = input --> LastAxisDense(neurons: 30, name: "qkv")
    let split = all --> Reshape(to: [7, 3, 10])
    func part(_ indices: [Int], _ x: Tensor) -> Tensor {
      x --> Gather(indices: indices, axis: 1)
    }
    let groups: [[Tensor]] = [
      [part([0], split), all], [part([0], split), part([1], split), split --> Unary(.absolute)],
      // Parts that overlap, or whose order changes.
      [part([0, 1], split), part([1, 2], split)], [part([2, 0], split)],
      // Behind a function; positions in place of channels.
      [part([1], split --> Activation(.relu))],
      [all --> Reshape(to: [7, 3, 10]) --> Gather(indices: [2], axis: 0)],
    ]
    for outputs in groups {
      let report = try Model(inputs: [input], outputs: outputs).compile(
        parameters: RandomParameters(seed: 3)
      ).report
      #expect(report.rewrites.first { $0.name == name }?.places == 0)
      try expectSameResults(outputs)
    }
  }
}
