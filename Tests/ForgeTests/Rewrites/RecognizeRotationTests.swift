import Forge
import ForgeTestSupport
import Testing

/// Rotary positions that are written as products, slices, negations and concatenations.
@Suite struct RecognizeRotationTests {
  private let name = "recognizeRotation"

  private func constant(_ sizes: [Int], seed: UInt64) -> Tensor {
    let values = seededValues(count: sizes.reduce(1, *), seed: seed)
    return [Tensor]() --> Constant(values, shape: Shape(sizes: sizes))
  }

  /// Channels first ..< end of the last axis of a tensor of rank 3.
  private func part(_ x: Tensor, _ first: Int, _ end: Int, step: Int = 1) -> Tensor {
    x --> Slice(starts: [first], ends: [end], axes: [2], steps: [step])
  }

  /// [−second half, first half].
  private func turnedHalves(_ x: Tensor, _ channels: Int) -> Tensor {
    let (first, second) = (part(x, 0, channels / 2), part(x, channels / 2, channels))
    return [second --> Unary(.negate), first] --> Concatenate(axis: 2)
  }

  /// [−x1, x0, −x3, x2, …], by another axis.
  private func turnedNeighbors(_ x: Tensor, _ outer: [Int], _ channels: Int) -> Tensor {
    let parts = [
      part(x, 1, channels, step: 2) --> Scale(-1), part(x, 0, channels, step: 2),
    ].map { $0 --> Reshape(to: outer + [channels / 2, 1]) }
    return parts --> Concatenate(axis: 3) --> Reshape(to: outer + [channels])
  }

  private func rotated(
    _ x: Tensor, _ turned: Tensor, _ cosines: Tensor, _ sines: Tensor
  )
    -> Tensor
  {
    [[x, cosines] --> Multiply(), [sines, turned] --> Multiply()] --> Add()
  }

  /// [positions][heads][channels], made of a product.
  private func heads(_ x: Tensor, _ heads: Int, _ channels: Int) -> Tensor {
    x --> LastAxisDense(neurons: heads * channels) --> Reshape(to: [-1, heads, channels])
  }

  @Test func halvesOfHeadsBehindAProduct() throws {
    let x = Input(shape: [11, 15])
    let q = heads(x, 3, 10)
    let output = rotated(
      q, turnedHalves(q, 10), constant([11, 1, 10], seed: 1), constant([11, 1, 10], seed: 2))
    let plan = try expectRewrite(
      name, places: 1, inputs: [x], outputs: [output --> Reshape(to: [11, 30])])
    #expect(plan.filter { $0 != "copy" } == ["convolution", "rotate"])
  }

  /// The heads come before the positions, and the cosines are for all heads.
  @Test func permutedHeads() throws {
    let x = Input(shape: [11, 15])
    let q = heads(x, 3, 10) --> Permute(order: [1, 0, 2])
    let output = rotated(
      q, turnedHalves(q, 10), constant([11, 10], seed: 1), constant([11, 10], seed: 2))
    let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
    #expect(plan.filter { $0 != "copy" } == ["convolution", "rotate"])
  }

  @Test func neighbors() throws {
    let x = Input(shape: [7, 15])
    let q = heads(x, 3, 10)
    let output = rotated(
      q, turnedNeighbors(q, [7, 3], 10), constant([7, 1, 10], seed: 1),
      constant([7, 1, 10], seed: 2))
    let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
    #expect(plan.filter { $0 != "copy" } == ["convolution", "rotate"])
  }

  /// The first six of ten channels turn, the others follow.
  @Test func someChannelsStay() throws {
    let x = Input(shape: [11, 15])
    let q = heads(x, 3, 10)
    let first = part(q, 0, 6)
    let turned = rotated(
      first, turnedHalves(first, 6), constant([11, 1, 6], seed: 1), constant([11, 1, 6], seed: 2))
    let output = [turned, part(q, 6, 10)] --> Concatenate(axis: 2)
    let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
    #expect(plan.filter { $0 != "copy" } == ["convolution", "rotate"])
    // Another order of the parts is not a rotation of the whole.
    let swapped = [part(q, 6, 10), turned] --> Concatenate(axis: 2)
    let other = try expectRewrite(name, places: 1, inputs: [x], outputs: [swapped])
    #expect(other.contains("rotate") && other.contains { $0 != "copy" && $0 != "rotate" })
  }

