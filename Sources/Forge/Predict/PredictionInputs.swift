import ForgeOperations
import ForgeShapes

/// The inputs of one prediction in the general form: values for each input, and crops.
///
/// Every other form converts to it; see ``PredictionInput``. It adds crops to inputs in a stream or
/// a batch.
/// ```swift
/// let inputs = PredictionInputs(["image": picture], crops: ["resize": box])
/// let predictions = try await runner.predict(inputs)
/// ```
public struct PredictionInputs: Sendable {
  /// The values of one input.
  struct Entry: Sendable {
    /// The input's name or tensor; `nil` for a model's only input.
    var input: (any TensorReference)?
    /// The values in row-major order.
    let values: [Float]
    /// The sizes; `nil` for those that the input declares.
    var shape: Shape?
    /// The text of an element of another type, as it was given.
    var text: (@Sendable (Int) -> String)?

    /// A value as it was given.
    func text(of index: Int) -> String { text?(index) ?? values[index].asIndex }
  }

  /// The inputs in any order.
  let entries: [Entry]
  /// The part of its source that a ``Resize`` samples, by the layer's name.
  public var crops: [String: CropRectangle]

  init(_ entries: [Entry]) {
    self.entries = entries
    crops = [:]
  }

  /// Converts inputs of another form.
  ///
  /// - Parameters:
  ///   - input: the inputs.
  ///   - crops: the part of its source that a ``Resize`` samples, by the layer's name; they are
  ///     added to those of `input`.
  public init(_ input: some PredictionInput, crops: [String: CropRectangle] = [:]) {
    self = input.predictionInputs
    self.crops.merge(crops) { _, new in new }
  }
}
