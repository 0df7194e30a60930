import Forge

extension ImageTask where Reading == [DetectedBox] {
  /// A detector: the objects in a picture, the highest scores first.
  ///
  /// Boxes are fractions of the original picture, even where the preparation crops or adds a
  /// border. One box per object is kept, as by `suppressed(iou:)`.
  ///
  /// ```swift
  /// let detector = try ImageTask.detector(
  ///   network, preparation: .letterbox(width: 640, height: 640),
  ///   decoder: .candidates(classes: 80, count: 8400, input: Size(square: 640)))
  /// let boxes = try detector.predict(contentsOf: "street.jpg")
  /// ```
  ///
  /// - Parameters:
  ///   - network: the network.
  ///   - preparation: what is done with each picture; see ``init(_:preparation:input:read:)``.
  ///   - input: the name of the input that receives the picture; by default the only one.
  ///   - output: the name of the output with the boxes; by default the first one.
  ///   - decoder: the layout of the boxes in the output.
  ///   - minimumScore: the score that a box must exceed.
  ///   - iou: the overlap from which two boxes of a class count as one object; 1 keeps all boxes.
  /// - Returns: the detector.
  /// - Throws: ``ImageError`` as ``init(_:preparation:input:read:)``, when there is no such output,
  ///   and when it has a different number of values than the decoder reads.
  public static func detector(
    _ network: CompiledModel, preparation: ImagePreparation? = nil, input: String? = nil,
    output: String? = nil, decoder: BoxDecoder, minimumScore: Float = 0.25, iou: Float = 0.45
  ) throws(ImageError) -> ImageTask {
    let (name, shape) = try network.output(named: output)
    if let count = shape.elementCount, count != decoder.valueCount {
      throw .wrongOutput(count, needs: decoder.valueCount, what: "boxes")
    }
    return try detector(
      network, preparation: preparation, input: input, minimumScore: minimumScore, iou: iou
    ) { predictions, minimumScore in
      try decoder.boxes(predictions.values(of: name).values, minimumScore: minimumScore)
    }
  }

  /// A detector whose outputs a closure decodes, such as one with several outputs.
  ///
  /// ```swift
  /// let decoder = try BoxDecoder.finished(count: 300, input: Size(square: 640))
  /// let detector = try ImageTask.detector(
  ///   network, preparation: ImagePreparation(normalization: .unitRange)
  /// ) { predictions, minimumScore in
  ///   let near = try decoder.boxes(predictions["near"]?.values ?? [], minimumScore: minimumScore)
  ///   let far = try decoder.boxes(predictions["far"]?.values ?? [], minimumScore: minimumScore)
  ///   return near + far
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - network: the network.
  ///   - preparation: what is done with each picture; see ``init(_:preparation:input:read:)``.
  ///   - input: the name of the input that receives the picture; by default the only one.
  ///   - minimumScore: the score that a box must exceed.
  ///   - iou: the overlap from which two boxes of a class count as one object; 1 keeps all boxes.
  ///   - boxes: returns the boxes of a picture as fractions of the network's input, not yet
  ///     suppressed.
  /// - Returns: the detector.
  /// - Throws: ``ImageError`` as ``init(_:preparation:input:read:)``.
  public static func detector(
    _ network: CompiledModel, preparation: ImagePreparation? = nil, input: String? = nil,
    minimumScore: Float = 0.25, iou: Float = 0.45,
    boxes:
      @escaping @Sendable (
        _ predictions: Predictions, _ minimumScore: Float
      ) throws -> [DetectedBox]
  ) throws(ImageError) -> ImageTask {
    try ImageTask(network, preparation: preparation, input: input) { predictions, geometry in
      geometry.source(try boxes(predictions, minimumScore).suppressed(iou: iou))
    }
  }
}
