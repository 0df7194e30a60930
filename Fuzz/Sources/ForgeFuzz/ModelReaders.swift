import Forge
import ForgeImporters

// Model files: the import, the description of every layer, and for small models compilation and a
// prediction.

/// Small limits, so that a run spends its time on the forms of files.
private let limits = ImportLimits(
  fileBytes: 1 << 20, nodes: 500, tensors: 500, depth: 8, foldedElements: 1 << 16)

/// ONNX.
@_cdecl("forge_fuzz_onnx")
public func fuzzONNX(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(ImportError.self) {
    try use(try ImportedModel(onnx: path, options: ImportOptions(limits: limits)))
  }
}

/// Whole models of Keras, in HDF5 files and archives.
@_cdecl("forge_fuzz_kerasmodel")
public func fuzzKerasModel(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(ImportError.self) { try use(try ImportedModel(keras: path, limits: limits)) }
}

/// Core ML.
@_cdecl("forge_fuzz_coreml")
public func fuzzCoreML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(ImportError.self) {
    try use(try ImportedModel(coreML: path, options: ImportOptions(limits: limits)))
  }
}

/// Configurations of Darknet, without weights.
@_cdecl("forge_fuzz_darknet")
public func fuzzDarknet(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(ImportError.self) {
    try use(try ImportedModel(darknet: path, weights: nil, limits: limits))
  }
}

/// Describes every layer; compiles a small model and predicts.
private func use(_ imported: ImportedModel) throws {
  let model = imported.model
  var (parameters, work, elements) = (0, 0, 0)
  for layer in model.layers {
    guard !"\(layer)".isEmpty else { fatalError("a layer without words") }
    parameters = saturated(parameters, layer.parameterCount)
    work = saturated(work, layer.multiplyAdds)
    elements = saturated(elements, layer.outputShape?.elementCount ?? 0)
  }
  guard !model.outputs.isEmpty, parameters < 1 << 16, work < 1 << 20, elements < 1 << 18 else {
    return
  }
  var options = CompileOptions()
  options.threads = .exactly(1)
  do {
    let network =
      model.parameters == nil
      ? try model.compile(parameters: RandomParameters(seed: 1), options: options)
      : try model.compile(options: options)
    var inputs: [String: TensorValues] = [:]
    for (name, shape) in zip(network.inputNames, network.inputShapes) {
      guard let count = shape.elementCount, count < 1 << 18 else { return }
      inputs[name] = TensorValues(shape: shape, values: Array(repeating: 0.5, count: count))
    }
    _ = try network.predict(inputs)
  } catch let error as CompileError {
    guard !"\(error)".isEmpty else { fatalError("an error without words") }
  } catch let error as PredictionError {
    guard !"\(error)".isEmpty else { fatalError("an error without words") }
  }
}

private func saturated(_ a: Int, _ b: Int) -> Int {
  let (sum, overflow) = a.addingReportingOverflow(b)
  return overflow ? .max : sum
}
