import Forge
import ForgeSystem

/// Decoding of boxes, by the formulas of ``DarknetDetection``.
extension DarknetDetection {
  /// The boxes in the predictions of the network.
  ///
  /// ```swift
  /// let darknet = try ImportedDarknet(cfg: "yolov4.cfg", weights: "yolov4.weights")
  /// let boxes = try darknet.detections.flatMap {
  ///   try $0.boxes(in: predictions, minimumScore: 0.4)
  /// }.suppressed(iou: 0.45)
  /// ```
  ///
  /// There is one box for each anchor and each class whose score is above the minimum, so one
  /// object has several boxes until they are suppressed. An anchor whose box or score is not a
  /// finite number has none.
  ///
  /// - Parameters:
  ///   - predictions: what the network predicted for one picture.
  ///   - minimumScore: the score that boxes and objectness exceed.
  /// - Returns: the boxes in the order of rows, columns, anchors and classes.
  /// - Throws: `PredictionError` when the predictions lack ``output``, or its shape is not the one
  ///   that ``anchors`` and ``classes`` need.
  public func boxes(
    in predictions: Predictions, minimumScore: Float
  ) throws(PredictionError) -> [DetectedBox] {
    guard let values = predictions[output] else {
      throw .unknownName(
        output, what: "output",
        known: (predictions.outputs.keys.sorted() + predictions.kept.keys.sorted()))
    }
    return try boxes(in: values, minimumScore: minimumScore)
  }

  /// The boxes in the values of the output.
  ///
  /// - Parameters:
  ///   - values: the output for one picture: rows, columns, anchors · ``valuesPerAnchor``.
  ///   - minimumScore: the score that boxes and objectness exceed.
  /// - Returns: the boxes in the order of rows, columns, anchors and classes.
  /// - Throws: `PredictionError` when the shape is not the one that ``anchors`` and ``classes``
  ///   need.
  public func boxes(
    in values: TensorValues, minimumScore: Float
  ) throws(PredictionError) -> [DetectedBox] {
    let channels = anchors.count * valuesPerAnchor
    guard let width = values.shape.width, let height = values.shape.height,
      values.shape.channels == channels
    else {
      throw .wrongBoxes(output, received: values.shape, channels: channels)
    }
    guard values.values.count == values.shape.elementCount else {
      throw .wrongBoxCount(values.values.count, output: output, shape: values.shape)
    }
    let unit = kind == .region ? Size(width: width, height: height) : inputSize
    var found: [DetectedBox] = []
    values.values.withUnsafeBufferPointer { all in
      for place in 0..<width * height * anchors.count {
        let (cell, index) = place.quotientAndRemainder(dividingBy: anchors.count)
        let start = place * valuesPerAnchor
        let v = UnsafeBufferPointer(rebasing: all[start..<start + valuesPerAnchor])
        let objectness = probability(v[valuesPerAnchor - classes - 1])
        guard objectness > minimumScore else { continue }
        let box = box(
          v, column: cell % width, row: cell / width, grid: Size(width: width, height: height),
          anchor: anchors[index], unit: unit)
        guard [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite), box.width >= 0,
          box.height >= 0
        else { continue }
        let scores = classScores(v)
        for (label, score) in scores.enumerated() {
          var box = box
          (box.label, box.score) = (label, objectness * score)
          if box.score > minimumScore, box.score.isFinite { found.append(box) }
        }
      }
    }
    return found
  }

  /// The box of an anchor, without its class and score.
  private func box(
    _ v: UnsafeBufferPointer<Float>, column: Int, row: Int, grid: Size, anchor: Anchor, unit: Size
  ) -> DetectedBox {
    // The Gaussian form has an uncertainty behind each number.
    let step = kind == .gaussianYOLO ? 2 : 1
    // In double precision, only what is too large for Float32 at the end becomes infinite.
    func position(_ value: Float, _ cell: Int, _ count: Int) -> Float {
      let (value, scale) = (Double(probability(value)), Double(scaleXY))
      return Float((Double(cell) + value * scale - (scale - 1) / 2) / Double(count))
    }
    func size(_ value: Float, _ anchor: Float, _ unit: Int) -> Float {
      let value = Double(value)
      let factor = usesNewCoordinates ? 4 * value * value : exp(value)
      return Float(factor * Double(anchor) / Double(unit))
    }
    var box = DetectedBox(
      label: 0, score: 0, x: position(v[0], column, grid.width),
      y: position(v[step], row, grid.height), width: size(v[2 * step], anchor.width, unit.width),
      height: size(v[3 * step], anchor.height, unit.height))
    switch point {
    case .center: break
    case .leftTop: (box.x, box.y) = (box.x + box.width / 2, box.y + box.height / 2)
    case .rightBottom: (box.x, box.y) = (box.x - box.width / 2, box.y - box.height / 2)
    }
    return box
  }

  /// The score of each class, to be multiplied by the objectness.
  private func classScores(_ v: UnsafeBufferPointer<Float>) -> [Float] {
    let values = v.suffix(classes)
    if usesSoftmax {
      let largest = values.max() ?? 0
      let powers = values.map { exp($0 - largest) }
      let sum = powers.reduce(0, +)
      return powers.map { $0 / sum }
    }
    guard kind == .gaussianYOLO else { return values.map(probability) }
    let uncertainty = (0..<4).reduce(0) { $0 + probability(v[2 * $1 + 1]) } / 4
    return values.map { probability($0) * (1 - uncertainty) }
  }

  /// The sigmoid, unless the layer before has applied it.
  private func probability(_ x: Float) -> Float { usesNewCoordinates ? x : 1 / (1 + exp(-x)) }
}

extension ForgeError where ErrorKind == PredictionErrorKind {
  fileprivate static func wrongBoxes(
    _ output: String, received: Shape, channels: Int
  ) -> PredictionError {
    PredictionError(
      .wrongShape, "output \"\(output)\" has the wrong shape for boxes", received: "\(received)",
      needs: "an image of \(counted(channels, "channel"))")
  }

  fileprivate static func wrongBoxCount(
    _ count: Int, output: String, shape: Shape
  ) -> PredictionError {
    PredictionError(
      .wrongValueCount, "output \"\(output)\" has the wrong number of values",
      received: counted(count, "value"), needs: "as many as one picture has: \(shape)")
  }
}
