import Forge

/// How a model is written as Swift source.
///
/// ```swift
/// try model.write(swift: "Sources/App", options: SwiftOptions(name: "Digits", as: .float16))
/// ```
public struct SwiftOptions: Sendable {
  /// The name of the type, and of the files; `nil` for that of the model.
  public var name: String?
  /// The type of the values in the file of the weights.
  public var weights: StoredType
  /// The most numbers of one constant in the source; more are an error.
  ///
  /// The Swift compiler is slow for long lists.
  public var longestConstant: Int
  /// Whether layers that repeat become loops.
  public var hasLoops: Bool

  /// Creates options.
  ///
  /// - Parameters:
  ///   - name: the name of the type, and of the files; `nil` for that of the model.
  ///   - weights: the type of the values in the file of the weights.
  ///   - longestConstant: the most numbers of one constant in the source.
  ///   - hasLoops: whether layers that repeat become loops.
  public init(
    name: String? = nil, as weights: StoredType = .float32, longestConstant: Int = 4096,
    hasLoops: Bool = true
  ) {
    self.name = name
    self.weights = weights
    self.longestConstant = longestConstant
    self.hasLoops = hasLoops
  }
}
