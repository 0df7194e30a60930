/// A request for a prediction, whichever way it came.
public struct InferenceRequest: Sendable {
  /// An output that the client asks for.
  public struct Output: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether the values are to be binary; `nil` for the setting of the request.
    public var isBinary: Bool?
    /// The number of classes that a classification lists; 0 for the values themselves.
    public var classes: Int

    /// Creates a requested output.
    public init(name: String, isBinary: Bool? = nil, classes: Int = 0) {
      (self.name, self.isBinary, self.classes) = (name, isBinary, classes)
    }
  }

  /// The id, which the response repeats.
  public var id: String
  /// The parameters.
  public var parameters: [String: ParameterValue]
  /// The inputs in any order.
  public var inputs: [TensorData]
  /// The outputs that are wanted; empty for all.
  public var outputs: [Output]
  /// Whether outputs are binary where they do not say.
  public var isBinaryOutput: Bool

  /// Creates a request.
  public init(
    id: String = "", parameters: [String: ParameterValue] = [:], inputs: [TensorData],
    outputs: [Output] = [], isBinaryOutput: Bool = false
  ) {
    self.id = id
    self.parameters = parameters
    self.inputs = inputs
    self.outputs = outputs
    self.isBinaryOutput = isBinaryOutput
  }

  /// The time that the parameter `timeout` states, in microseconds; `nil` without one.
  package var timeout: Duration? {
    get throws(ServingError) {
      guard let value = parameters["timeout"] else { return nil }
      guard let microseconds = value.count else {
        throw .invalid("the parameter timeout must be a whole number of microseconds")
      }
      // 0 stands for no limit. A year is as good as none.
      return microseconds == 0 ? nil : .microseconds(Int64(min(microseconds, 31_536_000_000_000)))
    }
  }
}

/// The response to a request.
public struct InferenceResponse: Sendable {
  /// The name of the model.
  public var modelName: String
  /// The version that has answered.
  public var modelVersion: String
  /// The id of the request.
  public var id: String
  /// The outputs in the order in which they were asked for.
  public var outputs: [TensorData]
  /// The outputs that are binary, by position.
  public var isBinary: [Bool]

  /// Creates a response.
  public init(
    modelName: String, modelVersion: String, id: String, outputs: [TensorData], isBinary: [Bool]
  ) {
    self.modelName = modelName
    self.modelVersion = modelVersion
    self.id = id
    self.outputs = outputs
    self.isBinary = isBinary
  }
}
