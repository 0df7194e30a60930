import Forge

extension ImageTask {
  /// Predicts for a frame of a video.
  ///
  /// - Parameter frame: the frame.
  /// - Returns: the result.
  /// - Throws: as ``predict(_:)-(Image)``.
  public func predict(_ frame: VideoFrame) throws -> Reading {
    try frame.withView { try predict($0) }
  }

  /// Predicts for a frame of a video in a runner, which shares its slots among all requests.
  ///
  /// - Parameters:
  ///   - frame: the frame.
  ///   - runner: a runner of ``network``.
  ///   - deadline: the latest time for the prediction; none by default.
  /// - Returns: the result.
  /// - Throws: as ``predict(_:in:deadline:)-(Image,_,_)``.
  public func predict(
    _ frame: VideoFrame, in runner: Runner<CompiledModel>, deadline: Deadline? = nil
  ) async throws -> Reading {
    let (values, geometry) = try frame.withView { view in
      let preparation = preparation(forWidth: view.width, height: view.height)
      return (
        try view.values(prepared: preparation),
        try preparation.geometry(width: view.width, height: view.height)
      )
    }
    return try read(await runner.predict([input: values], deadline: deadline), geometry)
  }

  /// Predicts for the frames of a video, in their order.
  ///
  /// ```swift
  /// let classifier = try ImageTask.classifier(network, preparation: .torchvision())
  /// let reader = try VideoReader(contentsOf: "clip.y4m")
  /// let runner = try Runner(network, inflightBuffers: 2)
  /// let results = try classifier.predictions(
  ///   of: reader.frames.everyNth(2), in: runner, policy: .dropOldest)
  /// for try await result in results {
  ///   print(result.kept.index, result.prediction, result.latency)
  /// }
  /// print(results.dropped, "frames dropped")
  /// ```
  /// Frames are prepared and results are read while other predictions run. Each result has its
  /// frame as `kept`, the time since the frame arrived as `latency`, and the part of it before the
  /// frame was prepared as `waited`. A stream starts to read frames when the first result is
  /// awaited; leaving the loop in any way cancels the remaining work.
  ///
  /// - Parameters:
  ///   - frames: the frames, of a ``VideoReader`` or of any other source, such as a camera.
  ///   - runner: a runner of ``network``.
  ///   - policy: how frames that arrive too fast are handled: `.dropOldest` for live video,
  ///     `.block` for files, where no frame may be lost.
  ///   - waiting: how many frames may wait in addition to those in progress.
  /// - Returns: the results; the stream ends with the frames, or with the first error.
  /// - Throws: `RunnerError` when `waiting` is negative.
  public func predictions<Frames: AsyncSequence & Sendable>(
    of frames: Frames, in runner: Runner<CompiledModel>, policy: StreamPolicy = .block,
    waiting: Int = 1
  ) throws -> PredictionStream<PredictionResult<Reading, VideoFrame>>
  where Frames.Element == VideoFrame {
    try runner.results(of: frames, policy: policy, waiting: waiting) { frame in
      try await predict(frame, in: runner)
    }
  }
}
