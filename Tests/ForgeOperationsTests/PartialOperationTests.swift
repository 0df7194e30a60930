import ForgeOperations
import ForgeShapes
import ForgeTestSupport
import Testing

/// Parts of results against the same part of the whole result.
@Suite struct PartialOperationTests {
  /// An operation and the sizes of its operands.
  struct Case: CustomTestStringConvertible {
    let primitive: Primitive
    let operands: [[Int]]
    /// Whether some boxes need the whole result.
    var needsWhole = false

    var testDescription: String { "\(primitive.name) \(operands)" }
  }

  private static func window(
    _ kernel: (Int, Int), stride: (Int, Int) = (1, 1), dilation: (Int, Int) = (1, 1),
    padding: Padding = .valid, rounding: WindowRounding = .floor
  ) -> ConvolutionGeometry {
    ConvolutionGeometry(
      kernel: Size(width: kernel.0, height: kernel.1),
      stride: Size(width: stride.0, height: stride.1),
      dilation: Size(width: dilation.0, height: dilation.1), padding: padding, rounding: rounding)
  }

  private static let windows = [
    window((3, 3), padding: .same), window((1, 1)), window((5, 2), stride: (2, 3), padding: .same),
    window((3, 3), dilation: (2, 3), padding: .edges(Edges(top: 4, left: 1, bottom: 0, right: 7))),
    window((2, 2), stride: (2, 2)), window((3, 3), stride: (2, 2), rounding: .ceiling),
    window((1, 2), stride: (3, 1), padding: .edges(Edges(top: 1, left: 0, bottom: 1, right: 0))),
  ]

  static let cases: [Case] =
    windows.flatMap { window in
      [
        Case(
          primitive: .convolution(window, outputs: 5, groups: 1),
          operands: [
            [11, 13, 3], [5, window.kernel.height, window.kernel.width, 3], [5],
          ], needsWhole: true),
        Case(
          primitive: .convolution(window, outputs: 6, groups: 2),
          operands: [[11, 13, 4], [6, window.kernel.height, window.kernel.width, 2]],
          needsWhole: true),
        Case(
          primitive: .depthwiseConvolution(window, multiplier: 1),
          operands: [
            [11, 13, 4], [4, 1, window.kernel.height, window.kernel.width], [4],
          ], needsWhole: true),
        Case(
          primitive: .depthwiseConvolution(window, multiplier: 2),
          operands: [[11, 13, 3], [3, 2, window.kernel.height, window.kernel.width]],
          needsWhole: true),
        Case(
          primitive: .pooling(.maximum, window), operands: [[11, 13, 3]], needsWhole: true),
        Case(
          primitive: .pooling(.averageInside, window), operands: [[11, 13, 3]], needsWhole: true),
        Case(
          primitive: .pooling(.averageAll, window), operands: [[11, 13, 3]], needsWhole: true),
      ]
    } + [
      Case(primitive: .globalPooling(.averageAll), operands: [[5, 3, 7]]),
      Case(primitive: .dense(outputs: 7), operands: [[2, 3, 5], [7, 2, 3, 5], [7]]),
      Case(primitive: .activation(.relu), operands: [[5, 3, 7]]),
      Case(primitive: .unary(.absolute), operands: [[5, 3, 2, 2]]),
      Case(primitive: .binary(.subtract), operands: [[5, 1, 7], [3, 1]]),
      Case(primitive: .binary(.multiply), operands: [[7], [2, 5, 3, 7]]),
      Case(primitive: .select, operands: [[1, 3, 7], [5, 3, 1], [5, 3, 7]]),
      Case(primitive: .affine, operands: [[5, 3, 7], [7], [7]]),
      Case(
        primitive: .batchNormalization(epsilon: 0.1),
        operands: [[5, 3, 7], [7], [7], [7], [7]]),
      Case(
        primitive: .normalize(
          Normalization(extent: .lastAxes(2), kind: .standard, epsilon: 0.1)),
        operands: [[5, 2, 3, 4], [3, 4], [3, 4]], needsWhole: true),
      Case(primitive: .softmax(logarithm: true), operands: [[5, 3, 7]], needsWhole: true),
      Case(primitive: .reduceRows(.mean), operands: [[5, 3, 7]]),
      Case(
        primitive: .quantize(Quantization(scale: 0.1, zeroPoint: 3, storage: .int8)),
        operands: [[5, 3, 7]]),
      Case(
        primitive: .dequantize(Quantization(scale: 0.1, zeroPoint: 3, storage: .int8)),
        operands: [[5, 3, 7]]),
      Case(
        primitive: .slice(starts: [1, 0, 2], sizes: [3, 3, 2], steps: [1, 1, 3]),
        operands: [[5, 3, 7]]),
      Case(
        primitive: .crop(Edges(top: 1, left: 2, bottom: 0, right: 1)), operands: [[5, 6, 3]]),
      Case(primitive: .gatherChannels([6, 0, 1, 2, 2]), operands: [[2, 3, 7]]),
      Case(
        primitive: .gather(axis: 1, indices: [-1, 2, 3, 4, -1], value: 7),
        operands: [[2, 6, 3]], needsWhole: true),
      Case(primitive: .gather(axis: -1, indices: [3, 4, 5], value: 0), operands: [[2, 6]]),
      Case(primitive: .permute([2, 0, 3, 1]), operands: [[2, 3, 4, 5]]),
      Case(primitive: .expand([4, 3, 5]), operands: [[1, 3, 1]]),
      Case(
        primitive: .pad(Edges(top: 1, left: 2, bottom: 3, right: 0)), operands: [[5, 3, 2]],
        needsWhole: true),
      Case(primitive: .concatenate(axis: 1), operands: [[2, 3, 5], [2, 1, 5], [2, 4, 5]]),
      Case(primitive: .matrixProduct, operands: [[3, 1, 5, 4], [2, 4, 7]]),
      Case(primitive: .matrixProduct, operands: [[5, 4], [4, 7]]),
      Case(primitive: .reshape([3, -1, 7]), operands: [[3, 2, 5, 7]], needsWhole: true),
      Case(primitive: .reshape([1, 6, 5, 1]), operands: [[6, 1, 5]]),
      Case(primitive: .reshape([4, 6, 5]), operands: [[24, 5]], needsWhole: true),
      Case(primitive: .reshape([24, 5]), operands: [[4, 6, 5]], needsWhole: true),
      Case(
        primitive: .attention(AttentionRule(heads: 4, groups: 2, causalOffset: -1)),
        operands: [[2, 5, 12], [2, 6, 6], [2, 6, 4]], needsWhole: true),
      Case(
        primitive: .attention(AttentionRule(heads: 2, mask: .added)),
        operands: [[2, 5, 6], [2, 3, 6], [2, 3, 4], [2, 1, 5, 3]], needsWhole: true),
    ]

