import ForgeShapes

/// The inputs of one prediction, in any form that a network takes.
///
/// | input | output |
/// | --- | --- |
/// | an array or a slice of numbers: the only input, of its declared size | `[Float]` |
/// | ``TensorValues``: the only input, of any size that it takes | `[Float]` |
/// | a dictionary of those by name or by `Tensor` | ``Predictions`` |
/// | ``PredictionInputs``: any of these with crops | ``Predictions`` |
///
/// `[Float]` is the only output of the model. A model of several outputs takes named inputs.
public protocol PredictionInput: Sendable {
  /// The results: `[Float]` for the short forms, ``Predictions`` for named inputs.
  associatedtype Output: PredictionOutput
  /// The inputs in the general form.
  var predictionInputs: PredictionInputs { get }
}

/// The values of one input: an array or a slice of numbers, or ``TensorValues``.
public protocol InputValues: PredictionInput where Output == [Float] {}

extension PredictionInputs: PredictionInput {
  /// All outputs and kept layers.
  public typealias Output = Predictions
  /// The value itself.
  public var predictionInputs: PredictionInputs { self }
}

extension TensorValues: InputValues {
  /// The values of the only output.
  public typealias Output = [Float]
  /// The values of the only input, with their sizes.
  public var predictionInputs: PredictionInputs {
    PredictionInputs([PredictionInputs.Entry(values: values, shape: shape)])
  }
}

extension Array: PredictionInput, InputValues where Element: TensorElement {
  /// The values of the only output.
  public typealias Output = [Float]
  /// The values of the only input, of its declared size.
  public var predictionInputs: PredictionInputs {
    if let floats = self as? [Float] {
      return PredictionInputs([PredictionInputs.Entry(values: floats)])
    }
    return PredictionInputs([
      PredictionInputs.Entry(values: map(\.float32), text: { "\(self[$0])" })
    ])
  }
}

extension ArraySlice: PredictionInput, InputValues where Element: TensorElement {
  /// The values of the only output.
  public typealias Output = [Float]
  /// The values of the only input, of its declared size.
  public var predictionInputs: PredictionInputs {
    PredictionInputs([
      PredictionInputs.Entry(values: map(\.float32), text: { "\(self[startIndex + $0])" })
    ])
  }
}

extension Dictionary: PredictionInput where Key: TensorReference, Value: InputValues {
  /// All outputs and kept layers.
  public typealias Output = Predictions
  /// The values of each input.
  public var predictionInputs: PredictionInputs {
    PredictionInputs(
      flatMap { key, value in
        value.predictionInputs.entries.map { entry in
          var entry = entry
          entry.input = key
          return entry
        }
      })
  }
}

/// The results of one prediction in the form that belongs to the form of its inputs.
public protocol PredictionOutput: Sendable {
  /// Whether it holds the model's only output.
  static var isSingle: Bool { get }
  /// Takes the results of a prediction.
  init(_ predictions: Predictions)
}

extension Predictions: PredictionOutput {
  /// `false`: all outputs and kept layers.
  public static var isSingle: Bool { false }
  /// The same results.
  public init(_ predictions: Predictions) { self = predictions }
}

extension Array: PredictionOutput where Element == Float {
  /// `true`: the only output.
  public static var isSingle: Bool { true }
  /// The values of the first output.
  public init(_ predictions: Predictions) {
    // A model without outputs does not compile.
    self = predictions.tensors[0].values
  }
}
