import ForgeGraph
import ForgeShapes

extension Compiler.PlanError {
  /// The problem that a compile reports.
  func problem(_ compiler: Compiler) -> Problem {
    switch self {
    case .unfit(let error, let layer, let received):
      let node = compiler.inference.nodes.first { $0.position == layer && !$0.isInput }
      var details = error.details
      if error.received == nil, !received.isEmpty {
        // A layer of several operations may receive the result of one of its own.
        let names = node?.inputs.map { compiler.inference.nodes[$0].name } ?? []
        let text = received.enumerated().map { index, shape in
          names.count == received.count ? "\(shape) from \"\(names[index])\"" : "\(shape)"
        }
        details.insert(("received", text.joined(separator: "\n")), at: 0)
      }
      return Problem(
        place: node?.place, layer: node?.reference, headline: error.headline, details: details)
    case .parameters(let cause):
      return Problem(headline: "a parameter could not be read", cause: cause)
    case .noMemory(let error):
      return Problem(
        headline: "there is no memory for the compiled model",
        details: [
          ("needs", "\(error.byteCount) bytes in one piece, and some more"),
          ("remedy", "CompileOptions(preference: .size) packs parameters into less"),
        ])
    case .noKernels:
      return Problem(headline: "the instruction set is not there")
    }
  }

  /// The error of a prediction with inputs of a new size.
  func predictionError(_ compiler: Compiler) -> PredictionError {
    switch self {
    case .unfit: PredictionError(.wrongShape, problem(compiler))
    case .noMemory(let error): .noMemory(error.byteCount)
    case .parameters, .noKernels: PredictionError(.parameters, problem(compiler))
    }
  }
}

extension ShapeError {
  static func axisTooLong() -> ShapeError {
    ShapeError(.tooLarge, "a tensor is too long", needs: "at most \(Int32.max) along each axis")
  }

  /// The error for an image that is too large; `stored` includes the border and padded channels.
  static func imageTooLarge(_ shape: Shape, stored: Shape) -> ShapeError {
    ShapeError(
      .tooLarge, "an image would be too large in memory",
      received: "\(shape), stored as \(stored): with the border that windows reach into and "
        + "channels in blocks of \(PlannedTensor.lanes)",
      needs: "at most \(Shape.maximumElementCount) elements as stored")
  }
}
