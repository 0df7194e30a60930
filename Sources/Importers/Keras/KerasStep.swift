import Forge
import ForgeLoaders

/// What a layer does to its inputs.
struct KerasStep: Sendable {
  typealias Body = @Sendable (KerasCall) throws(KerasFault) -> [KerasTensor]

  let run: Body

  init(_ run: @escaping Body) { self.run = run }

  /// A step of one result.
  static func one(
    _ body: @escaping @Sendable (KerasCall) throws(KerasFault) -> KerasTensor
  ) -> KerasStep {
    KerasStep { call throws(KerasFault) in [try body(call)] }
  }

  /// A layer of one tensor of a number of axes (any if `nil`) that keeps this number.
  static func layer(
    rank: Int? = nil, _ layer: @escaping @Sendable (KerasCall) -> any Layer
  ) -> KerasStep {
    .one { call throws(KerasFault) in
      let input = try call.only(rank: rank)
      return try call.apply(layer(call), to: input)
    }
  }

  /// A step that changes nothing but gives the tensor a name.
  static let identity = KerasStep.layer { Activation(.linear, name: $0.name) }

  /// This step, followed by another one on its only result.
  func then(_ next: KerasStep?, named suffix: String) -> KerasStep {
    guard let next else { return self }
    return KerasStep { [run] call throws(KerasFault) in
      try next.run(call.with(inputs: try run(call), name: "\(call.name)/\(suffix)"))
    }
  }

  /// This step on tensors whose channels Keras has first.
  var onChannelsFirst: KerasStep {
    .one { [run] call throws(KerasFault) in
      var inputs: [KerasTensor] = []
      for input in call.inputs {
        guard input.rank >= 2 else { throw .unsupported("data_format \"channels_first\"") }
        let order = Array(1..<input.rank) + [0]
        inputs.append(try call.apply(Permute(order: order), to: input))
      }
      let results = try run(call.with(inputs: inputs, name: call.name))
      guard let result = results.first, results.count == 1 else { throw .unsupported(nil) }
      guard result.rank >= 2 else { return result }
      let order = [result.rank - 1] + Array(0..<result.rank - 1)
      let back = Permute(order: order, name: "\(call.name)/channels_first")
      return KerasTensor(tensor: try call.apply(back, to: result.tensor), rank: result.rank)
    }
  }
}

/// One call of a layer.
struct KerasCall: Sendable {
  /// The layer.
  let layer: KerasLayer
  /// The name for what the call makes: the path of the layer, numbered from its second call on.
  let name: String
  /// The tensors of the first argument, in order.
  let inputs: [KerasTensor]
  /// All arguments in order.
  let arguments: [KerasValue]
  /// The arguments that are given by name.
  let keywords: [String: KerasValue]
  /// What an operation has read of the arguments.
  var reads: KerasReads?

  /// The same call with other inputs.
  func with(inputs: [KerasTensor], name: String) -> KerasCall {
    KerasCall(
      layer: layer, name: name, inputs: inputs, arguments: arguments, keywords: keywords,
      reads: reads)
  }

  /// The only input, which must have a number of axes if one is stated.
  func only(rank: Int? = nil) throws(KerasFault) -> KerasTensor {
    guard inputs.count == 1, let input = inputs.first else {
      throw .invalid("the layer takes one tensor", received: "\(inputs.count)", needs: "1")
    }
    guard rank == nil || input.rank == rank else {
      throw .invalid(
        "the input has a different number of axes", received: "\(input.rank) besides the batch",
        needs: "\(rank ?? 0)")
    }
    return input
  }

  /// Applies a layer of Forge.
  func apply(_ layer: any Layer, to inputs: Tensor...) throws(KerasFault) -> Tensor {
    try apply(layer, to: inputs)
  }

  /// Applies a layer of Forge that keeps the number of axes.
  func apply(_ layer: any Layer, to input: KerasTensor) throws(KerasFault) -> KerasTensor {
    KerasTensor(tensor: try apply(layer, to: input.tensor), rank: input.rank)
  }

  /// Applies a layer of Forge to several tensors.
  func apply(_ layer: any Layer, to inputs: [Tensor]) throws(KerasFault) -> Tensor {
    let result = Tensor(.layer(layer), inputs: inputs)
    switch result.outcome {
    case .known: return result
    case .failed(let error): throw .shape(error, inputs: inputs.map(\.shape))
    case .blocked:
      throw .invalid("an input of the layer is not valid")
    }
  }
}

/// An argument of a call.
enum KerasValue: Sendable {
  case tensor(KerasTensor)
  case list([KerasValue])
  case json(JSONValue)

  /// All tensors, in order.
  var tensors: [KerasTensor] {
    switch self {
    case .tensor(let tensor): [tensor]
    case .list(let list): list.flatMap(\.tensors)
    case .json: []
    }
  }
}
