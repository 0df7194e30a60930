import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The messages of prediction errors; tests pin them.
extension PredictionError {
  package static func wrongValueCount(
    _ count: Int, input: String, needs: Int, shape: Shape, batch: Int, remedy: String? = nil
  ) -> PredictionError {
    let each = batch == 1 ? "\(shape)" : "\(batch) times \(shape)"
    return PredictionError(
      .wrongValueCount, "input \"\(input)\" has the wrong number of values",
      received: counted(count, "value"), needs: "\(counted(needs, "value")): \(each)",
      remedy: remedy)
  }

  package static func wrongOutputCount(_ count: Int, output: String, needs: Int) -> PredictionError
  {
    PredictionError(
      .wrongValueCount, "the memory for output \"\(output)\" has the wrong size",
      received: counted(count, "value"), needs: counted(needs, "value"))
  }

  static func sizeNeeded(_ input: String, _ shape: Shape) -> PredictionError {
    PredictionError(
      .wrongShape,
      "input \"\(input)\" takes pictures of any size, so their size must be given",
      needs: "\(shape)", remedy: "predict(TensorValues(width:height:channels:values:))")
  }

  package static func wrongShape(_ input: String, received: Shape, needs: Shape) -> PredictionError
  {
    PredictionError(
      .wrongShape, "input \"\(input)\" has the wrong shape", received: "\(received)",
      needs: "\(needs)")
  }

  static func sizeOutOfRange(
    _ input: String, received: Shape, needs: Shape, range: ClosedRange<Int>
  ) -> PredictionError {
    PredictionError(
      .wrongShape, "input \"\(input)\" has the wrong shape", received: "\(received)",
      needs: "\(needs), each size from \(range.lowerBound) to \(range.upperBound), "
        + "at most \(Shape.maximumElementCount) elements")
  }

  static func noMemory(_ error: NoMemory) -> PredictionError {
    PredictionError(
      .noMemory, "not enough memory for the prediction",
      needs: error.byteCount == .max
        ? "more bytes than can be counted" : bytes(error.byteCount),
      remedy: "predict fewer examples at a time, or smaller inputs")
  }

  static func wrongBatch(_ count: Int, maximum: Int, remedy: String) -> PredictionError {
    PredictionError(
      .wrongBatch, count < 1 ? "the batch is empty" : "the batch is too large",
      received: counted(count, "example"), needs: "1 to \(maximum)", remedy: remedy)
  }

  static func wrongExample(_ index: Int, count: Int, remedy: String) -> PredictionError {
    PredictionError(
      .wrongBatch, "the batch has no such example", received: "example \(index)",
      needs: count == 1 ? "0, the only one" : "0 to \(count - 1)", remedy: remedy)
  }

  static func notPredicted(_ example: Int) -> PredictionError {
    PredictionError(
      .wrongBatch, "the example has not been predicted", received: "example \(example)",
      needs: "encode and run before fetch")
  }

  static func mixedExamples(_ count: Int, node: String) -> PredictionError {
    PredictionError(
      .wrongBatch, "the model file combines the examples of a batch",
      received: "\(count) examples", needs: "1 example, because of \(node)",
      remedy: "state the sizes of the whole batch while importing, as in ImportOptions(sizes:)")
  }

  static var emptyBatch: PredictionError {
    PredictionError(.wrongBatch, "the batch is empty", needs: "at least 1 example")
  }

  package static func unknownName(_ name: String, what: String, known: [String]) -> PredictionError
  {
    PredictionError(
      .unknownName, "there is no \(what) \"\(name)\"",
      needs: known.isEmpty ? "none" : known.map { "\"\($0)\"" }.joined(separator: ", "))
  }

  static func missingInput(_ name: String, _ shape: Shape) -> PredictionError {
    PredictionError(.missingInput, "input \"\(name)\" is missing", needs: "\(shape)")
  }

  static func unknownTensor(
    _ reference: some TensorReference, what: String, known: [String]
  ) -> PredictionError {
    switch reference.tensorIdentity {
    case .name(let name): return .unknownName(name, what: what, known: known)
    case .object:
      return PredictionError(
        .unknownName, "the tensor is not an \(what) of the model",
        needs: known.map { "\"\($0)\"" }.joined(separator: ", "))
    }
  }

  static func inputCount(_ names: [String]) -> PredictionError {
    PredictionError(
      .missingInput, "the model has \(names.count) inputs, so they must be named",
      needs: names.map { "\"\($0)\"" }.joined(separator: ", "),
      remedy: "predict([\"\(names.first ?? "name")\": values, …])")
  }

  static func outputCount(_ names: [String], inputs: [String]) -> PredictionError {
    let inputs = inputs.map { "\"\($0)\": values" }.joined(separator: ", ")
    return PredictionError(
      .severalOutputs, "the model has \(names.count) outputs, so they are found by name",
      received: names.map { "\"\($0)\"" }.joined(separator: ", "),
      remedy: "predict([\(inputs)])[\"\(names.first ?? "name")\"]")
  }

  static var busy: PredictionError {
    PredictionError(
      .busy, "a prediction is running in this context",
      remedy: "give each thread a Context of its own, or call network.predict")
  }

