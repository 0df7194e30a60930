import Forge
import ForgeLoaders

/// One class of layers of Keras: all that Forge knows of it.
///
/// Every fact is stated, so that what a layer does not do is written down too. The value stands in
/// the file of the layer's family and in the family's list.
struct KerasClass: Sendable {
  /// Reads the arguments of a layer.
  typealias Build = @Sendable (KerasLayer) throws(KerasFault) -> KerasStep

  /// The arguments of Keras's method `call`.
  enum Arguments: Sendable {
    /// The tensors are in the first one; all are named in order.
    case first([String])
    /// The layer reads them itself, by ``KerasArguments``.
    case byLayer

    /// The arguments of most layers.
    static let usual = Arguments.first(["inputs", "training", "mask"])
  }

  /// What becomes of the mask of the input, see ``KerasMask``.
  enum Mask: Sendable {
    /// The result has none.
    case lost
    /// The result has the same one, since a version of Keras, and is computed without it.
    case passed(since: Int)
    /// The layer reads or makes masks.
    case byLayer
  }

  /// What a call with `training=True` computes.
  enum Training: Sendable {
    /// The same as other calls.
    case same
    /// Something else.
    case different
    /// Something else where the layer, or one in it, has dropout.
    case dropout
    /// What the layer inside does.
    case inner
    /// Something else in Keras 2; in Keras 3 `training=True` is the default that `predict` ignores.
    case augmentation
  }

  /// What the layer does to the positions along the first axis.
  enum Positions: Sendable {
    /// The same to each, so a layer for each step is the layer itself.
    ///
    /// That is so for layers with an argument `axis` if it is the last one.
    case apart
    /// It has parameters for positions, moves them, or mixes them.
    case together
  }

  /// The class names in all versions; the first one is that of Keras 3.
  let names: [String]
  /// The arguments of a call.
  let arguments: Arguments
  /// What becomes of a mask.
  let mask: Mask
  /// What training changes.
  let training: Training
  /// What happens to positions.
  let positions: Positions
  /// Whether it reads the layer after `quantize` of Keras.
  private(set) var readsQuantization = false
  private let build: Build

  init(
    _ names: [String], arguments: Arguments, mask: Mask, training: Training,
    positions: Positions, build: @escaping Build
  ) {
    self.names = names
    self.arguments = arguments
    self.mask = mask
    self.training = training
    self.positions = positions
    self.build = build
  }

  /// The class, which also reads the layer after `quantize` of Keras.
  var quantizable: KerasClass {
    var copy = self
    copy.readsQuantization = true
    return copy
  }

  /// Whether the mask of the first input is passed on, in a version of Keras.
  func passesMask(generation: Int) -> Bool {
    if case .passed(let since) = mask { generation >= since } else { false }
  }

  /// What a layer of the class does.
  func step(for layer: KerasLayer) throws(KerasFault) -> KerasStep {
    let step = try build(layer)
    guard case .first(let parameters) = arguments else { return step }
    let passesMask = passesMask(generation: layer.generation)
    return KerasStep { call throws(KerasFault) in
      let arguments = try KerasArguments(call, parameters: parameters)
      if !passesMask { try arguments.refuse("mask") }
      try arguments.refuseTraining(of: layer)
      return try step.run(call)
    }
  }
}

/// The layers of Keras that Forge has.
enum KerasClasses {
  /// The layers by family; each family is a file.
  private static let families: [[KerasClass]] = [
    KerasActivationLayers.classes, KerasAffines.classes, KerasApplications.classes,
    KerasAttention.classes, KerasBorders.classes, KerasConvolutions.classes,
    KerasConvolutions1D.classes, KerasDense.classes, KerasDot.classes, KerasEinsumDense.classes,
    KerasEmbedding.classes, KerasReversibleEmbedding.classes,
    KerasGlobalPoolings.classes, KerasMasking.classes, KerasMerges.classes, KerasNoise.classes,
    KerasNormalizations.classes, KerasPoolings.classes, KerasRearrangements.classes,
    KerasRecurrent.classes, KerasSamplings.classes, KerasScoreAttention.classes,
    KerasSpectra.classes, KerasWrappers.classes,
  ]

  /// All layers.
  static let all = families.flatMap(\.self)

  private static let byName = Dictionary(
    all.flatMap { known in known.names.map { ($0, known) } }
  ) { first, _ in first }

  /// The layer of a class name, in any version of Keras; `nil` if Forge does not have it.
  static func find(_ name: String) -> KerasClass? { byName[name] }

  /// What a layer or an operation does.
  static func step(for layer: KerasLayer) throws(KerasFault) -> KerasStep {
    if let builder = layer.builder { return KerasCustomLayer.step(builder, for: layer) }
    if layer.isOperation { return try KerasFunctions.step(for: layer) }
    if layer.kind == "TFOpLambda" || layer.kind == "SlicingOpLambda" {
      return try KerasFunctions.tensorFlowStep(for: layer)
    }
    guard let known = find(layer.kind) else { throw .unsupported(nil) }
    if !known.readsQuantization, let policy = layer.quantizationPolicy?.text {
      throw .unsupported("the dtype policy \"\(policy.prefix(80))\"")
    }
    return try known.step(for: layer)
  }
}

extension KerasLayer {
  /// Whether a call with `training=True` computes something else than other calls.
  var differsInTraining: Bool {
    guard !isOperation, let known = KerasClasses.find(kind) else { return false }
    return switch known.training {
    case .same: false
    case .different: true
    case .dropout: Self.hasDropout(config.json)
    case .inner: inner("layer")?.differsInTraining ?? false
    case .augmentation: generation < 3
    }
  }

  /// Whether the arguments of a layer, or those of the layers in it, state dropout.
  private static func hasDropout(_ config: JSONValue) -> Bool {
    let rates = ["dropout", "recurrent_dropout"].compactMap { config[EntryName($0)]?.float }
    if rates.contains(where: { $0 > 0 }) { return true }
    let inner = ["layer", "backward_layer", "cell"].compactMap { config[EntryName($0)] }
    return (inner + (config["cells"]?.array ?? [])).contains { layer in
      layer["config"].map(hasDropout) ?? false
    }
  }
}

extension KerasStep {
  /// The step, or with channels first the step between two transpositions.
  func arranged(for layer: KerasLayer) -> KerasStep {
    layer.isChannelsFirst ? onChannelsFirst : self
  }

  /// The step, followed by what an activation needs besides its function in the layer.
  func then(_ activation: KerasActivation) -> KerasStep {
    then(activation.after?.step, named: activation.after?.name ?? "")
  }
}
