import CForge
import Forge
import ForgeC
import ForgeGraph
import Foundation
import Testing

/// A folder for the files of a test.
final class CFiles {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("forge-c-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// A stream of three numbers a time step with an input of integers, as a compiled file.
  func compiled() throws -> (path: String, network: CompiledModel) {
    let samples = Input(shape: [2, 3], name: "samples")
    let ids = Input(shape: [2], name: "ids").ofIntegers
    let words = ids --> Embedding(vocabulary: 5, channels: 4, name: "words")
    let hidden =
      [samples, words] --> Concatenate(axis: 1)
      --> GRU(units: 6, returnSequences: true, stateful: true, name: "gru")
    let model = Model(
      inputs: [samples, ids],
      outputs: [hidden --> LastAxisDense(neurons: 2, name: "out"), hidden])
    let network = try model.compile(
      parameters: RandomParameters(seed: 3), options: CompileOptions(maximumBatch: 3, threads: 1))
    let path = path("net.forge")
    try network.write(to: path)
    return (path, network)
  }
}

/// Expects a status; the sentence of a failing call must begin with `text`.
func expect(
  _ status: forge_status, _ expected: Int, _ text: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let sentence = lastError()
  #expect(status == forge_status(expected), "\(sentence)", sourceLocation: sourceLocation)
  guard expected != FORGE_OK else { return }
  #expect(!sentence.isEmpty, sourceLocation: sourceLocation)
  if let text {
    #expect(sentence.hasPrefix(text), "\(sentence)", sourceLocation: sourceLocation)
  }
}

func lastError() -> String { forge_last_error().map { String(cString: $0) } ?? "" }

/// Opens a file and makes a context, which are closed in the end.
final class OpenedFile {
  private(set) var model: forge_model?
  private(set) var context: forge_context?

  init(_ path: String, batch: Int32 = 1) {
    expect(forge_model_open(path, nil, &model), FORGE_OK)
    var options = forge_context_options(
      struct_size: MemoryLayout<forge_context_options>.stride, batch: batch)
    expect(forge_context_create(model, &options, &context), FORGE_OK)
  }

  deinit {
    _ = forge_context_close(context)
    _ = forge_model_close(model)
  }
}
