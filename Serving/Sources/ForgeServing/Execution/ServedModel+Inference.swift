import Forge

extension ServedModel {
  /// The values of one prediction: its outputs by their names in the network.
  private struct Prediction {
    var values: [String: TensorValues]
    var waited: Duration
    var latency: Duration
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - limit: the longest time for it, whatever the request says.
  /// - Returns: the response.
  /// - Throws: ``ServingError``.
  package func infer(
    _ request: InferenceRequest, limit: Duration
  ) async throws(ServingError) -> InferenceResponse {
    try await counted(within: min(try request.timeout ?? limit, limit)) { deadline, times in
      let start = ContinuousClock.now
      let examples = try prepared(request.inputs)
      let isPrepared = ContinuousClock.now
      let predictions = try await predictions(of: examples, for: request, deadline)
      let isRun = ContinuousClock.now
      let response = try response(to: request, predictions.map(\.values))
      times.input = isPrepared - start
      times.queue = predictions.map(\.waited).max() ?? .zero
      times.run = max(isRun - isPrepared - times.queue, .zero)
      times.output = ContinuousClock.now - isRun
      return (response, examples: examples.count)
    }
  }

  /// The inputs of each example by their names in the network.
  private func prepared(_ tensors: [TensorData]) throws(ServingError) -> [[String: TensorValues]] {
    var given: [TensorData?] = Array(repeating: nil, count: inputs.count)
    var count: Int?
    for tensor in tensors {
      guard let index = try index(ofInput: tensor.name) else { continue }
      guard given[index] == nil else {
        throw .invalid("the input \"\(tensor.name)\" is given twice")
      }
      given[index] = tensor
      let examples = try inputs[index].exampleCount(of: tensor)
      guard inputs[index].batchAxis != nil else { continue }
      guard count == nil || count == examples else {
        throw .invalid("the inputs have different numbers of examples")
      }
      count = examples
    }
    let examples = count ?? 1
    guard examples <= maximumBatch else {
      throw .invalid(
        "the request has \(examples) examples, and the model \"\(name)\" takes \(maximumBatch) "
          + "at once")
    }
    var result: [[String: TensorValues]] = Array(repeating: [:], count: examples)
    for (index, tensor) in given.enumerated() {
      let input = inputs[index]
      guard let tensor else {
        throw .invalid(
          "the input \"\(input.name)\" is missing: \(input.shape) of \(input.datatype.rawValue)")
      }
      let isBatched = input.batchAxis != nil
      let values = try input.examples(of: tensor, count: isBatched ? examples : 1)
      let name = network.inputNames[index]
      for example in result.indices { result[example][name] = values[isBatched ? example : 0] }
    }
    return result
  }

  // MARK: Running

  private func predictions(
    of examples: [[String: TensorValues]], for request: InferenceRequest, _ deadline: Deadline?
  ) async throws -> [Prediction] {
    if isStateful, let sequence = try SequencePosition(request.parameters) {
      guard examples.count == 1 else {
        throw ServingError.invalid("a request of a sequence has one example")
      }
      let start = ContinuousClock.now
      let values = try await sessions.predict(examples[0], sequence, deadline)
      return [
        Prediction(
          values: named(values), waited: .zero, latency: ContinuousClock.now - start)
      ]
    }
    if examples.count == 1 { return [try await prediction(of: examples[0], deadline)] }
    return try await withThrowingTaskGroup(of: (Int, Prediction).self) { group in
      for (index, example) in examples.enumerated() {
        group.addTask { (index, try await self.prediction(of: example, deadline)) }
      }
      var result: [Prediction?] = Array(repeating: nil, count: examples.count)
      for try await (index, prediction) in group { result[index] = prediction }
      return result.compactMap(\.self)
    }
  }

  private func prediction(
    of example: [String: TensorValues], _ deadline: Deadline?
  ) async throws -> Prediction {
    if let batched {
      do {
        let result = try await batched.result(for: example, deadline: deadline)
        return Prediction(
          values: result.prediction, waited: result.waited, latency: result.latency)
      } catch is PredictionError {
        // Another example of the batch may be the cause: this one is predicted by itself.
      }
    }
    let result = try await runner.result(for: example, deadline: deadline)
    return Prediction(
      values: named(result.prediction), waited: result.waited, latency: result.latency)
  }

  private func named(_ predictions: Predictions) -> [String: TensorValues] {
    predictions.outputs
  }

  // MARK: Answering

  private func response(
    to request: InferenceRequest, _ predictions: [[String: TensorValues]]
  ) throws(ServingError) -> InferenceResponse {
    var response = InferenceResponse(
      modelName: name, modelVersion: "\(version)", id: request.id, outputs: [], isBinary: [])
    let wanted =
      request.outputs.isEmpty
      ? (outputs.map(\.name) + constants.map(\.name)).map { InferenceRequest.Output(name: $0) }
      : request.outputs
    for output in wanted {
      var tensor: TensorData
      switch try self.output(output.name) {
      case .constant(let constant): tensor = constant
      case .computed(let index): tensor = try computed(index, predictions)
      }
      if output.classes > 0 {
        tensor = try Classification(tensor, count: output.classes, labels: network.metadata.labels)
          .tensor
      }
      response.outputs.append(tensor)
      response.isBinary.append(output.isBinary ?? request.isBinaryOutput)
    }
    return response
  }

  private func computed(
    _ index: Int, _ predictions: [[String: TensorValues]]
  ) throws(ServingError) -> TensorData {
    let port = outputs[index]
    let name = network.outputNames[index]
    var results: [TensorValues] = []
    results.reserveCapacity(predictions.count)
    for prediction in predictions {
      guard let values = prediction[name] else {
        throw ServingError(.failed, "the output \"\(port.name)\" has no values")
      }
      if let rows = port.port.rows, let count = prediction[rows.countName]?.values.first,
        let count = Int(exactly: count.rounded())
      {
        results.append(port.rows(count, of: values))
      } else {
        results.append(values)
      }
    }
    return try port.tensor(of: results)
  }
}
