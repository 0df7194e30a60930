import CForge
import Forge
import ForgeImporters

/// What a model's handle leads to: the network, and its tensors as C reads them.
struct OpenedModel: ~Copyable {
  let network: CompiledModel
  let inputs: TensorList
  let outputs: TensorList
  let states: TensorList

  static let table = HandleTable<OpenedModel>(
    kind: 0x4d, name: "model", isShared: true)

  /// Describes the tensors of a network.
  init(_ network: CompiledModel) {
    self.network = network
    inputs = TensorList(
      names: network.inputNames, sizes: network.inputShapes.map(\.dimensions),
      types: network.inputNames.indices.map {
        network.isOfIntegers(input: $0) ? FORGE_INTEGER : FORGE_FLOAT
      })
    outputs = TensorList(
      names: network.outputNames, sizes: network.outputShapes.map(\.dimensions))
    states = TensorList(names: network.stateNames, sizes: network.stateSizes)
  }

  /// Opens a compiled file, or imports a model file and compiles it.
  static func network(path: String, options: forge_model_options) throws -> CompiledModel {
    let compile = try options.compileOptions()
    let sizes = try options.sizes()
    let weights = options.weights.map { String(cString: $0) }
    guard try FileHead(path).isCompiledNetwork else {
      return try ModelFile(path, weights: weights, sizes: sizes).imported().model
        .compile(options: compile)
    }
    do throws(CompileError) {
      return try CompiledModel(contentsOf: path, threads: 1, isMapped: options.is_mapped != 0)
    } catch {
      throw Failure(FORGE_BAD_FILE, "\(error)")
    }
  }
}
