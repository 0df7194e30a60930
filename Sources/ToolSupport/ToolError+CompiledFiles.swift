import Forge

// Mistakes in what is asked of a compiled file.

extension ToolError {
  /// The error of a command that needs layers and weights.
  package static func noLayers(in path: String) -> ToolError {
    ToolError(
      .layersNeeded, "a compiled file does not hold the layers and weights of its model",
      path: path, needs: "a model file", remedy: "pass the file that it was compiled from")
  }

  /// The error of arguments that leave no choice.
  package static func fixed(_ arguments: [String], by path: String) -> ToolError {
    ToolError(
      .fixedByFile, "a compiled file fixes what these arguments choose", path: path,
      received: arguments.joined(separator: ", "),
      remedy: "leave them out, or give the model that the file was compiled from")
  }

  /// The error of more threads than the plan has.
  static func tooManyThreads(_ threads: Int, most: Int, path: String) -> ToolError {
    ToolError(
      .fixedByFile, "the compiled file is planned for fewer threads", path: path,
      received: "--threads \(threads)", needs: "at most \(most)",
      remedy: "compile the model again with --threads \(threads)")
  }

  /// The error of more examples than a prediction may have.
  static func tooManyExamples(_ batch: Int, most: Int, path: String) -> ToolError {
    ToolError(
      .fixedByFile, "the compiled file is planned for fewer examples", path: path,
      received: "--batch \(batch)", needs: "at most \(most)",
      remedy: "compile the model again with --batch \(batch)")
  }
}
