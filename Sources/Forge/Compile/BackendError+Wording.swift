import ForgeGraph
import ForgeOperations
import ForgeShapes

extension BackendError {
  /// The error of a compile.
  func compileError(_ compiler: Compiler) -> CompileError { CompileError(problems(compiler)) }

  /// The problems, with the layers' names and places.
  private func problems(_ compiler: Compiler) -> [Problem] {
    switch self {
    case .unfit(let error, let layer, let received):
      let node = compiler.inference.layer(at: layer)
      var details = error.details
      if error.received == nil, !received.isEmpty {
        // A layer of several operations may receive the result of one of its own.
        let names = node?.inputs.map { compiler.inference.nodes[$0].name } ?? []
        let text = received.enumerated().map { index, shape in
          names.count == received.count ? "\(shape) from \"\(names[index])\"" : "\(shape)"
        }
        details.insert(("received", text.joined(separator: "\n")), at: 0)
      }
      return [
        Problem(
          place: node?.place, layer: node?.reference, headline: error.headline, details: details)
      ]
    case .constants(let cause):
      return CompileError(
        "a parameter could not be read", cause: cause, compiler.lowered, compiler.inference
      ).problems
    case .cancelled:
      return CompileError.cancelled.problems
    case .noMemory(let error):
      return [
        Problem(
          headline: "not enough memory for the compiled model",
          details: [
            ("needs", "\(ShapeError.bytes(error.byteCount)) in one block, and a little more"),
            ("remedy", "CompileOptions(preference: .size) packs parameters into less"),
          ])
      ]
    case .problems(let problems):
      return problems.map { layer, problem in
        guard let node = layer.flatMap({ compiler.inference.layer(at: $0) }) else {
          return problem
        }
        var problem = problem
        problem.place = node.place
        problem.layer = node.reference
        return problem
      }
    }
  }

  /// The error of a prediction with inputs of a new size.
  func predictionError(_ compiler: Compiler) -> PredictionError {
    switch self {
    case .unfit: PredictionError(.wrongShape, problems(compiler)[0])
    case .noMemory(let error): .noMemory(error)
    case .constants, .problems, .cancelled: PredictionError(.parameters, problems(compiler)[0])
    }
  }
}
