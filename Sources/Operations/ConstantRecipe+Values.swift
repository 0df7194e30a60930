extension ConstantRecipe {
  /// The values of the constant, in row-major order.
  ///
  /// A scaled value is the Float nearest to the product of two Floats, as it will be in memory.
  ///
  /// - Parameter parameter: gives the values of the parameter of an index in Forge's own layout, as
  ///   many as the recipe's sizes say.
  /// - Returns: as many values as the recipe's sizes say.
  /// - Throws: what `parameter` throws.
  package func values<Failure: Error>(
    parameter: (Int) throws(Failure) -> [Float]
  ) throws(Failure) -> [Float] {
    switch self {
    case .parameter(let index):
      return try parameter(index)
    case .literal(let values):
      return values
    case .scaled(let recipe, let axis, let sizes, let factors):
      var values = try recipe.values(parameter: parameter)
      precondition(values.count == sizes.reduce(1, *), "the recipe's sizes are its constant's")
      precondition(factors.count == sizes[axis], "one factor per slice")
      let sliceCount = sizes[(axis + 1)...].reduce(1, *)
      for start in stride(from: 0, to: values.count, by: max(sliceCount, 1)) {
        let factor = factors[start / sliceCount % factors.count]
        for index in start..<start + sliceCount { values[index] *= factor }
      }
      return values
    }
  }
}