  /// Cosines and sines that a prediction computes, of each row.
  @Test func computedFactors() throws {
    let (x, angles) = (Input(shape: [2, 11, 15]), Input(shape: [2, 11, 10]))
    let q = x --> LastAxisDense(neurons: 30) --> Reshape(to: [2, 11, 3, 10])
    let halves = [(5, 10), (0, 5)].map { first, end in
      q --> Slice(starts: [first], ends: [end], axes: [3])
    }
    let turned = [halves[0] --> Unary(.negate), halves[1]] --> Concatenate(axis: 3)
    let factors = [UnaryFunction.cosine, .sine].map {
      angles --> Unary($0) --> Reshape(to: [2, 11, 1, 10])
    }
    let output = rotated(q, turned, factors[0], factors[1])
    let plan = try expectRewrite(name, places: 1, inputs: [x, angles], outputs: [output])
    #expect(plan.contains("rotate") && !plan.contains("multiply"), "\(plan)")
  }

  /// Heads that turn by angles of their own are positions of as many rows.
  @Test func factorsOfEachHead() throws {
    let x = Input(shape: [11, 15])
    let q = heads(x, 3, 10)
    let output = rotated(
      q, turnedHalves(q, 10), constant([11, 3, 10], seed: 1), constant([11, 3, 10], seed: 2))
    let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
    #expect(plan.contains("rotate") && !plan.contains("multiply"), "\(plan)")
  }

  /// With attention the heads stay where they are, and the three products become one.
  @Test func queriesAndKeysOfAttention() throws {
    let x = Input(shape: [11, 15])
    let (cosines, sines) = (constant([11, 1, 16], seed: 1), constant([11, 1, 16], seed: 2))
    let parts = (0..<3).map { _ in heads(x, 2, 16) }
    let turned = parts.prefix(2).map { rotated($0, turnedHalves($0, 16), cosines, sines) }
    let (q, k, v) = (
      turned[0] --> Permute(order: [1, 0, 2]), turned[1] --> Permute(order: [1, 2, 0]),
      parts[2] --> Permute(order: [1, 0, 2])
    )
    let weights = [q, k] --> MatMul() --> Scale(0.25) --> Softmax(axis: 2)
    let means = [weights, v] --> MatMul() --> Permute(order: [1, 0, 2])
    let plan = try expectRewrite(
      name, places: 2, inputs: [x], outputs: [means --> Reshape(to: [11, 32])])
    #expect(
      plan.filter { $0 != "copy" } == ["convolution", "rotate", "rotate", "attention"], "\(plan)")
  }

  /// Other signs and other partners are computed as written.
  @Test func othersStay() throws {
    let x = Input(shape: [11, 15])
    let q = heads(x, 3, 10)
    let (cosines, sines) = (constant([11, 1, 10], seed: 1), constant([11, 1, 10], seed: 2))
    let (first, second) = (part(q, 0, 5), part(q, 5, 10))
    let others: [Tensor] = [
      [second, first] --> Concatenate(axis: 2),
      [second, first --> Unary(.negate)] --> Concatenate(axis: 2),
      [first --> Unary(.negate), second] --> Concatenate(axis: 2),
      [part(q, 4, 9) --> Unary(.negate), first] --> Concatenate(axis: 2),
    ]
    for other in others {
      try expectRewrite(
        name, places: 0, inputs: [x], outputs: [rotated(q, other, cosines, sines)])
    }
    // The partners are those of other heads.
    let z = heads(x, 3, 10)
    try expectRewrite(
      name, places: 0, inputs: [x], outputs: [rotated(q, turnedHalves(z, 10), cosines, sines)])
  }
}