  @Test(arguments: cases)
  func partIsThatOfWhole(_ test: Case) throws {
    let operation = try #require(test.primitive.operation as? any PartialOperation)
    var random = SplitMix64(seed: 7)
    let operands = try test.operands.map { sizes in
      try ReferenceTensor(
        sizes: sizes,
        values: (0..<sizes.reduce(1, *)).map { _ in Double(Int.random(in: 1...40, using: &random)) }
      )
    }
    let whole = try test.primitive.reference(on: operands)
    var computed = 0
    for _ in 0..<80 {
      let part = TensorPart(
        whole.sizes.map { size in
          if Bool.random(using: &random) { return 0..<size }
          let first = Int.random(in: 0..<size, using: &random)
          return first..<Int.random(in: first + 1...size, using: &random)
        })
      guard let computation = operation.computation(of: part, from: test.operands) else {
        #expect(test.needsWhole)
        continue
      }
      computed += 1
      let parts = try computation.operands.map { try taken($0.part, of: operands[$0.position]) }
      let primitive = computation.primitive ?? test.primitive
      let shape = try primitive.checkedShape(for: parts.map { Shape(sizes: $0.sizes) })
      #expect(shape.sizes == part.sizes)
      #expect(try primitive.reference(on: parts) == taken(part, of: whole), "\(part)")
    }
    #expect(computed > 5)
  }

  private func taken(_ part: TensorPart, of tensor: ReferenceTensor) throws -> ReferenceTensor {
    try Primitive.slice(
      starts: part.ranges.map(\.lowerBound), sizes: part.sizes, steps: part.ranges.map { _ in 1 }
    ).reference(on: [tensor])
  }

  /// Only what the part reads is read.
  @Test func partsAreSmallest() throws {
    let convolution = Primitive.convolution(Self.windows[0], outputs: 5, groups: 1)
    let operation = try #require(convolution.operation as? any PartialOperation)
    let computation = try #require(
      operation.computation(
        of: TensorPart([0..<2, 4..<7, 1..<3]), from: [[11, 13, 3], [5, 3, 3, 3], [5]]))
    #expect(
      computation.operands.map(\.part.ranges) == [
        [0..<3, 3..<8, 0..<3], [1..<3, 0..<3, 0..<3, 0..<3], [1..<3],
      ])
    guard case .convolution(let geometry, outputs: 2, groups: 1)? = computation.primitive else {
      Issue.record("\(String(describing: computation.primitive))")
      return
    }
    #expect(geometry.padding == .edges(Edges(top: 1, left: 0, bottom: 0, right: 0)))
  }
}
