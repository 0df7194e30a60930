import ForgeGraph
import ForgeOperations
import ForgeShapes

extension Problem {
  static func notFiniteParameter(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, value: Float, index: Int,
    origin: String, needs: String
  ) -> Problem {
    Problem(
      place: place, layer: layer,
      headline:
        "\(spec.type.subject) \(spec.type.verb("hold", "holds")) a number that is not finite",
      details: [
        (
          "received",
          "\(value.nameOfNonFinite) at index \(index) of \(spec.shapeText) from \(origin)"
        ),
        ("needs", needs),
      ])
  }

  static func unclearOrder(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, origin: String,
    after operation: String
  ) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "the order of \(spec.type.subject) is not known",
      details: [
        ("received", "values with channels first from \(origin), for a flattened image"),
        ("needs", "a flattened image that is not rearranged, as it is here by \(operation)"),
        (
          "remedy",
          "join or cut images before they are flattened, or reorder the values and pass them with "
            + "layout: .forge, as in a ParameterDictionary"
        ),
      ])
  }

  static func unclearOutputs(
    at place: SourcePlace?, _ layer: LayerReference, spec: ParameterSpec, origin: String,
    of image: Shape
  ) -> Problem {
    let sizes = image.sizes ?? []
    let channelsFirst = (sizes.suffix(1) + sizes.dropLast()).map(String.init)
    return Problem(
      place: place, layer: layer,
      headline: "the order of \(spec.type.subject) is not known",
      details: [
        ("received", "values with channels first from \(origin), for outputs that become an image"),
        ("needs", "outputs in the order height, width, channels of \(image)"),
        (
          "remedy",
          "Reshape(to: [\(channelsFirst.joined(separator: ", "))]) --> Permute(order: [1, 2, 0]), "
            + "or reorder the values and pass them with layout: .forge, as in a ParameterDictionary"
        ),
      ])
  }

  static func computedOperand(
    at place: SourcePlace?, _ layer: LayerReference?, operand: Int, of primitive: String
  ) -> Problem {
    Problem(
      place: place, layer: layer,
      headline: "operand \(operand) of \(primitive) depends on an input",
      details: [("needs", "parameters, constants, or what follows from them alone")])
  }

  static func noSource(_ names: [String]) -> Problem {
    Problem(
      headline: "the model has parameters, but compile got no source for them",
      details: [
        ("received", names.map { "\"\($0)\"" }.joined(separator: ", ")),
        ("remedy", "compile(parameters:) with a source, or compile { name, count, type in … }"),
      ])
  }

  static func verifyFailed(
    _ error: Verification.OutputError, bound: String, layer: String?, rewrite: String?
  ) -> Problem {
    let item = error.item.map { " of item \($0)" } ?? ""
    var details = [
      (
        "received",
        "relative L2 error \(error.itemRelativeL2)\(item) of output \"\(error.output)\""
      ),
      ("needs", "at most \(bound)"),
    ]
    if error.isUneven {
      details.append(("inputs", "rows and channels of different scale"))
    }
    if let layer { details.append(("first at", "layer \"\(layer)\"")) }
    details.append(
      ("rewrite", rewrite.map { "\($0): without it the error is in bounds" } ?? "none is the cause")
    )
    return Problem(
      headline: "the compiled plan differs from the reference executor", details: details)
  }
}

extension CompileError {
  /// The error of a compile whose task was canceled.
  static var cancelled: CompileError {
    let cause = Cancelled()
    return CompileError([Problem(headline: cause.description, cause: cause)])
  }

  /// Whether the compile ended because its task was canceled.
  public var isCancelled: Bool { problems.contains { $0.cause is Cancelled } }

  /// The cause of the problem of a canceled compile.
  private struct Cancelled: Error, CustomStringConvertible {
    var description: String { "the compile was canceled" }
  }

  /// The error of a compile in which `cause` was thrown.
  ///
  /// A parameter that cannot be read is named with its layer; `headline` is for everything else.
  init(_ headline: String, cause: any Error, _ lowered: LoweredModel, _ inference: Inference) {
    // The reference executor wraps what a parameter's source throws.
    let inner = (cause as? ReferenceError)?.cause ?? cause
    if inner is CancellationError, CompileWatch.isCancelled {
      self = .cancelled
    } else if let unread = inner as? UnreadableParameter {
      let node = inference.nodes[lowered.owners[unread.index]]
      self.init([
        .sourceFailed(
          at: node.place, node.reference, spec: lowered.parameters[unread.index],
          cause: unread.cause)
      ])
    } else {
      self.init([Problem(headline: headline, cause: cause)])
    }
  }
}
