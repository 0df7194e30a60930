#if Macros
  import ForgeGraph
  import ForgeLayers
  import ForgeShapes
  import SwiftSyntax

  /// The functions of Forge that make tensors, models, blocks and shapes.
  enum GraphCalls {
    /// The names that source may call.
    static let names: Set<String> = [
      "Input", "Model", "Block", "Scope", "Concatenate", "Constant", "Custom", "Shape", "Tensor",
      "ModelMetadata",
    ]

    /// One call with its arguments evaluated.
    struct Call {
      let name: String
      let arguments: [Argument]
      let place: SourcePlace
      let node: Syntax
      let evaluator: Evaluator

      /// The value of a label; `nil` if the call does not state it.
      subscript(_ label: String?) -> Value? {
        arguments.first { $0.label == label }?.value
      }

      /// Whether the labels are among these, in any order.
      func hasOnly(_ labels: [String?]) -> Bool {
        arguments.allSatisfy { labels.contains($0.label) }
      }
    }

    /// The value of a call; `nil` if it fits none of these functions.
    static func value(of call: Call) -> Value? {
      switch call.name {
      case "Input": input(call)
      case "Model": model(call)
      case "Block": block(call)
      case "Scope": scope(call)
      case "Concatenate": concatenate(call)
      case "Constant": constant(call)
      case "Custom": CustomCall.value(of: call)
      case "Shape": shape(call)
      case "ModelMetadata": .void
      default: nil
      }
    }

    private static func input(_ call: Call) -> Value? {
      let name: String?
      if case .string(let text)? = call["name"] { name = text } else { name = nil }
      if case .unknown(let unknown)? = call["name"] { call.evaluator.report(unknown) }
      let input: InputDescription
      if let stated = call["shape"] {
        guard call.hasOnly(["shape", "name"]) else { return nil }
        // A rank that is not known leaves nothing to be known.
        guard case .array(let array) = stated else { return .unknown(unknown(stated, call)) }
        input = InputDescription(
          name: name, sizes: array.elements.map { inputSize(of: $0, call) }, place: call.place)
      } else {
        guard call.hasOnly(["width", "height", "channels", "name"]) else { return nil }
        let sides = [call["height"], call["width"]]
        let channels = call["channels"].map { size(of: $0, call) } ?? 3
        if sides.contains(where: { $0.flatMap(openSize) != nil }) {
          let sizes = sides.map { side in side.flatMap { inputSize(of: $0, call) } }
          input = InputDescription(
            name: name, sizes: sizes + [channels.map { .exactly($0) }], place: call.place)
        } else {
          let sizes = sides.map { side in side.flatMap { size(of: $0, call) } }
          input = InputDescription(
            name: name, shape: Shape(width: sizes[1], height: sizes[0], channels: channels),
            place: call.place)
        }
      }
      return .tensor(
        tensor(
          of: input,
          isUncertain: call.arguments.contains { $0.value.unknown != nil }))
    }

    private static func tensor(of input: InputDescription, isUncertain: Bool) -> Tensor {
      let known = Tensor(.input(input))
      // Sizes that are not known now are known when the program runs.
      return isUncertain ? Tensor(.input(input), inputs: [], outcome: known.outcome) : known
    }

    /// A size that may be `nil`; one that is not known becomes so, and is reported.
    private static func size(of value: Value, _ call: Call) -> Int? {
      switch value {
      case .none, .optional(nil, _): return nil
      default: break
      }
      if let size = Int.converted(from: value.unwrapped) { return size }
      call.evaluator.report(unknown(value, call))
      return nil
    }

    /// A size of an array of sizes, which may be the length of a sequence; one that is not known is
    /// reported.
    private static func inputSize(of value: Value, _ call: Call) -> InputSize? {
      if let size = InputSize.converted(from: value) { return size }
      return size(of: value, call).map { .exactly($0) }
    }

    /// A size of `.open`.
    private static func openSize(of value: Value) -> InputSize? {
      InputSize.converted(from: value).flatMap { $0.openName == nil ? nil : $0 }
    }

    private static func unknown(_ value: Value, _ call: Call) -> Unknown {
      value.unknown ?? Unknown(call.node, "an argument is not evaluated")
    }

    private static func model(_ call: Call) -> Value? {
      let place = call.place
      func tensors(_ label: String) -> [Tensor]? {
        switch call[label] {
        case .tensor(let tensor)?: return [tensor]
        case .array(let array)?: return call.evaluator.tensors(array.elements)
        case .unknown(let unknown)?:
          call.evaluator.report(unknown)
          return [.unknown(from: [])]
        default: return nil
        }
      }
      if let outputs = tensors("output") ?? tensors("outputs") {
        guard let inputs = tensors("input") ?? tensors("inputs") else {
          return .model(
            Model(outputs: outputs, fileID: place.fileID, line: place.line, column: place.column))
        }
        return .model(
          Model(
            inputs: inputs, outputs: outputs, fileID: place.fileID, line: place.line,
            column: place.column))
      }
      guard call.hasOnly(["channels"]) else { return nil }
      let channels = call["channels"].map { size(of: $0, call) } ?? 3
      let input = tensor(
        of: InputDescription(
          name: nil, shape: Shape(width: nil, height: nil, channels: channels), place: place),
        isUncertain: channels == nil)
      return .model(
        Model(
          inputs: [input], outputs: [input], fileID: place.fileID, line: place.line,
          column: place.column))
    }

    private static func block(_ call: Call) -> Value? {
      guard call.arguments.count == 1, let argument = call.arguments.first, argument.label == nil
      else { return nil }
      if case .array(let array) = argument.value {
        return .step(
          Block(array.elements.compactMap { call.evaluator.step(of: $0, at: call.node) }))
      }
      return call.evaluator.step(of: argument.value, at: call.node).map { .step(Block([$0])) }
    }

    private static func scope(_ call: Call) -> Value? {
      guard call.arguments.count == 2, case .string(let name) = call.arguments[0].value,
        case .function(let function) = call.arguments[1].value
      else { return nil }
      let (evaluator, node) = (call.evaluator, call.node)
      return .step(
        EvaluatedScope.make(name, call.place) { tensor in
          switch evaluator.call(function, [.tensor(tensor)], at: node) {
          case .tensor(let result): return result
          case let other:
            evaluator.report(other.unknown ?? Unknown(node, "the scope is not evaluated"))
            return .unknown(from: [tensor])
          }
        })
    }

    private static func concatenate(_ call: Call) -> Value? {
      guard let first = call.arguments.first, first.label == nil,
        case .array(let array) = first.value,
        let tensors = call.evaluator.tensors(array.elements)
      else { return nil }
      let arguments = Array(call.arguments.dropFirst())
      guard let layer = call.evaluator.layer("Concatenate", arguments, call.place, call.node) else {
        return nil
      }
      return .tensor(Tensor.applying(layer, to: tensors))
    }

    private static func constant(_ call: Call) -> Value? {
      guard let first = call.arguments.first, first.label == nil else { return nil }
      let name = call["name"].flatMap { String.converted(from: $0) }
      guard let values = [Float].converted(from: first.value) else {
        call.evaluator.report(unknown(first.value, call))
        return .tensor(.unknown(from: []))
      }
      var shape = Shape(sizes: [values.count])
      if let stated = call["shape"] {
        guard let sizes = [Int].converted(from: stated) else {
          call.evaluator.report(unknown(stated, call))
          return .tensor(.unknown(from: []))
        }
        shape = Shape(sizes: sizes)
      }
      let place = call.place
      let layer = ForgeLayers.Constant(
        values, shape: shape, name: name, fileID: place.fileID, line: place.line,
        column: place.column)
      return .tensor(Tensor.applying(layer, to: []))
    }

    private static func shape(_ call: Call) -> Value? {
      func size(_ label: String) -> Int?? {
        guard let value = call[label] else { return nil }
        return Int?.converted(from: value)
      }
      if let width = size("width"), let height = size("height"), let channels = size("channels") {
        return .shape(Shape(width: width, height: height, channels: channels))
      }
      if let sizes = call["sizes"].flatMap({ [Int].converted(from: $0) }) {
        return .shape(Shape(sizes: sizes))
      }
      if let first = call[nil], let sizes = [Int?].converted(from: first) {
        return .shape(Shape(sizes))
      }
      return nil
    }
  }

  /// A `Scope` with a function of the source.
  enum EvaluatedScope {
    /// What the scope needs from the evaluator, which runs on one thread.
    private struct Body: @unchecked Sendable {
      let apply: (Tensor) -> Tensor
    }

    static func make(
      _ name: String, _ place: SourcePlace, _ apply: @escaping (Tensor) -> Tensor
    ) -> any Step {
      let body = Body(apply: apply)
      return Scope(name, fileID: place.fileID, line: place.line, column: place.column) {
        body.apply($0)
      }
    }
  }
#endif
