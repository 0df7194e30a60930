import ForgeGraph
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// What determines a compiled network: equal keys mean equal networks.
///
/// | part | content |
/// | --- | --- |
/// | machine | the version of the engine, the instruction set with its kernels, the threads |
/// | options | all that are values; the layers that are kept |
/// | names | of inputs, outputs, states, layers and their types |
/// | graph | the operations that the layers are lowered to, with all arguments and shapes |
/// | parameters | their axes and order, and a hash of their bytes |
struct CompileKey: Hashable {
  /// The key in hexadecimal digits, which is the name of the entry.
  let text: String

  /// Why a network has no key.
  struct Refusal: Error {
    let reason: String
  }

  /// Makes the key of a model.
  ///
  /// - Throws: ``Refusal`` if a compiled file cannot hold the network, and what reading a parameter
  ///   throws.
  init(_ model: LoadedModel, _ options: CompileOptions, _ hashes: ParameterHashes) throws {
    try Self.check(model, options)
    guard let machine = options.device.storedFacts(of: options) else {
      throw Refusal(reason: "the back end writes no compiled files")
    }
    var key = ContentKey()
    do throws(ContentKey.Unkeyed) {
      try key.add(machine)
      try key.add(options)
      try key.add(options.keptLayers(model.inference).map(\.position))
      try Self.add(model, to: &key)
    } catch {
      throw Refusal(reason: "a value of the type \(error.type) has no key")
    }
    let parameters = model.parameters
    for index in parameters.specs.indices {
      let (spec, data) = (parameters.specs[index], parameters.data[index])
      try key.add(spec)
      try key.add(parameters.original(of: index))
      try key.add([data.count, data.elementType.byteCount])
      try key.add(data.elementType.rawValue)
      try key.add(data.layout.strides(for: spec))
      try key.add(hashes.hash(of: data))
    }
    text = key.hash.hex
  }

  private static func add(
    _ model: LoadedModel, to key: inout ContentKey
  ) throws(ContentKey.Unkeyed) {
    let inference = model.inference
    for node in inference.nodes {
      try key.add([node.name, node.typeName])
      try key.add([node.position, node.isInput ? 1 : 0, node.isOfIntegers ? 1 : 0])
      try key.add(node.lengthAxes)
      try key.add(node.inputs)
    }
    try key.add([inference.inputs, inference.outputs])
    try key.add(model.lowered.graph)
    guard let maximum = inference.maximumLength else { return }
    // One plan serves all lengths, and is made from these.
    let range = LengthRange(maximum: maximum) { _ in model.lowered.graph }
    for length in range.probes {
      // A length that fails says so in the compile.
      guard let shorter = try? LoweredModel(inference, length: length) else { continue }
      try key.add(shorter.graph)
    }
  }

  /// Checks what is known to have no place in a compiled file.
  private static func check(_ model: LoadedModel, _ options: CompileOptions) throws(Refusal) {
    if case .samples = options.verify {
      throw Refusal(reason: "verify needs a freshly compiled network")
    }
    guard options.tuningTimer == nil else { throw Refusal(reason: "the clock is replaced") }
    let inputs = model.inference.inputs.map { model.inference.nodes[$0] }
    if let open = inputs.first(where: { $0.shape?.isKnown != true }) {
      throw Refusal(reason: "the input \"\(open.name)\" has no size")
    }
    guard model.inference.openSizes == nil else {
      throw Refusal(reason: "each prediction chooses sizes of inputs")
    }
    for node in model.lowered.graph.nodes {
      guard case .custom = node.primitive else { continue }
      let name = node.layers.last.flatMap { model.inference.layer(at: $0)?.name } ?? ""
      throw Refusal(reason: "the layer \"\(name)\" runs Swift code")
    }
  }
}
