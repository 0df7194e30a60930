import ForgeOperations
import Testing

/// The values of constants.
@Suite struct ConstantRecipeTests {
  private struct Missing: Error, Equatable {
    let index: Int
  }

  @Test func parametersAndLiterals() {
    let parameters: [[Float]] = [[1], [2, 3]]
    #expect(ConstantRecipe.parameter(1).values { parameters[$0] } == [2, 3])
    #expect(ConstantRecipe.literal([4, 5]).values { parameters[$0] } == [4, 5])
  }

  /// 2×3×2 distinct values: the factor shows the position of a slice.
  @Test(
    arguments: [
      (0, [10, 100], [10, 20, 30, 40, 50, 60, 700, 800, 900, 1000, 1100, 1200]),
      (1, [1, 10, 100], [1, 2, 30, 40, 500, 600, 7, 8, 90, 100, 1100, 1200]),
      (2, [1, 10], [1, 20, 3, 40, 5, 60, 7, 80, 9, 100, 11, 120]),
    ] as [(Int, [Float], [Float])])
  func scalesSlices(_ axis: Int, _ factors: [Float], _ expected: [Float]) {
    let values = (1...12).map(Float.init)
    let recipe = ConstantRecipe.scaled(
      .literal(values), axis: axis, sizes: [2, 3, 2], by: factors)
    #expect(recipe.values { _ in [] } == expected)
  }

  @Test func scalesRepeatedly() {
    let once = ConstantRecipe.scaled(.parameter(0), axis: 0, sizes: [2, 2], by: [2, 3])
    let twice = ConstantRecipe.scaled(once, axis: 1, sizes: [2, 2], by: [5, 7])
    // (1 2 / 3 4) by rows (2, 3), then by columns (5, 7).
    #expect(twice.values { _ in [1, 2, 3, 4] } == [10, 28, 45, 84])
  }

  /// 0.1 · 3 in single precision is 0.3 + 2⁻²⁶: the product is rounded once, to Float.
  @Test func roundsToFloat() {
    let recipe = ConstantRecipe.scaled(.literal([0.1]), axis: 0, sizes: [1], by: [3])
    #expect(recipe.values { _ in [] } == [Float(0.1) * Float(3)])
  }

  /// The same values written into memory of the caller.
  @Test func writtenValuesMatch() {
    let parameters: [[Float]] = [[1, 2, 3, 4], [2, 3]]
    let once = ConstantRecipe.scaled(.parameter(0), axis: 0, sizes: [2, 2], by: [2, 3])
    for recipe in [
      .parameter(1), .literal([4, 5, 6]), once,
      .scaled(once, axis: 1, sizes: [2, 2], by: [5, 7]),
    ] as [ConstantRecipe] {
      let values = recipe.values { parameters[$0] }
      #expect(recipe.count { parameters[$0].count } == values.count)
      var written = Array(repeating: Float.nan, count: values.count)
      written.withUnsafeMutableBufferPointer { memory in
        recipe.write(to: memory) { _ = $1.update(fromContentsOf: parameters[$0]) }
      }
      #expect(written == values)
    }
  }

  @Test func propagatesErrors() {
    let recipe = ConstantRecipe.scaled(.parameter(7), axis: 0, sizes: [1], by: [3])
    #expect(throws: Missing(index: 7)) {
      try recipe.values { (index) throws(Missing) in throw Missing(index: index) }
    }
  }
}
