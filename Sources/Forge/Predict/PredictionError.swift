import ForgeOperations
import ForgeShapes
import ForgeSystem

/// An error of a prediction.
public struct PredictionError: Error, Sendable {
  /// The kinds of errors.
  public enum Kind: String, Hashable, Sendable {
    /// The number of values is not the one that the model takes.
    case wrongValueCount
    /// The batch is empty or larger than declared.
    case wrongBatch
    /// There is no input, output or kept layer of that name.
    case unknownName
    /// An input was not given.
    case missingInput
    /// The shape is not one that the model takes.
    case wrongShape
    /// A prediction is running in this context.
    case busy
    /// A context was requested with less than one thread.
    case wrongThreads
    /// The caller's workspace is too small or not aligned.
    case wrongWorkspace
    /// A rectangle lies outside its image, or there is no such layer.
    case wrongCrop
    /// A custom layer threw.
    case customLayer
    /// An output holds a NaN or an infinity.
    case notFinite
    /// A parameter could not be read again for inputs of a new size.
    case parameters
    /// There is no memory for the prediction.
    case noMemory
    /// The model contains a layer of unbounded time.
    case notRealtime
  }

  /// The kind of error.
  public let kind: Kind
  /// The error as text, with its layer if it has one.
  public let problem: Problem

  init(_ kind: Kind, _ problem: Problem) {
    self.kind = kind
    self.problem = problem
  }
}

extension PredictionError: CustomStringConvertible {
  /// The error as text.
  public var description: String { problem.description }
}

/// The messages of prediction errors; tests pin them.
extension PredictionError {
  static func wrongValueCount(
    _ count: Int, input: String, needs: Int, shape: Shape, batch: Int
  )
    -> PredictionError
  {
    let each = batch == 1 ? "\(shape)" : "\(batch) times \(shape)"
    return PredictionError(
      .wrongValueCount,
      Problem(
        headline: "input \"\(input)\" has the wrong number of values",
        details: [("received", "\(count) values"), ("needs", "\(needs) values: \(each)")]))
  }

  static func wrongOutputCount(_ count: Int, output: String, needs: Int) -> PredictionError {
    PredictionError(
      .wrongValueCount,
      Problem(
        headline: "the memory for output \"\(output)\" has the wrong size",
        details: [("received", "\(count) values"), ("needs", "\(needs) values")]))
  }

  static func sizeNeeded(_ input: String, _ shape: Shape) -> PredictionError {
    PredictionError(
      .wrongShape,
      Problem(
        headline: "input \"\(input)\" takes pictures of any size, so their size must be given",
        details: [
          ("needs", "\(shape)"),
          ("remedy", "predict(TensorValues(width:height:channels:values:))"),
        ]))
  }

  static func wrongShape(_ input: String, received: Shape, needs: Shape) -> PredictionError {
    PredictionError(
      .wrongShape,
      Problem(
        headline: "input \"\(input)\" has the wrong shape",
        details: [("received", "\(received)"), ("needs", "\(needs)")]))
  }

  static func sizeOutOfRange(
    _ input: String, received: Shape, needs: Shape, range: ClosedRange<Int>
  ) -> PredictionError {
    PredictionError(
      .wrongShape,
      Problem(
        headline: "input \"\(input)\" has the wrong shape",
        details: [
          ("received", "\(received)"),
          (
            "needs",
            "\(needs), each size from \(range.lowerBound) to \(range.upperBound), "
              + "at most \(Shape.maximumElementCount) elements"
          ),
        ]))
  }

  static func noMemory(_ error: NoMemory) -> PredictionError {
    PredictionError(
      .noMemory,
      Problem(
        headline: "there is no memory for the prediction",
        details: [
          (
            "needs",
            error.byteCount == .max
              ? "more bytes than can be counted" : "\(error.byteCount) bytes"
          ),
          ("remedy", "predict fewer examples at a time, or smaller inputs"),
        ]))
  }

  static func wrongBatch(_ count: Int, maximum: Int, remedy: String) -> PredictionError {
    PredictionError(
      .wrongBatch,
      Problem(
        headline: count < 1 ? "the batch is empty" : "the batch is too large",
        details: [
          ("received", "\(count) examples"),
          ("needs", "1 to \(maximum)"), ("remedy", remedy),
        ]))
  }

