import ForgeShapes
import Testing

/// An image's shape, short enough for tables.
func image(_ width: Int?, _ height: Int?, _ channels: Int?) -> Shape {
  Shape(width: width, height: height, channels: channels)
}

/// Expects a rule to be broken in exactly these words.
func expectError(
  _ kind: ShapeError.Kind, _ text: String, at place: SourceLocation = #_sourceLocation,
  _ rule: () throws -> Void
) {
  let error = #expect(throws: ShapeError.self, sourceLocation: place) { try rule() }
  #expect(error?.kind == kind, sourceLocation: place)
  #expect(error?.description == text, sourceLocation: place)
}

@Suite struct ShapeTests {
  @Test func imageSizesAreInMemoryOrder() {
    let shape = image(28, 20, 3)
    #expect(shape.dimensions == [20, 28, 3])
    #expect(shape == Shape([20, 28, 3]))
    #expect(shape == Shape(sizes: [20, 28, 3]))
    #expect(shape.width == 28)
    #expect(shape.height == 20)
    #expect(shape.channels == 3)
    #expect(shape.isImage)
    #expect(shape.rank == 3)
    #expect(shape.elementCount == 1680)
    #expect(shape.sizes == [20, 28, 3])
    #expect(shape.isKnown)
  }

  @Test func vectorsAreSinglePixelImages() {
    #expect(Shape.vector(10) == image(1, 1, 10))
  }

  @Test func unknownSizes() {
    let shape = image(nil, 20, 3)
    #expect(shape.width == nil)
    #expect(shape.height == 20)
    #expect(shape.sizes == nil)
    #expect(shape.elementCount == nil)
    #expect(!shape.isKnown)
    #expect(shape != image(20, nil, 3))
    #expect(image(1, 1, nil).channels == nil)
  }

  @Test func otherRanks() {
    let shape = Shape(sizes: [2, 5])
    #expect(shape.width == nil)
    #expect(shape.height == nil)
    #expect(shape.channels == 5)
    #expect(!shape.isImage)
    #expect(shape.elementCount == 10)
    #expect(Shape([]).channels == nil)
    #expect(Shape([]).elementCount == 1)
    #expect(Shape.maximumRank == 8)
  }

  @Test func axes() {
    #expect(Shape([]).axes == [])
    #expect(Shape(sizes: [5]).axes == [.channels])
    #expect(Shape(sizes: [2, 5]).axes == [.time, .channels])
    #expect(image(1, 2, 3).axes == [.height, .width, .channels])
    #expect(Shape(sizes: [1, 2, 3, 4]).axes == Array(repeating: .unnamed, count: 4))
  }

  @Test func texts() {
    #expect(image(28, 20, 3).description == "28×20×3 (width×height×channels)")
    #expect(image(nil, 20, nil).description == "?×20×? (width×height×channels)")
    #expect(Shape(sizes: [2, 5]).description == "2×5 (in memory order)")
    #expect(image(28, 20, 3).sizeText == "28×20×3")
    #expect(image(28, nil, 3).tupleText == "(28, ?, 3)")
    #expect(Shape(sizes: [1, 2, 3, 4]).tupleText == "(1, 2, 3, 4)")
    #expect(Shape([]).description == " (in memory order)")
  }

  @Test(
    arguments: [
      ([], []), ([7], [1]), ([2, 3, 4], [12, 4, 1]), ([5, 0, 3, 2], [0, 6, 2, 1]),
      ([1, 1], [1, 1]),
      ([2, .max, .max, 3], [.max, .max, 3, 1]),
    ] as [([Int], [Int])])
  func strides(sizes: [Int], strides: [Int]) {
    #expect(Shape.strides(of: sizes) == strides)
  }

  @Test(
    arguments: [
      ([], [], []), ([], [2, 3], [0, 0]), ([3], [2, 3], [0, 1]),
      ([2, 1, 3], [2, 5, 3], [3, 0, 1]),
      ([1, 4], [7, 5, 4], [0, 0, 1]), ([1], [1], [0]),
    ] as [([Int], [Int], [Int])])
  func broadcastStrides(sizes: [Int], target: [Int], strides: [Int]) {
    #expect(Shape.strides(of: sizes, broadcastTo: target) == strides)
  }

  @Test(
    arguments: [
      ([], 1), ([7], 7), ([3, 5, 7], 105), ([0, 5], 0), ([1 << 20, 1 << 20], 1 << 40),
      ([(1 << 20) + 1, 1 << 20], nil), ([1 << 41], nil), ([.max], nil), ([.max, .max], nil),
      ([1 << 32, 1 << 32], nil), ([-1], nil), ([-1, -1], nil), ([.min, .min], nil), ([0, -1], nil),
      ([0, .max], 0), ([2, 0, .min], nil),
    ] as [([Int], Int?)])
  func products(sizes: [Int], product: Int?) {
    #expect(Shape.product(of: sizes) == product)
    #expect(Shape(sizes: sizes).elementCount == product)
  }
}

@Suite struct SizeTests {
  @Test func sizes() {
    let size = Size((width: 5, height: 3))
    #expect(size == Size(width: 5, height: 3))
    #expect(size.width == 5)
    #expect(size.height == 3)
    #expect(size != Size(width: 3, height: 5))
    #expect(size.description == "5×3")
    #expect(Size.one == Size(width: 1, height: 1))
  }

  @Test(arguments: [(1, 1, true), (0, 1, false), (1, 0, false), (.min, .max, false)])
  func positive(width: Int, height: Int, isPositive: Bool) {
    #expect(Size(width: width, height: height).isPositive == isPositive)
  }

  @Test func edges() {
    let edges = Edges(top: 1, left: 2, bottom: 3, right: 4)
    #expect([edges.top, edges.left, edges.bottom, edges.right] == [1, 2, 3, 4])
    #expect(edges.description == "top 1, left 2, bottom 3, right 4")
    #expect(Edges(all: 5) == Edges(top: 5, left: 5, bottom: 5, right: 5))
    #expect(Edges() == .none)
    #expect(Edges.none == Edges(all: 0))
    #expect(Edges(left: 7) == Edges(top: 0, left: 7, bottom: 0, right: 0))
    #expect(
      edges + Edges(top: 10, left: 20, bottom: 30, right: 40)
        == Edges(top: 11, left: 22, bottom: 33, right: 44))
  }

  @Test(arguments: [0, 1, 2, 3]) func negativeEdges(edge: Int) {
    var amounts = [0, 0, 0, 0]
    amounts[edge] = -1
    let edges = Edges(top: amounts[0], left: amounts[1], bottom: amounts[2], right: amounts[3])
    #expect(!edges.isNonNegative)
    #expect(Edges.none.isNonNegative)
  }

  @Test func paddings() {
    #expect(Padding.same.description == ".same")
    #expect(Padding.valid.description == ".valid")
    #expect(Padding.explicit(left: 2) == .edges(Edges(left: 2)))
    #expect(
      Padding.explicit(top: 1, bottom: 2).description
        == ".explicit(top 1, left 0, bottom 2, right 0)")
  }
}

@Suite struct ElementTypeTests {
  @Test func byteCounts() {
    let counts = ElementType.allCases.map { "\($0.rawValue) \($0.byteCount)" }
    #expect(
      counts == [
        "f32 4", "f16 2", "bf16 2", "f64 8", "i8 1", "u8 1", "i32 4", "i64 8", "bool 1",
      ])
  }
}
