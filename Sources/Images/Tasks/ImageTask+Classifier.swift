import Forge

extension ImageTask where Reading == [RankedClass] {
  /// A classifier: the most likely classes of a picture, the most likely first.
  ///
  /// ```swift
  /// let classifier = try ImageTask.classifier(
  ///   network, preparation: ImagePreparation(width: 224, height: 224, normalization: .keras(.tf)))
  /// for ranked in try classifier.predict(contentsOf: "goldfish.jpg") { print(ranked) }
  /// ```
  ///
  /// - Parameters:
  ///   - network: the network, one output of which has a number for each class.
  ///   - preparation: what is done with each picture; see ``init(_:preparation:input:read:)``.
  ///   - input: the name of the input that receives the picture; by default the only one.
  ///   - output: the name of the output; by default the first one.
  ///   - labels: a label for each class; by default those of the network's metadata.
  ///   - top: the number of classes that a prediction returns.
  ///   - appliesSoftmax: whether the outputs are scores that a softmax turns into probabilities.
  /// - Returns: the classifier.
  /// - Throws: ``ImageError`` as ``init(_:preparation:input:read:)``, when there is no such output,
  ///   and when the number of labels is not that of its values.
  public static func classifier(
    _ network: CompiledModel, preparation: ImagePreparation? = nil, input: String? = nil,
    output: String? = nil, labels: [String]? = nil, top: Int = 5, appliesSoftmax: Bool = false
  ) throws(ImageError) -> ImageTask {
    let (name, shape) = try network.output(named: output)
    let labels = labels ?? network.metadata.labels
    if let count = shape.elementCount, !labels.isEmpty, labels.count != count {
      throw ImageError(
        .wrongCount, "the labels are not those of the output \"\(name)\"",
        received: "\(labels.count)", needs: "\(count), one for each value")
    }
    return try ImageTask(
      network, preparation: preparation, input: input
    ) { predictions, _ in
      let values = try predictions.values(of: name).values
      return (appliesSoftmax ? values.softmax() : values).top(k: top, labels: labels)
    }
  }
}

extension CompiledModel {
  /// The name and the shape of an output; of the first one without a name.
  ///
  /// - Throws: ``ImageError`` when there is none.
  func output(named name: String?) throws(ImageError) -> (name: String, shape: Shape) {
    guard let place = name.map({ outputNames.firstIndex(of: $0) }) ?? outputNames.indices.first
    else {
      throw ImageError(
        .invalidArgument, "the network has no output \"\(name ?? "")\"",
        needs: "one of " + outputNames.joined(separator: ", "))
    }
    return (outputNames[place], outputShapes[place])
  }
}

extension Predictions {
  /// The values of an output.
  ///
  /// - Throws: ``ImageError`` when there is none.
  func values(of name: String) throws(ImageError) -> TensorValues {
    guard let values = self[name] else {
      throw ImageError(.invalidArgument, "the prediction has no output \"\(name)\"")
    }
    return values
  }
}
