import Forge
import ForgeTestSupport
import Testing

/// Attention that is written as products of matrices and a softmax.
@Suite struct RecognizeAttentionTests {
  private let name = "recognizeAttention"

  private func constant(_ values: [Float], _ sizes: [Int]) -> Tensor {
    [Tensor]() --> Constant(values, shape: Shape(sizes: sizes))
  }

  /// The heads of a sequence: [positions][heads · channels] as [heads][positions][channels].
  private func heads(_ x: Tensor, _ heads: Int, _ channels: Int) -> Tensor {
    x --> LastAxisDense(neurons: heads * channels) --> Reshape(to: [-1, heads, channels])
      --> Permute(order: [1, 0, 2])
  }

  /// Joins heads and mixes their channels.
  private func joined(_ y: Tensor, _ channels: Int) -> Tensor {
    y --> Permute(order: [1, 0, 2]) --> Reshape(to: [-1, channels]) --> LastAxisDense(neurons: 9)
  }

  private struct Parts {
    let q, k, v: Tensor
    let x: Tensor
  }

  /// Queries of 11 positions, keys and values of 7, with 3 heads of 5 and 4 channels.
  private func parts() -> (Parts, [Tensor]) {
    let (x, z) = (Input(shape: [11, 15]), Input(shape: [7, 13]))
    let parts = Parts(q: heads(x, 3, 5), k: heads(z, 3, 5), v: heads(z, 3, 4), x: x)
    return (parts, [x, z])
  }

  private func scores(_ parts: Parts) -> Tensor {
    [parts.q, parts.k] --> MatMul(transposeB: true)
  }

