import ForgeShapes

/// The messages about a model as a whole; tests pin them.
extension Problem {
  static func noOutputs(at place: SourcePlace) -> Problem {
    Problem(place: place, headline: "the model has no outputs")
  }

  static func noInputs(at place: SourcePlace) -> Problem {
    Problem(place: place, headline: "the model has no inputs")
  }

  static func inputTwice(at place: SourcePlace) -> Problem {
    Problem(place: place, headline: "one input is given to the model twice")
  }

  static func differentLengths(at place: SourcePlace?, _ sizes: [SizeProgression]) -> Problem {
    var texts: [String] = []
    for size in sizes where !texts.contains("\(size.count) (\(size.text))") {
      texts.append("\(size.count) (\(size.text))")
    }
    return Problem(
      place: place, headline: "the inputs' lengths have different numbers of sizes",
      details: [
        ("received", texts.joined(separator: ", ")),
        ("needs", "the same number of sizes for all inputs, because they are used in pairs"),
      ])
  }

  static func lengthBesideOpenSizes(at place: SourcePlace?) -> Problem {
    Problem(
      place: place, headline: "an input has both a length and open sizes",
      details: [
        ("needs", "lengths, which .upTo and .stepping declare, or open sizes"),
        ("remedy", "declare .open instead"),
      ])
  }

  static func openSizeTwice(
    at place: SourcePlace?, _ name: String, _ first: SizeProgression, _ second: SizeProgression
  ) -> Problem {
    Problem(
      place: place, headline: "the open size \"\(name)\" has two ranges",
      details: [
        ("received", "\(first.text), and \(second.text)"),
        ("needs", "one range, because sizes with the same name are equal in a prediction"),
      ])
  }

  static func notAnInput(at place: SourcePlace, what: String) -> Problem {
    Problem(
      place: place, headline: "the model's inputs hold something that is not an input",
      details: [("received", what), ("needs", "tensors made by Input(…)")])
  }

  static func undeclaredInput(_ input: Inference.Node) -> Problem {
    Problem(
      place: input.place,
      headline: "input \"\(input.name)\" is used but is not among the model's inputs",
      details: [("remedy", "add it to Model(inputs:outputs:)")])
  }

  static func unusedInput(_ input: Inference.Node) -> Problem {
    Problem(
      place: input.place,
      headline: "input \"\(input.name)\" reaches no output",
      details: [("remedy", "use it, or leave it out of the model's inputs")])
  }

  static func outputWithoutInput(at place: SourcePlace, what: String) -> Problem {
    Problem(
      place: place, headline: "an output depends on no input", details: [("received", what)])
  }

  static func nameTwice(_ node: Inference.Node, _ earlier: Inference.Node) -> Problem {
    let first = earlier.place.map { " at \($0)" } ?? ""
    let needs =
      node.isInput || earlier.isInput
      ? "a name of its own, as inputs share nothing"
      : "the same layer from the same place in source, to share its parameters"
    return Problem(
      place: node.place, layer: node.reference,
      headline: "the name \"\(node.name)\" has two definitions",
      details: [
        ("received", "\(earlier.reference)\(first)"),
        ("needs", needs),
        ("remedy", "give one of them another name"),
      ])
  }

  static func unusableName(_ node: Inference.Node) -> Problem {
    Problem(
      place: node.place, layer: node.reference,
      headline: node.tensor.givenName?.isEmpty == true
        ? "the name is empty" : "the name has several lines",
      details: [("remedy", "leave the name out, or write one line of text")])
  }

  static func unusableScope(_ scope: ScopeUse) -> Problem {
    Problem(
      place: scope.place,
      headline: "the name of \(scope.typeName) "
        + (scope.name?.isEmpty == true ? "is empty" : "has several lines"),
      details: [("remedy", "leave .named(…) out, or write one line of text")])
  }

  static func sharedSizesDiffer(_ node: Inference.Node, _ earlier: Inference.Node) -> Problem {
    let sizes = { (node: Inference.Node) in
      node.parameters.map { "\($0.type) \($0.shapeText)" }.joined(separator: ", ")
    }
    return Problem(
      place: node.place, layer: node.reference,
      headline: "the parameters shared by name have other sizes here",
      details: [
        ("received", sizes(node)),
        ("needs", "\(sizes(earlier)), as in layer \(earlier.position)"),
        ("remedy", "give inputs of the same size to both, or give one another name"),
      ])
  }
}

extension ShapeError {
  static func functionAfterSeveral(_ count: Int, isModel: Bool) -> ShapeError {
    let ofModel = count == 0 ? "a model without outputs" : "\(count) outputs of the model"
    return ShapeError(
      .wrongInputCount, "a function takes one tensor",
      received: isModel ? ofModel : "\(count) tensors",
      needs: "\(isModel ? "a model of one output" : "one tensor"), "
        + "or a layer such as Concatenate before the function")
  }

  static func notOneOutput(_ count: Int) -> ShapeError {
    ShapeError(
      .wrongInputCount, "a step of one output is needed here",
      received: count == 0 ? "a step without outputs" : "a step of \(count) outputs",
      needs: "one output, as --> returns one tensor",
      remedy: "call outputs(for: [x]), which returns all of them")
  }

  static func flawedModel(_ flaw: Problem) -> ShapeError {
    ShapeError(
      .invalidArgument, "the model has a mistake of its own", received: flaw.headline,
      remedy: "call check() on the model, which describes its mistakes")
  }

  static func wrongModelInputs(_ count: Int, needs: Int) -> ShapeError {
    ShapeError(
      .wrongInputCount, "wrong number of inputs", received: counted(count, "tensor"),
      needs: "exactly \(counted(needs, "tensor"))\(needs > 1 ? ", as in [a, b] --> model" : "")")
  }

  /// The input at `position`, from 1, of several or of one; the graph adds what was received.
  static func modelInputMisfit(
    _ shape: Shape, needs: Shape, position: Int, of count: Int
  ) -> ShapeError {
    let which = count > 1 ? " \(position)" : ""
    return ShapeError(
      .shapeMismatch, "input\(which) does not fit the model", needs: "\(needs)",
      remedy: resize(shape, to: needs))
  }

  private static func resize(_ shape: Shape, to needs: Shape) -> String? {
    guard let width = needs.width, let height = needs.height, needs.channels == shape.channels,
      shape.isImage
    else { return nil }
    return "put Resize(width: \(width), height: \(height)) before the model"
  }

  package static func moduleOfOne(_ count: Int) -> ShapeError {
    ShapeError(
      .wrongInputCount, "a module takes one tensor",
      received: count == 0 ? "no tensor" : "\(count) tensors",
      needs: "one tensor, or a MultiModule for several")
  }

  static func notALayer(_ what: String) -> ShapeError {
    ShapeError(
      .invalidArgument, "only layers, blocks and models can be chained", received: what,
      needs: "a type that conforms to Layer or GraphStep, or a Block of at least one layer")
  }
}
