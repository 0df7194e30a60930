import ForgeLayers
import ForgeShapes
import ForgeTestSupport
import Testing

@Suite struct MatMulTests {
  @Test(arguments: [
    ([[2, 3], [3, 4]], [2, 4]), ([[5, 2, 3], [3, 4]], [5, 2, 4]),
    ([[5, 1, 2, 3], [6, 3, 4]], [5, 6, 2, 4]), ([[7, 1, 3], [1, 3, 1]], [7, 1, 1]),
  ])
  func shapes(_ inputs: [[Int]], _ output: [Int]) throws {
    #expect(try MatMul().outputShape(for: inputs.map { Shape(sizes: $0) }).sizes == output)
  }

  @Test func transposedShapes() throws {
    let shapes = [Shape(sizes: [9, 3, 2]), Shape(sizes: [9, 4, 3])]
    #expect(
      try MatMul(transposeA: true, transposeB: true).outputShape(for: shapes).sizes == [9, 2, 4])
    #expect(
      try MatMul().multiplyAdds(for: [Shape(sizes: [6, 2, 3]), Shape(sizes: [3, 5])]) == 180)
  }

  @Test(arguments: [[[2, 3], [2, 3]], [[3], [3, 2]], [[4, 2, 3], [5, 3, 2]], [[2, 3]]])
  func mistakes(_ inputs: [[Int]]) {
    #expect(throws: ShapeError.self) {
      try MatMul().outputShape(for: inputs.map { Shape(sizes: $0) })
    }
  }

  @Test func lastAxisDenseKeepsOtherAxes() throws {
    let layer = LastAxisDense(neurons: 5)
    for sizes in [[7], [3, 7], [2, 3, 7], [2, 3, 4, 7]] {
      #expect(
        try layer.outputShape(for: [Shape(sizes: sizes)]).sizes == sizes.dropLast() + [5])
      let parameters = try layer.parameters(for: [Shape(sizes: sizes)])
      #expect(parameters.map(\.count) == [35, 5])
    }
    #expect(throws: ShapeError.self) {
      try LastAxisDense(neurons: 0).outputShape(for: [Shape(sizes: [7])])
    }
  }
}
