import Forge

/// A model of a pipeline that is not a network.
protocol CoreMLStage: Sendable {
  /// The inputs that are numbers of the file unless the options state them.
  var settings: [String] { get }

  /// Translates the stage.
  ///
  /// - Parameters:
  ///   - inputs: the values by the names of the inputs.
  ///   - description: the inputs and outputs.
  ///   - numbers: the settings that the options state.
  ///   - call: makes the nodes.
  /// - Returns: the values by the names of the outputs.
  /// - Throws: ``NodeFailure``.
  func values(
    _ inputs: [String: FileValue], _ description: CoreMLDescription, numbers: [String: Float],
    _ call: inout CoreMLStageCall
  ) throws -> [String: FileValue]
}

/// What the nodes of a stage are named by.
struct CoreMLStageCall: ONNXTranslation {
  let name: String
  let modelOutputs: Set<String> = []
  let isOfNumbers = false
  var parameters: [ImportedParameters.Key: ImportedParameters.Entry] = [:]
  var nodeCount = 0

  init(name: String) { self.name = name }
}

/// `(x + shift) · scale` for each number (Scaler.proto).
struct CoreMLScaler: CoreMLStage {
  private let shift, scale: [Float]
  let settings: [String] = []

  init(_ fields: WireFields) throws(ImportError) {
    shift = try fields.doubles(1).map { Float($0) }
    scale = try fields.doubles(2).map { Float($0) }
  }

  func values(
    _ inputs: [String: FileValue], _ description: CoreMLDescription, numbers: [String: Float],
    _ call: inout CoreMLStageCall
  ) throws -> [String: FileValue] {
    guard let input = description.input.first, description.input.count == 1,
      let output = description.output.first, description.output.count == 1,
      var value = inputs[input.name]
    else { throw NodeFailure.invalid("a scaler of several inputs or outputs") }
    for (list, type) in [(shift, "Add"), (scale, "Mul")] where !list.isEmpty {
      guard list.count == 1 || list.count == value.sizes.last else {
        throw NodeFailure.invalid("\(list.count) numbers for \(value.sizes)")
      }
      let host = HostTensor(floats: list, sizes: list.count == 1 ? [] : [list.count])
      value = try call.node(type, [value, .host(host)])
    }
    return [output.name: value]
  }
}

/// Drops boxes that overlap (NonMaximumSuppression.proto).
struct CoreMLSuppressionStage: CoreMLStage {
  private let isPerClass: Bool
  private let overlap, leastScore: Float
  private let scores, boxes, overlapName, scoreName: String
  private let keptScores, keptBoxes: String
  /// The labels of the classes.
  let labels: [String]

  var settings: [String] { [overlapName, scoreName].filter { !$0.isEmpty } }

  init(_ fields: WireFields) throws(ImportError) {
    isPerClass = try fields.message(1)?.bool(1) ?? false
    overlap = Float(try fields.double(110))
    leastScore = Float(try fields.double(111))
    (scores, boxes) = (try fields.name(200), try fields.name(201))
    (overlapName, scoreName) = (try fields.name(202), try fields.name(203))
    (keptScores, keptBoxes) = (try fields.name(210), try fields.name(211))
    if let texts = try fields.message(100) {
      labels = try texts.strings(1)
    } else {
      labels = try fields.message(101)?.ints(1).map { "\($0)" } ?? []
    }
  }

  func values(
    _ inputs: [String: FileValue], _ description: CoreMLDescription, numbers: [String: Float],
    _ call: inout CoreMLStageCall
  ) throws -> [String: FileValue] {
    guard let boxes = inputs[boxes], let scores = inputs[scores] else {
      throw NodeFailure.invalid("inputs \(inputs.keys.sorted()) without boxes or scores")
    }
    func rows(_ value: FileValue) throws -> FileValue {
      let sizes = value.sizes
      guard sizes.count >= 2, sizes.dropLast(2).allSatisfy({ $0 == 1 }) else {
        throw NodeFailure.invalid("a value of \(sizes), where rows are needed")
      }
      return try call.node("Reshape", [value, .integers([1] + sizes.suffix(2))])
    }
    let (wideBoxes, wideScores) = (try rows(boxes), try rows(scores))
    // The number of rows that the file states; others have as many as there are boxes.
    let stated = description.output.filter { [keptScores, keptBoxes].contains($0.name) }
      .compactMap(\.sizes.first).first { $0 > 0 }
    let suppression = CoreMLSuppression(
      rows: stated ?? wideBoxes.sizes[1], overlap: numbers[overlapName] ?? overlap,
      leastScore: numbers[scoreName] ?? leastScore, isPerClass: isPerClass)
    let result = try suppression.result(wideBoxes, wideScores, &call)
    return [
      keptScores: try call.node("Squeeze", [result.scores, .integers([0])]),
      keptBoxes: try call.node("Squeeze", [result.boxes, .integers([0])]),
    ]
  }
}
