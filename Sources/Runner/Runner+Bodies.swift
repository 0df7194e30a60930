extension Runner {
  /// The results of a body for each element of an asynchronous sequence, in their order.
  ///
  /// The body calls the runner; up to two more bodies than predictions are in progress, so that one
  /// element is prepared and one is read out beside the predictions.
  ///
  /// - Parameters:
  ///   - elements: what the body takes.
  ///   - policy: how elements that arrive too fast are handled.
  ///   - waiting: how many elements may wait in addition to those in progress.
  ///   - body: predicts and returns the result.
  /// - Returns: the results, each with its element as `kept`.
  /// - Throws: ``RunnerError`` when `waiting` is negative.
  package func results<Elements: AsyncSequence & Sendable, Result: Sendable>(
    of elements: Elements, policy: StreamPolicy, waiting: Int,
    body: @escaping @Sendable (Elements.Element) async throws -> Result
  ) throws -> PredictionStream<PredictionResult<Result, Elements.Element>>
  where Elements.Element: Sendable {
    let time = engine.time
    return try stream(policy: policy, waiting: waiting, extra: 2) { state in
      for try await element in elements {
        let arrival = time.now()
        try await state.offer { index, completion in
          let start = time.now()
          let task = Task {
            do {
              let result = try await body(element)
              completion(
                .success(
                  PredictionResult(
                    prediction: result, kept: element,
                    latency: .nanoseconds(time.now() - arrival),
                    waited: .nanoseconds(start - arrival), index: index)))
            } catch {
              completion(.failure(error))
            }
          }
          return { task.cancel() }
        }
      }
    }
  }
}
