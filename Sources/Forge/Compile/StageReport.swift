import ForgeGraph
import ForgeOperations
import ForgeShapes

/// What one stage of a compile produced, as text.
public struct StageReport: Sendable, CustomStringConvertible {
  /// The stage: `infer`, `lower`, `load`, `rewrite`, `choose`, `plan memory`.
  public let name: String
  /// What it produced, one entry per line.
  public let lines: [String]

  /// The name, then the lines.
  public var description: String {
    ([name] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  /// The stages of a compile; the last two only when the input size is known, the others only when
  /// the model is.
  static func all(_ compiler: Compiler?, _ executable: (any Executable)?) -> [StageReport] {
    (compiler.map { onModel($0) } ?? []) + (executable.map { onPlan($0) } ?? [])
  }

  /// The stages that know no device.
  private static func onModel(_ compiler: Compiler) -> [StageReport] {
    let inferred = compiler.inference.nodes.map { node in
      "\(node.reference): \(node.shape?.description ?? "?")"
    }
    let loaded = zip(compiler.parameters.specs, compiler.parameters.data).map { spec, data in
      "\(spec.layer.printable) \(spec.type): \(spec.shapeText), "
        + "\(data.elementType.rawValue) from \(data.origin.printable)"
    }
    return [
      StageReport(name: "infer", lines: inferred),
      StageReport(name: "lower", lines: compiler.lowered.graph.lines),
      StageReport(name: "load", lines: loaded),
      StageReport(
        name: "rewrite",
        lines: compiler.rewrites.map { "\($0.name): \($0.places)" } + compiler.graph.lines),
    ]
  }

  /// The stages of the back end.
  private static func onPlan(_ executable: any Executable) -> [StageReport] {
    [
      StageReport(
        name: "choose",
        lines: executable.steps.enumerated().map { index, step in
          "\(index + 1). \(step.kernel): "
            + ShapeError.counted(step.multiplyAdds, "multiply-add") + ", "
            + ShapeError.bytes(step.bytes)
        }),
      StageReport(
        name: "plan memory",
        lines: executable.tensors.map { tensor in
          let steps = "steps \(tensor.lifetime.lowerBound + 1) to \(tensor.lifetime.upperBound + 1)"
          return "\(tensor.description): byte \(tensor.offset) of the arena, \(steps)"
        }),
    ]
  }
}

extension OperationGraph {
  /// The operations, one per line: `%5 = convolution(%0, %1, %2) + %3, relu: 28×28×20`.
  fileprivate var lines: [String] {
    nodes.map { node in
      var line = "%\(node.output.index) = \(node.primitive.name)("
      line += node.inputs.map { "%\($0.index)" }.joined(separator: ", ") + ")"
      if let residual = node.residual { line += " + %\(residual.index)" }
      if node.activation != .linear { line += ", \(node.activation)" }
      return line + ": \(shape(of: node.output).sizeText)"
    }
  }
}