  static func wrongThreads(_ threads: Int) -> PredictionError {
    PredictionError(
      .wrongThreads, "a prediction needs a thread", received: "threads: \(threads)",
      needs: "at least 1")
  }

  static func wrongWorkspace(_ received: String, needs: String) -> PredictionError {
    PredictionError(
      .wrongWorkspace, "the workspace does not fit", received: received, needs: needs)
  }

  static func wrongCrop(
    _ name: String, _ crop: CropRectangle, width: Int, height: Int
  ) -> PredictionError {
    PredictionError(
      .wrongCrop, "the crop rectangle of \"\(name)\" does not lie inside its image",
      received: "x \(crop.x), y \(crop.y), width \(crop.width), height \(crop.height)",
      needs: "a part of \(width)×\(height) (width×height) with sides above 0")
  }

  static func wrongState(
    _ name: String, received: String, needs: String
  ) -> PredictionError {
    PredictionError(
      .wrongState, "state \"\(name)\" has the wrong number of values", received: received,
      needs: needs)
  }

  static func otherState(received: String, needs: String) -> PredictionError {
    PredictionError(
      .wrongState, "the saved state is that of another network", received: received,
      needs: needs)
  }

  /// Names an example that is one of several, behind a place in it.
  static func ofExample(_ example: Int?) -> String { example.map { " of example \($0)" } ?? "" }

  /// The error for a number that an ``Embedding`` or a gather cannot look up.
  static func invalidIndex(
    _ layer: Problem.LayerReference?, place: SourcePlace?, _ fault: IndexFault, example: Int?
  ) -> PredictionError {
    PredictionError(
      .invalidIndex,
      Problem(
        place: place, layer: layer,
        headline: fault.fromEnd
          ? "a number is not an index along the axis" : "a number is not an id of the vocabulary",
        details: [
          ("received", "\(fault.value.asIndex) at index \(fault.index)\(ofExample(example))"),
          ("needs", "a number from \(fault.fromEnd ? -fault.size : 0) to \(fault.size - 1)"),
        ]))
  }

  /// The error for an integer of an input that Float32 may have rounded.
  static func inexactInteger(
    _ input: String, _ value: String, index: Int, example: Int?
  ) -> PredictionError {
    let largest = "\(Int(IntegerInputs.limit) - 1)"
    return PredictionError(
      .inexactInteger, "input \"\(input)\" holds an integer that Float32 may not represent exactly",
      received: "\(value) at index \(index)\(ofExample(example))",
      needs: "integers from -\(largest) to \(largest)")
  }

  /// The error for a position that leaves no room for a prediction, or is none.
  static func wrongPosition(
    _ layer: Problem.LayerReference?, place: SourcePlace?, _ fault: PositionFault, state: String,
    example: Int?
  ) -> PredictionError {
    let (limit, of) = (fault.limit, ofExample(example))
    guard limit.isPosition(fault.value) else {
      return PredictionError(
        .wrongState,
        Problem(
          place: place, layer: layer, headline: "state \"\(state)\" is not a position",
          details: [
            ("received", "\(fault.value.asIndex)\(of)"),
            ("needs", "a whole number from 0 to \(limit.capacity)"),
            ("remedy", "reset the state, or set it to the number of positions so far"),
          ]))
    }
    return PredictionError(
      .streamTooLong,
      Problem(
        place: place, layer: layer, headline: "the stream has become too long",
        details: [
          ("received", "\(counted(limit.count, "more position")) after \(Int(fault.value))\(of)"),
          ("needs", "at most \(limit.capacity) in all, by state \"\(state)\""),
          ("remedy", "reset the state, or give the layer a larger cacheLength or streamLength"),
        ]))
  }

  static func notRealtime(_ what: String) -> PredictionError {
    PredictionError(
      .notRealtime, "the model does not suit real-time use", received: what,
      needs: "only Forge's own layers, compiled with checks: .none", remedy: "Context(network)")
  }

  static func customLayer(
    _ layer: Problem.LayerReference?, place: SourcePlace?, cause: any Error
  ) -> PredictionError {
    PredictionError(
      .customLayer,
      Problem(place: place, layer: layer, headline: "the custom layer failed", cause: cause))
  }

  static func notFinite(
    _ output: String, index: Int, value: Float, example: Int?, source: NonFiniteSource?
  ) -> PredictionError {
    let remedy =
      switch source {
      case .input: "check the input before predicting"
      case .state: "reset the state"
      case .layer: "look for large values in its input, and for NaN with checks: .finiteParameters"
      case nil: "look for NaN in the input and in the parameters; keep: shows each layer"
      }
    return PredictionError(
      .notFinite,
      Problem(
        headline: "output \"\(output)\" holds a number that is not finite",
        details: [
          ("received", "\(value.nameOfNonFinite) at index \(index)\(ofExample(example))")
        ]
          + (source.map { [("first in", $0.description(example: example))] } ?? [])
          + [("remedy", remedy)]))
  }
}

extension Float {
  /// The number without a fraction of zero.
  var asIndex: String {
    isFinite && rounded(.down) == self && abs(self) < 1e9 ? "\(Int(self))" : nameOfNonFinite
  }

  /// The number as messages name it, omitting the sign of a NaN, which means nothing.
  var nameOfNonFinite: String { isNaN ? "nan" : "\(self)" }
}
