import Forge
import ForgeLayers
import ForgeShapes

/// The layers of a model as calls of initializers.
struct SwiftNetwork {
  /// A layer: its type, its arguments, and its name, if the source states one.
  private struct Call {
    let type: String
    let arguments: [SwiftArgument]
    let name: String?
    /// The name, given or generated.
    let title: String
    let inputs: [Int]
    let isOutput: Bool
  }

  private let calls: [Call]
  /// The positions of the outputs; inputs of the model have negative positions.
  let outputs: [Int]

  /// Takes the layers of a model.
  ///
  /// - Throws: ``ExportError`` with every layer that cannot be written.
  init(_ inference: Inference, _ model: Model, _ options: SwiftOptions) throws(ExportError) {
    var problems: [Problem] = Self.inputProblems(inference)
    var positions: [Int: Int] = [:]
    for (place, index) in inference.inputs.enumerated() { positions[index] = -1 - place }
    let outputs = Set(inference.outputs)
    var calls: [Call] = []
    for (index, node) in inference.nodes.enumerated() where !node.isInput {
      positions[index] = calls.count
      let isOutput = outputs.contains(index)
      var arguments: [SwiftArgument] = []
      do throws(ExportRefusal) { arguments = try Self.arguments(of: node, options) } catch {
        problems.append(Self.problem(node, error))
      }
      calls.append(
        Call(
          type: node.typeName, arguments: arguments, name: Self.name(of: node, isOutput: isOutput),
          title: node.name, inputs: node.inputs.compactMap { positions[$0] }, isOutput: isOutput))
    }
    guard problems.isEmpty else { throw ExportError(problems) }
    self.calls = calls
    self.outputs = inference.outputs.compactMap { positions[$0] }
  }

  /// The types of the layers.
  var types: Set<String> {
    var types = Set(calls.map(\.type))
    func add(_ expression: SwiftExpression) {
      switch expression {
      case .text, .list: break
      case .member(_, let arguments): for argument in arguments { add(argument.value) }
      case .call(let type, let arguments):
        types.insert(type)
        for argument in arguments { add(argument.value) }
      case .nested(let layer):
        types.insert(layer.type)
        for argument in layer.arguments ?? [] { add(argument.value) }
      }
    }
    for argument in calls.flatMap(\.arguments) { add(argument.value) }
    return types
  }

  /// The layers, of which those that share a name are one constant.
  ///
  /// - Parameter share: called once for each constant; returns its name.
  /// - Returns: the layers in order.
  func nodes(
    _ share: ((type: String, arguments: [SwiftArgument], name: String)) -> String
  ) -> [SwiftNode] {
    var counts: [String: Int] = [:]
    for call in calls { if let name = call.name { counts[name, default: 0] += 1 } }
    var constants: [String: String] = [:]
    return calls.map { call in
      guard let name = call.name, counts[name, default: 0] > 1 else {
        return SwiftNode(
          call: .initializer(call.type, call.arguments), name: call.name.map(SwiftName.init),
          inputs: call.inputs, isOutput: call.isOutput, title: call.name ?? call.type)
      }
      let constant = constants[name] ?? share((call.type, call.arguments, name))
      constants[name] = constant
      return SwiftNode(
        call: .shared(constant), name: nil, inputs: call.inputs, isOutput: call.isOutput,
        title: name)
    }
  }

  // MARK: Layers

  /// The arguments that create a layer.
  private static func arguments(
    of node: Inference.Node, _ options: SwiftOptions
  ) throws(ExportRefusal) -> [SwiftArgument] {
    guard let layer = node.layer as? any SwiftLayer else {
      throw ExportRefusal(
        what: "a layer that no public initializer creates",
        remedy: "replace it by public layers; ONNX and compiled files hold what it does")
    }
    guard layer.isSaidByArguments else {
      throw ExportRefusal(
        what: "settings that no public initializer has, such as the scales of 8-bit weights",
        remedy: "write the model as an ONNX file or a compiled file")
    }
    let arguments = layer.swiftArguments
    for argument in arguments { try check(argument.value, options) }
    return arguments
  }

  /// Checks that a value can be written.
  private static func check(
    _ value: SwiftExpression, _ options: SwiftOptions
  ) throws(ExportRefusal) {
    switch value {
    case .text: break
    case .list(_, let literals):
      guard
        literals.count <= max(options.longestConstant, 0)
          || literals.allSatisfy({ $0 == literals[0] })
      else {
        throw ExportRefusal(
          what: "a constant of \(literals.count) numbers",
          remedy: "the option longestConstant, which is \(options.longestConstant)")
      }
    case .member(_, let arguments), .call(_, let arguments):
      for argument in arguments { try check(argument.value, options) }
    case .nested(let layer):
      guard let arguments = layer.arguments else {
        throw ExportRefusal(what: "a layer of the type \(layer.type), which cannot be written")
      }
      for argument in arguments { try check(argument.value, options) }
    }
  }

  /// The name that the source states: the given one, and the generated one where it is needed.
  ///
  /// Generated names follow the order of layers, which stays, but not the names of modules.
  private static func name(of node: Inference.Node, isOutput: Bool) -> String? {
    if node.isNamed || !node.parameters.isEmpty { return node.name }
    let hasState = node.tensor.outline?.states.isEmpty == false
    let isInScope = node.tensor.scopes.contains { $0.name != nil }
    return (isOutput || hasState) && isInScope ? node.name : nil
  }

  private static func problem(_ node: Inference.Node, _ refusal: ExportRefusal) -> Problem {
    Problem(
      place: node.place, layer: node.reference,
      headline: "the layer cannot be written as Swift source",
      details: [("received", refusal.what)] + (refusal.remedy.map { [("remedy", $0)] } ?? []))
  }

  /// The inputs whose sizes only a file can follow.
  private static func inputProblems(_ inference: Inference) -> [Problem] {
    guard let open = inference.openSizes else { return [] }
    return zip(inference.inputs, open.axes).compactMap { index, axes in
      let node = inference.nodes[index]
      guard case .input(let input) = node.tensor.source, input.openAxes.isEmpty, !axes.isEmpty
      else { return nil }
      return Problem(
        place: node.place, layer: node.reference,
        headline: "the input cannot be written as Swift source",
        details: [
          ("received", "open sizes, for each of which the file describes another network"),
          ("remedy", "import the file with fixed sizes"),
        ])
    }
  }
}