  static func wrongExample(_ index: Int, count: Int, remedy: String) -> PredictionError {
    PredictionError(
      .wrongBatch,
      Problem(
        headline: "the batch has no such example",
        details: [
          ("received", "example \(index)"),
          ("needs", count == 1 ? "0, the only one" : "0 to \(count - 1)"), ("remedy", remedy),
        ]))
  }

  static let emptyBatch = PredictionError(
    .wrongBatch,
    Problem(headline: "the batch is empty", details: [("needs", "at least 1 example")]))

  static func unknownName(_ name: String, what: String, known: [String]) -> PredictionError {
    PredictionError(
      .unknownName,
      Problem(
        headline: "there is no \(what) \"\(name)\"",
        details: [
          ("needs", known.isEmpty ? "none" : known.map { "\"\($0)\"" }.joined(separator: ", "))
        ]))
  }

  static func missingInput(_ name: String, _ shape: Shape) -> PredictionError {
    PredictionError(
      .missingInput,
      Problem(
        headline: "input \"\(name)\" is missing", details: [("needs", "\(shape)")]))
  }

  static func inputCount(_ count: Int, what: String) -> PredictionError {
    PredictionError(
      .missingInput,
      Problem(
        headline: "the model has \(count) \(what), so they must be named",
        details: [("remedy", "predict([\"name\": values, …])")]))
  }

  static let busy = PredictionError(
    .busy,
    Problem(
      headline: "a prediction is running in this context",
      details: [("remedy", "give each thread a Context of its own, or call network.predict")]))

  static func wrongThreads(_ threads: Int) -> PredictionError {
    PredictionError(
      .wrongThreads,
      Problem(
        headline: "a prediction needs a thread",
        details: [("received", "threads: \(threads)"), ("needs", "at least 1")]))
  }

  static func wrongWorkspace(_ received: String, needs: String) -> PredictionError {
    PredictionError(
      .wrongWorkspace,
      Problem(
        headline: "the workspace does not fit",
        details: [("received", received), ("needs", needs)]))
  }

  static func wrongCrop(
    _ name: String, _ crop: CropRectangle, width: Int, height: Int
  )
    -> PredictionError
  {
    PredictionError(
      .wrongCrop,
      Problem(
        headline: "the crop rectangle of \"\(name)\" does not lie inside its image",
        details: [
          (
            "received",
            "x \(crop.x), y \(crop.y), width \(crop.width), height \(crop.height)"
          ), ("needs", "a part of \(width)×\(height) (width×height) with sides above 0"),
        ]))
  }

  static func notRealtime(_ what: String) -> PredictionError {
    PredictionError(
      .notRealtime,
      Problem(
        headline: "the model does not suit real-time use",
        details: [
          ("received", what),
          ("needs", "layers of Forge's own, compiled with checks: .none"),
          ("remedy", "Context(network)"),
        ]))
  }

  static func customLayer(
    _ layer: Problem.LayerReference?, place: SourcePlace?, cause: any Error
  )
    -> PredictionError
  {
    PredictionError(
      .customLayer,
      Problem(place: place, layer: layer, headline: "the custom layer failed", cause: cause))
  }

  static func notFinite(
    _ output: String, index: Int, value: Float, source: NonFiniteSource?
  ) -> PredictionError {
    let remedy =
      switch source {
      case .input: "check the input before predicting"
      case .layer: "look for large values in its input, and for NaN with checks: .finiteParameters"
      case nil: "look for NaN in the input and in the parameters; keep: shows each layer"
      }
    return PredictionError(
      .notFinite,
      Problem(
        headline: "output \"\(output)\" holds a number that is not finite",
        details: [("received", "\(value.nameOfNonFinite) at index \(index)")]
          + (source.map { [("first in", $0.description)] } ?? []) + [("remedy", remedy)]))
  }
}

extension Float {
  /// The number as messages name it, omitting the sign of a NaN, which means nothing.
  var nameOfNonFinite: String { isNaN ? "nan" : "\(self)" }
}
