import Forge
import ForgeLoaders

/// Applies the layers of a plan to tensors.
struct KerasBuilder {
  var context: KerasPlan.Context
  /// The number of calls so far of the layer at each path.
  private var calls: [String: Int] = [:]

  init(_ context: KerasPlan.Context) { self.context = context }

  /// Applies a model to its inputs.
  ///
  /// - Parameters:
  ///   - plan: the model.
  ///   - inputs: the inputs in order; `nil` for those behind a layer that is not supported.
  /// - Returns: the outputs in order; `nil` for those behind a layer that is not supported.
  /// - Throws: ``ImportError``: `malformed`, `invalidNode`, `parameter` or `tooLarge`.
  mutating func apply(
    _ plan: KerasPlan, to inputs: [KerasTensor?]
  ) throws(ImportError) -> [KerasTensor?] {
    let description = plan.description
    guard inputs.count == description.inputs.count else {
      throw .kerasDescription(
        "a model takes a different number of inputs", path: context.path, entry: description.name,
        received: "\(inputs.count)", needs: "\(description.inputs.count)")
    }
    var results: [KerasNode: [KerasTensor]?] = [:]
    for (reference, input) in zip(description.inputs, inputs) {
      guard let node = try plan.order.node(of: reference) else { continue }
      results[node] = .some(input.map { [$0] })
    }
    func tensor(_ reference: KerasReference) throws(ImportError) -> KerasTensor? {
      guard let node = try plan.order.node(of: reference) else { return inputs[0] }
      guard let found = results[node] else {
        throw .kerasDescription(
          "a layer takes an input that is not one of the model's", path: context.path,
          entry: description.name, received: "\"\(reference.layer)\"")
      }
      guard let found else { return nil }
      guard reference.output < found.count else {
        throw .kerasDescription(
          "a layer reads an output that another layer does not have", path: context.path,
          entry: description.name, received: "output \(reference.output) of \"\(reference.layer)\"")
      }
      return found[reference.output]
    }
    for node in plan.order.nodes where results[node] == nil {
      let part = plan.parts[node.layer]
      if case .input = part { continue }
      try context.file.count()
      let arguments = description.layers[node.layer].calls[node.call]
      var tensors: [KerasReference: KerasTensor] = [:]
      var isBlocked = false
      for reference in arguments.references {
        let found = try tensor(reference)
        tensors[reference] = found
        if found == nil { isBlocked = true }
      }
      switch part {
      case .input: break
      case .unsupported: results[node] = .some(nil)
      case .model(let inner) where arguments.isTraining && inner.differsInTraining:
        let entry = description.layers[node.layer]
        context.unsupported.append(
          UnsupportedNode(type: entry.kind, detail: "training true of a call", name: entry.name))
        results[node] = .some(nil)
      case .model(let inner):
        let outputs = try apply(inner, to: Self.inputs(of: arguments, tensors))
        let known = outputs.compactMap(\.self)
        results[node] = .some(known.count == outputs.count ? known : nil)
      case .layer(let layer, let step):
        results[node] = .some(
          isBlocked ? nil : try call(layer, step, Self.values(arguments, tensors)))
      }
    }
    var outputs: [KerasTensor?] = []
    for reference in description.outputs { outputs.append(try tensor(reference)) }
    return outputs
  }

  /// The results of one call; `nil` if it is not supported, which is noted.
  private mutating func call(
    _ layer: KerasLayer, _ step: KerasStep,
    _ values: (arguments: [KerasValue], keywords: [String: KerasValue])
  ) throws(ImportError) -> [KerasTensor]? {
    let number = calls[layer.path, default: 0]
    calls[layer.path] = number + 1
    let positional = values.arguments.flatMap(\.tensors)
    let call = KerasCall(
      layer: layer, name: number == 0 ? layer.path : "\(layer.path):\(number)",
      inputs: positional.isEmpty
        ? values.keywords.sorted { $0.key < $1.key }.flatMap(\.value.tensors) : positional,
      arguments: values.arguments, keywords: values.keywords)
    do throws(KerasFault) {
      let place = SourcePlace(
        file: context.path ?? "a description", entry: "\(layer.kind) \"\(layer.path)\"")
      var results = try SourcePlace.describing(for: place) { () throws(KerasFault) in
        try step.run(call)
      }
      if KerasMask.passes(layer), let mask = call.inputs.first?.mask {
        for index in results.indices { results[index].mask = mask }
      }
      return results
    } catch {
      try context.note(error, layer)
      return nil
    }
  }

  /// The inputs of a model in order, with the masks that a call states beside them.
  private static func inputs(
    of call: KerasCallArguments, _ tensors: [KerasReference: KerasTensor]
  ) -> [KerasTensor?] {
    let others = call.keywords.filter { $0.name != "mask" }.map(\.value)
    var inputs = (call.arguments + others).flatMap(\.references).map { tensors[$0] }
    guard let mask = call.keywords.first(where: { $0.name == "mask" })?.value else {
      return inputs
    }
    let masks = if case .list(let list) = mask { list } else { [mask] }
    for (index, mask) in masks.enumerated() where inputs.indices.contains(index) {
      guard case .reference(let reference) = mask, let stated = tensors[reference] else { continue }
      inputs[index]?.mask = stated.tensor.chained(to: Reshape(to: [-1]))
    }
    return inputs
  }

  private static func values(
    _ call: KerasCallArguments, _ tensors: [KerasReference: KerasTensor]
  ) -> (arguments: [KerasValue], keywords: [String: KerasValue]) {
    func value(_ argument: KerasArgument) -> KerasValue {
      switch argument {
      case .reference(let reference): tensors[reference].map { .tensor($0) } ?? .json(.null)
      case .list(let list): .list(list.map(value))
      case .json(let json): .json(json)
      }
    }
    var keywords: [String: KerasValue] = [:]
    for (name, argument) in call.keywords { keywords[name] = value(argument) }
    return (call.arguments.map(value), keywords)
  }
}
