import Forge

/// One operator of ONNX: all that Forge knows of it.
///
/// Every fact is stated, so that what an operator does not have is written down too. The value
/// stands in the file of the operator's family and in the family's list.
struct ONNXOperator: Sendable {
  /// Imports a node: reads its inputs and attributes, and sets its outputs.
  typealias Import = @Sendable (inout ONNXCall) throws -> Void

  /// How a node of known values is computed while importing.
  enum Fold: Sendable {
    /// It is not: a network computes it.
    case none
    /// If all inputs are known; the function returns whether it did.
    case known(ONNXFolding.Fold)
    /// The same for an operator that takes rows of a table: a large table stays a weight where the
    /// rows follow the length of a sequence.
    case rows(ONNXFolding.Fold)
    /// Whether or not the inputs are known, because only their sizes count.
    case always(ONNXFolding.Fold)
  }

  /// What happens to sequences whose length predictions choose.
  enum Length: Sendable {
    /// The node is refused.
    case refused
    /// The import depends on no size along the length, so what it makes is right for all.
    case followed
    /// The node is imported in another way.
    case importedBy(Import)
  }

  /// What the operator does to numbers that follow the length of a sequence, such as its sizes.
  enum Sizes: Sendable {
    /// Nothing.
    case none
    /// It moves those of some inputs.
    case moved(@Sendable (_ input: Int) -> Bool)
    /// It computes others.
    case computed(ONNXLengthFolding.Rule)
    /// It makes such numbers of the sizes of its input.
    case measured(ONNXLengths.Measure)
  }

  /// What the operator does to an open size, such as the number of examples of a batch.
  enum Examples: Sendable {
    /// It mixes examples, or that is not known.
    case mixed
    /// It keeps them apart, by a rule; some inputs say where elements go and are not elements.
    ///
    /// If one of these inputs, `target`, states the sizes of the result, then equal sizes of the
    /// result come from equal elements. If the node is `uniform`, its rule does not look at the
    /// larger size, and its results grow along their places as its inputs do.
    case apart(
      ONNXOpenRules.Rule, arguments: Set<Int> = [], target: Int? = nil, uniform: Bool = false)
  }

  /// The name: `Conv`.
  let type: String
  /// The domain; empty for ONNX's own.
  let domain: String
  /// Imports a node that is not folded.
  let `import`: Import
  /// How known values are computed.
  let fold: Fold
  /// What happens to integers; `nil` if the result is not an integer or may be any.
  let bounds: ONNXIntegerBounds.Rule?
  /// What happens to sequences of open length.
  let length: Length
  /// What happens to numbers that follow a length.
  let sizes: Sizes
  /// What happens to the examples of an open batch.
  let examples: Examples

  init(
    _ type: String, domain: String = "", import: @escaping Import, fold: Fold,
    bounds: ONNXIntegerBounds.Rule?, length: Length, sizes: Sizes, examples: Examples
  ) {
    self.type = type
    self.domain = domain
    self.import = `import`
    self.fold = fold
    self.bounds = bounds
    self.length = length
    self.sizes = sizes
    self.examples = examples
  }
}
