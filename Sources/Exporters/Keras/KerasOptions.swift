import Forge

/// How a model is written to a Keras file.
///
/// ```swift
/// try model.write(keras: "net.keras", options: KerasOptions(length: 128))
/// ```
public struct KerasOptions: Sendable {
  /// The length of the sequences of a model that takes sequences of any length.
  ///
  /// A file has sequences of one length.
  public var length: Int?
  /// The most numbers of a constant in the description of the model.
  ///
  /// A constant that no layer of Keras holds as a weight, such as a table that is added to every
  /// example, becomes text in `config.json`. A larger constant is an error that names the layer.
  public var longestConstant: Int

  /// Creates options.
  ///
  /// - Parameters:
  ///   - length: the length of sequences.
  ///   - longestConstant: the most numbers of a constant in the description.
  public init(length: Int? = nil, longestConstant: Int = 1 << 20) {
    self.length = length
    self.longestConstant = longestConstant
  }
}
