import ForgeShapes

/// An error of a prediction.
public typealias PredictionError = ForgeError<PredictionErrorKind>

/// The kinds of ``PredictionError``.
public enum PredictionErrorKind: String, Hashable, Sendable {
  /// The number of values is not the one that the model takes.
  case wrongValueCount
  /// The batch is empty or larger than declared.
  case wrongBatch
  /// There is no input, output or kept layer of that name.
  case unknownName
  /// An input was not given.
  case missingInput
  /// The caller takes one output of a model that has several.
  case severalOutputs
  /// The shape is not one that the model takes.
  case wrongShape
  /// A prediction is running in this context.
  case busy
  /// A context was requested with less than one thread.
  case wrongThreads
  /// The caller's workspace is too small or not aligned.
  case wrongWorkspace
  /// Two outputs of a real-time context are bound to memory that overlaps.
  case overlappingOutputs
  /// A rectangle lies outside its image, or there is no such layer.
  case wrongCrop
  /// The values of a state do not fit, or are those of another network.
  case wrongState
  /// A stream is longer than a layer can keep.
  case streamTooLong
  /// A number that selects a row of a table, such as an id of a vocabulary, is outside the table.
  case invalidIndex
  /// An integer is so large that Float32, in which the network computes, may not hold it.
  case inexactInteger
  /// A custom layer threw.
  case customLayer
  /// An output holds a NaN or an infinity.
  case notFinite
  /// A parameter could not be read again for inputs of a new size.
  case parameters
  /// There is not enough memory for the prediction.
  case noMemory
  /// The model contains a layer of unbounded time.
  case notRealtime
}