  private func expect(
    _ output: Tensor, _ inputs: [Tensor],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let plan = try expectRewrite(
      name, places: 1, inputs: inputs, outputs: [output], sourceLocation: sourceLocation)
    #expect(
      plan.filter { $0 != "copy" } == [
        "convolution", "convolution", "convolution", "attention", "convolution",
      ], "\(plan)", sourceLocation: sourceLocation)
  }

  @Test func factorsOfTheScores() throws {
    let (parts, inputs) = parts()
    let spellings: [Tensor] = [
      scores(parts) --> Scale(0.3), [scores(parts), constant([0.3], [1])] --> Multiply(),
      [scores(parts), constant([2.5], [1])] --> Divide(), scores(parts),
    ]
    for spelling in spellings {
      let output = joined([spelling --> Softmax(axis: 2), parts.v] --> MatMul(), 12)
      try expect(output, inputs)
    }
  }

  /// As PyTorch writes it: a root of the factor at the queries and at the keys.
  @Test func factorsOfTheOperands() throws {
    let (parts, inputs) = parts()
    let keys = parts.k --> Permute(order: [0, 2, 1]) --> Scale(0.6)
    let weights = [parts.q --> Scale(0.6), keys] --> MatMul() --> Softmax(axis: 2)
    try expect(joined([weights, parts.v] --> MatMul(), 12), inputs)
  }

  @Test func addedMasks() throws {
    let (parts, inputs) = parts()
    for sizes in [[7], [1, 7], [11, 7], [1, 11, 7], [3, 1, 7], [3, 11, 7]] {
      let count = sizes.reduce(1, *)
      let mask = seededValues(count: count, seed: 3).map { $0 < 0 ? $0 : -10_000 * $0 }
      let scored = [scores(parts) --> Scale(0.4), constant(mask, sizes)] --> Add()
      let output = joined([scored --> Softmax(axis: 2), parts.v] --> MatMul(), 12)
      try expect(output, inputs)
    }
  }

  /// A mask that a prediction computes: (1 − m)·(−10000), with a head and a query for all.
  @Test func computedMasks() throws {
    let (parts, inputs) = parts()
    let m = Input(shape: [1, 1, 7])
    let mask = m --> Scale(-1, bias: 1) --> Scale(-10_000)
    let scored = [mask, scores(parts) --> Scale(0.4)] --> Add()
    let output = joined([scored --> Softmax(axis: 2), parts.v] --> MatMul(), 12)
    let plan = try expectRewrite(name, places: 1, inputs: inputs + [m], outputs: [output])
    #expect(
      plan.contains("attention") && !plan.contains("softmax") && !plan.contains("add"), "\(plan)")
  }

  @Test func masksThatSelect() throws {
    let (parts, inputs) = parts()
    let visible = (0..<77).map { Float($0 % 3 == 0 || $0 % 7 == 0 ? 1 : 0) }
    let hidden = visible.map { 1 - $0 }
    for (mask, number, isVisible) in [
      (visible, -Float.infinity, true), (hidden, -Float.infinity, false),
      (visible, -3.4e38, true), (hidden, -1e9, false),
    ] {
      let (condition, other) = (constant(mask, [11, 7]), constant([number], [1]))
      let all = scores(parts) --> Scale(0.4)
      let scored =
        isVisible ? [condition, all, other] --> Where() : [condition, other, all] --> Where()
      let weights = scored --> Softmax(axis: 2)
      try expect(joined([weights, parts.v] --> MatMul(), 12), inputs)
      // A number that is not so small is a score like others.
      let small = [condition, all, constant([-5], [1])] --> Where()
      try expectRewrite(
        name, places: 0, inputs: inputs,
        outputs: [joined([small --> Softmax(axis: 2), parts.v] --> MatMul(), 12)])
    }
  }

  /// Later keys are hidden by a constant, behind a guard against NaN; the mask itself is not
  /// needed.
  @Test func causalMasks() throws {
    let x = Input(shape: [11, 15])
    let (q, k, v) = (heads(x, 3, 5), heads(x, 3, 5), heads(x, 3, 4))
    let mask = (0..<121).map { $0 % 11 > $0 / 11 ? -Float.infinity : 0 }
    let scored =
      [
        [q, k] --> MatMul(transposeB: true) --> Scale(0.4), constant(mask, [1, 11, 11]),
      ] --> Add()
    let weights = scored --> Softmax(axis: 2)
    let guarded = [weights --> Unary(.isNaN), constant([0], [1]), weights] --> Where()
    let output = joined([guarded, v] --> MatMul(), 12)
    let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
    #expect(plan.count { $0 == "attention" } == 1 && !plan.contains("select"), "\(plan)")
  }

  /// As tf2onnx writes a selection: scores · mask + number · (1 − mask), the same for every head.
  @Test func selectionsInArithmetic() throws {
    let x = Input(shape: [11, 15])
    let (q, k, v) = (heads(x, 3, 5), heads(x, 3, 5), heads(x, 3, 4))
    for isCausal in [true, false] {
      let visible = (0..<363).map { place -> Float in
        let (query, key) = (place % 121 / 11, place % 11)
        return (isCausal ? key <= query : (query + 2 * key + place / 121) % 3 != 0) ? 1 : 0
      }
      let all = [q, k] --> MatMul(transposeB: true) --> Scale(0.4)
      let kept = [constant(visible, [3, 11, 11]), all] --> Multiply()
      let fill = constant(visible.map { $0 == 0 ? -2.4e38 : 0 }, [3, 11, 11])
      let weights = [kept, fill] --> Add() --> Softmax(axis: 2)
      let output = joined([weights, v] --> MatMul(), 12)
      let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
      #expect(plan.contains("attention") && !plan.contains("multiply"), "\(plan)")
    }
  }

  @Test func cappedScores() throws {
    let (parts, inputs) = parts()
    let capped = scores(parts) --> Scale(0.2) --> Activation(.tanh) --> Scale(1.5)
    try expect(joined([capped --> Softmax(axis: 2), parts.v] --> MatMul(), 12), inputs)
  }

  /// Two heads of the keys and values, each repeated for three of the queries.
  @Test func sharedHeads() throws {
    let x = Input(shape: [11, 15])
    let q = heads(x, 6, 4)
    func shared(_ channels: Int) -> Tensor {
      heads(x, 2, channels) --> Reshape(to: [2, 1, 11, channels])
        --> Expand(to: [2, 3, 11, channels]) --> Reshape(to: [6, 11, channels])
    }
    let weights = [q, shared(4)] --> MatMul(transposeB: true) --> Scale(0.5) --> Softmax(axis: 2)
    let output = joined([weights, shared(3)] --> MatMul(), 18)
    let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
    #expect(plan.contains("attention") && !plan.contains("expand"), "\(plan)")
  }

  /// Rows beside each other, whose heads are one axis with them or two.
  @Test func rowsOfSequences() throws {
    let x = Input(shape: [2, 5, 12])
    for merged in [false, true] {
      func heads(_ channels: Int) -> Tensor {
        let separate =
          x --> LastAxisDense(neurons: 3 * channels) --> Reshape(to: [2, 5, 3, channels])
          --> Permute(order: [0, 2, 1, 3])
        return merged ? separate --> Reshape(to: [6, 5, channels]) : separate
      }
      let axis = merged ? 2 : 3
      let scores = [heads(4), heads(4)] --> MatMul(transposeB: true) --> Scale(0.5)
      let means = [scores --> Softmax(axis: axis), heads(7)] --> MatMul()
      let separate = merged ? means --> Reshape(to: [2, 3, 5, 7]) : means
      let output =
        separate --> Permute(order: [0, 2, 1, 3]) --> Reshape(to: [2, 5, 21])
        --> LastAxisDense(neurons: 4)
      let plan = try expectRewrite(name, places: 1, inputs: [x], outputs: [output])
      #expect(
        plan.filter { $0 != "copy" } == [
          "convolution", "convolution", "convolution", "attention", "convolution",
        ], "\(plan)")
    }
  }

  /// Matrices of heads that were never separated from a sequence.
  @Test func headsThatAreInputs() throws {
    let inputs = [Input(shape: [3, 11, 5]), Input(shape: [3, 7, 5]), Input(shape: [3, 7, 4])]
    let weights = [inputs[0], inputs[1]] --> MatMul(transposeB: true) --> Softmax(axis: 2)
    try expectRewrite(
      name, places: 1, inputs: inputs, outputs: [[weights, inputs[2]] --> MatMul()])
  }

  @Test func whatIsNoAttentionStays() throws {
    let (parts, inputs) = parts()
    let weights = scores(parts) --> Softmax(axis: 2)
    // Somebody else reads the weights.
    try expectRewrite(
      name, places: 0, inputs: inputs,
      outputs: [joined([weights, parts.v] --> MatMul(), 12), weights])
    // A factor behind a mask is one of the mask too.
    let masked = [scores(parts), constant([Float](repeating: -2, count: 77), [11, 7])] --> Add()
    let scaled = masked --> Scale(0.5) --> Softmax(axis: 2)
    try expectRewrite(
      name, places: 0, inputs: inputs,
      outputs: [joined([scaled, parts.v] --> MatMul(), 12)])
    // A softmax over the queries.
    try expectRewrite(
      name, places: 0, inputs: inputs,
      outputs: [joined([scores(parts) --> Softmax(axis: 1), parts.v] --> MatMul(), 12)])
  }
}
