import Forge
import ForgeLoaders

/// Layers around one other layer or model.
enum KerasWrappers {
  static let classes: [KerasClass] = [
    KerasClass(
      ["TimeDistributed"], arguments: .usual, mask: .passed(since: 1), training: .inner,
      positions: .together, build: timeDistributed)
  ]

  /// The most steps, each of which is computed by layers of its own.
  private static let mostTimes = 1024

  private static func timeDistributed(_ layer: KerasLayer) throws(KerasFault) -> KerasStep {
    guard let json = layer.config["layer"], let inner = layer.inner(json) else {
      throw .invalid("the description lacks an argument", needs: "layer")
    }
    if KerasModelDescription.kinds.contains(inner.kind) { return try eachTime(json, inner) }
    if let policy = inner.quantizationPolicy?.text {
      // TimeDistributed calls the layer's method `call`, which computes with plain integers.
      throw .unsupported(
        "a layer with the dtype policy \"\(policy.prefix(80))\", whose scales Keras does not apply")
    }
    if inner.kind == "Flatten", !inner.isChannelsFirst, inner.builder == nil { return flattened }
    let step = try KerasClasses.step(for: inner)
    let known = inner.builder == nil ? KerasClasses.find(inner.kind) : nil
    let axes = try inner.config.integers("axis")
    if let known, known.positions == .apart, axes == nil || axes == [-1] { return step }
    guard try !inner.config.flag("stateful", default: false) else {
      throw .unsupported("stateful of a layer in TimeDistributed")
    }
    return .one { call throws(KerasFault) in
      if case .byLayer? = known?.mask { try KerasMask.refuse(call) }
      return try eachTime(inner, call) { each throws(KerasFault) in try step.only(each) }
    }
  }

  /// Each step as a vector.
  private static let flattened = KerasStep.one { call throws(KerasFault) in
    let input = try call.only()
    let sizes = try input.knownSizes("known sizes to flatten each step")
    let each = sizes.dropFirst().reduce(1, *)
    let reshape = input.tensor.reshape(
      to: KerasTensor.forgeSizes([sizes[0], each]), name: call.name)
    return KerasTensor(tensor: try call.apply(reshape, to: input.tensor), rank: 2)
  }

  /// A model for each time, with the same parameters.
  private static func eachTime(
    _ json: JSONValue, _ inner: KerasLayer
  ) throws(KerasFault) -> KerasStep {
    var context = KerasPlan.Context(inner.file)
    let plan: KerasPlan
    do throws(ImportError) {
      plan = try KerasPlan(
        json, prefix: "\(inner.path)/\(inner.config["name"]?.text ?? "model")/", depth: 1, &context)
    } catch { throw .fatal(error) }
    try supported(context)
    return .one { [context] call throws(KerasFault) in
      try KerasMask.refuse(call)
      var builder = KerasBuilder(context)
      return try eachTime(inner, call) { each throws(KerasFault) in
        let input = try each.only()
        let outputs: [KerasTensor?]
        do throws(ImportError) {
          outputs = try builder.apply(plan, to: [input])
        } catch { throw .fatal(error) }
        try supported(builder.context)
        guard let output = outputs.first, let output, outputs.count == 1 else {
          throw .unsupported("a model of several outputs")
        }
        return output
      }
    }
  }

  /// Refuses a model with layers that are not supported.
  private static func supported(_ context: KerasPlan.Context) throws(KerasFault) {
    guard let node = context.unsupported.first else { return }
    throw .unsupported("a model with \(node.type)" + (node.detail.map { " with \($0)" } ?? ""))
  }

  /// The results of a body for each time, in order.
  private static func eachTime(
    _ inner: KerasLayer, _ call: KerasCall,
    _ body: (KerasCall) throws(KerasFault) -> KerasTensor
  ) throws(KerasFault) -> KerasTensor {
    let input = try call.only()
    let sizes = try input.knownSizes("a known number of steps")
    guard sizes.count >= 2, (1...mostTimes).contains(sizes[0]),
      input.tensor.lengths.maximum == nil
    else { throw .unsupported("\(sizes.first ?? 0) steps, or steps whose number varies") }
    let each = Array(sizes.dropFirst())
    var parts: [Tensor] = []
    var rank = 0
    for time in 0..<sizes[0] {
      do throws(ImportError) { try inner.file.count() } catch { throw .fatal(error) }
      let slice = try call.apply(
        Slice(starts: [time], ends: [time + 1], axes: [0]), to: input.tensor)
      let step = KerasTensor(
        tensor: try call.apply(Reshape(to: KerasTensor.forgeSizes(each)), to: slice),
        rank: each.count)
      let result = try body(
        KerasCall(
          layer: inner, name: "\(call.name)/\(time)", inputs: [step], arguments: [.tensor(step)],
          keywords: [:]))
      rank = result.rank
      let made = try result.knownSizes("a known size of each step")
      parts.append(try call.apply(Reshape(to: [1] + made), to: result.tensor))
    }
    let all =
      parts.count == 1
      ? parts[0] : try call.apply(Concatenate(axis: 0, name: "\(call.name)/steps"), to: parts)
    return KerasTensor(tensor: all, rank: rank + 1)
  }
}
