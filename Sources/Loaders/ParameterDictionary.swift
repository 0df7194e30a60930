import ForgeShapes

/// The parameters of a model in memory, by layer name and type.
///
/// ```swift
/// let parameters = ParameterDictionary([
///   "conv1": [.weights: kernel, .biases: [0.1, -0.2]]
/// ])
/// ```
public struct ParameterDictionary: ParameterSource {
  private let values: [String: [ParameterType: [Float]]]
  private let layout: ParameterLayout

  /// Wraps the parameters of a model.
  ///
  /// - Parameters:
  ///   - values: the values of each parameter of each layer.
  ///   - layout: the axis order of all values.
  public init(
    _ values: [String: [ParameterType: [Float]]], layout: ParameterLayout = .forge
  ) {
    self.values = values
    self.layout = layout
  }

  /// The names of the layers with values, sorted.
  public var availableNames: [String] { values.keys.sorted() }

  /// The values of a parameter, or `nil` when there are none.
  ///
  /// - Parameter spec: the parameter.
  /// - Returns: the values, or `nil`.
  /// - Throws: ``LoadError`` of kind `wrongCount` when the number of values does not match.
  public func parameter(for spec: ParameterSpec) throws -> (any ParameterData)? {
    guard let found = values[spec.layer]?[spec.type] else { return nil }
    guard found.count == spec.count else { throw LoadError.wrongCount(found.count, for: spec) }
    return ParameterValues(found, layout: layout)
  }
}
