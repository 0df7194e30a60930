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
  enum Values: Sendable {
    /// Values without sizes, which the input declares, and the texts of elements of other types.
    case plain([Float], text: (@Sendable (Int) -> String)? = nil)
    /// Values with their sizes.
    case sized(TensorValues)

    /// The values.
    var floats: [Float] {
      switch self {
      case .plain(let values, _): values
      case .sized(let tensor): tensor.values
      }
    }

    /// A value as it was given.
    func text(of index: Int) -> String {
      if case .plain(_, let text?) = self { text(index) } else { floats[index].asIndex }
    }

    /// The sizes, if stated.
    var shape: Shape? {
      switch self {
      case .plain: nil
      case .sized(let tensor): tensor.shape
      }
    }
  }

  /// The values of the inputs.
  enum Form: Sendable {
    /// The values of a model's only input.
    case single(Values)
    /// The values of each input by its name or tensor.
    case named([(input: any TensorReference, values: Values)])
  }

  let form: Form
  /// The part of its source that a ``Resize`` samples, by the layer's name.
  public var crops: [String: CropRectangle]

  init(_ form: Form) {
    self.form = form
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
