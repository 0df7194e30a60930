extension ConstantRecipe {
  /// The recipe as a key: equal contents are recipes of the same values, bit by bit.
  ///
  /// Recipes that compute equal values in other ways are different.
  package struct Contents: Hashable, Sendable {
    private let recipe: ConstantRecipe

    fileprivate init(_ recipe: ConstantRecipe) { self.recipe = recipe }

    package static func == (one: Contents, other: Contents) -> Bool {
      ConstantRecipe.isSame(one.recipe, other.recipe)
    }

    package func hash(into hasher: inout Hasher) { recipe.hash(into: &hasher) }
  }

  /// The recipe as a key.
  package var contents: Contents { Contents(self) }

  /// The same recipe with other indices of parameters.
  ///
  /// - Parameter index: returns the index for one of this recipe.
  /// - Returns: the recipe; `nil` if a parameter has no index.
  package func renumbered(_ index: (Int) -> Int?) -> ConstantRecipe? {
    switch self {
    case .parameter(let parameter): return index(parameter).map { .parameter($0) }
    case .literal: return self
    case .scaled(let recipe, let axis, let sizes, let factors):
      return recipe.renumbered(index).map { .scaled($0, axis: axis, sizes: sizes, by: factors) }
    case .rounded(let recipe, let scales):
      return recipe.renumbered(index).map { .rounded($0, scales: scales) }
    case .strided(let recipe, let count, let start, let sizes, let strides):
      return recipe.renumbered(index).map {
        .strided($0, count: count, start: start, sizes: sizes, strides: strides)
      }
    case .joined(let recipes, let counts):
      let parts = recipes.compactMap { $0.renumbered(index) }
      return parts.count == recipes.count ? .joined(parts, counts: counts) : nil
    }
  }

  private static func isSame(_ one: ConstantRecipe, _ other: ConstantRecipe) -> Bool {
    switch (one, other) {
    case (.parameter(let a), .parameter(let b)): a == b
    case (.literal(let a), .literal(let b)): hasSameBits(a, b)
    case (
      .scaled(let a, let axis, let sizes, let factors),
      .scaled(let b, let otherAxis, let otherSizes, let otherFactors)
    ):
      axis == otherAxis && sizes == otherSizes && hasSameBits(factors, otherFactors)
        && isSame(a, b)
    case (.rounded(let a, let scales), .rounded(let b, let otherScales)):
      hasSameBits(scales, otherScales) && isSame(a, b)
    case (
      .strided(let a, let count, let start, let sizes, let strides),
      .strided(let b, let otherCount, let otherStart, let otherSizes, let otherStrides)
    ):
      count == otherCount && start == otherStart && sizes == otherSizes
        && strides == otherStrides && isSame(a, b)
    case (.joined(let a, let counts), .joined(let b, let otherCounts)):
      counts == otherCounts && a.count == b.count && zip(a, b).allSatisfy { isSame($0, $1) }
    case (.parameter, _), (.literal, _), (.scaled, _), (.rounded, _), (.strided, _), (.joined, _):
      false
    }
  }

  private static func hasSameBits(_ one: [Float], _ other: [Float]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { $0.bitPattern == $1.bitPattern }
  }

  /// Hashes the structure and a few of the values.
  private func hash(into hasher: inout Hasher) {
    switch self {
    case .parameter(let index):
      hasher.combine(0)
      hasher.combine(index)
    case .literal(let values):
      hasher.combine(1)
      Self.hash(values, into: &hasher)
    case .scaled(let recipe, let axis, let sizes, let factors):
      hasher.combine(2)
      hasher.combine(axis)
      hasher.combine(sizes)
      Self.hash(factors, into: &hasher)
      recipe.hash(into: &hasher)
    case .rounded(let recipe, let scales):
      hasher.combine(3)
      Self.hash(scales, into: &hasher)
      recipe.hash(into: &hasher)
    case .strided(let recipe, _, let start, let sizes, let strides):
      hasher.combine(4)
      hasher.combine(start)
      hasher.combine(sizes)
      hasher.combine(strides)
      recipe.hash(into: &hasher)
    case .joined(let recipes, let counts):
      hasher.combine(5)
      hasher.combine(counts)
      for recipe in recipes { recipe.hash(into: &hasher) }
    }
  }

  private static func hash(_ values: [Float], into hasher: inout Hasher) {
    hasher.combine(values.count)
    for value in values.prefix(4) { hasher.combine(value.bitPattern) }
    for value in values.suffix(4) { hasher.combine(value.bitPattern) }
  }
}
