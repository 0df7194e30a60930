import CForge
import Forge
import ForgeTestSupport
import Foundation
import Testing

/// Models from C: opening, describing and closing, with everything that can be wrong.
@Suite struct ModelFunctionTests {
  private func options() -> forge_model_options {
    var options = forge_model_options()
    options.struct_size = MemoryLayout<forge_model_options>.stride
    options.maximum_batch = 1
    return options
  }

  @Test func versions() { #expect(forge_api_version() == UInt32(FORGE_API_VERSION)) }

  @Test func tensors() throws {
    let files = try CFiles()
    let opened = OpenedFile(try files.compiled().path)
    var (inputs, outputs, states) = (0, 0, 0)
    expect(forge_model_counts(opened.model, &inputs, &outputs, &states), FORGE_OK)
    #expect((inputs, outputs, states) == (2, 2, 1))
    expect(forge_model_counts(opened.model, nil, nil, nil), FORGE_OK)
    var tensor = forge_tensor()
    expect(forge_model_input(opened.model, 0, &tensor), FORGE_OK)
    #expect(String(cString: tensor.name) == "samples")
    #expect((tensor.rank, tensor.count, Int(tensor.type)) == (2, 6, FORGE_FLOAT))
    #expect([tensor.sizes.0, tensor.sizes.1] == [2, 3])
    expect(forge_model_input(opened.model, 1, &tensor), FORGE_OK)
    #expect(String(cString: tensor.name) == "ids")
    #expect((tensor.rank, tensor.count, Int(tensor.type)) == (1, 2, FORGE_INTEGER))
    expect(forge_model_output(opened.model, 0, &tensor), FORGE_OK)
    #expect([tensor.sizes.0, tensor.sizes.1] == [2, 2])
    expect(forge_model_state(opened.model, 0, &tensor), FORGE_OK)
    #expect(String(cString: tensor.name) == "gru.hidden")
    #expect(tensor.count == 6)
    for index in [3, .max, -1] {
      expect(
        forge_model_input(opened.model, index, &tensor), FORGE_BAD_ARGUMENT,
        "there is no input with this index\n  received  \(index)\n  needs     0 to 1")
      expect(forge_model_output(opened.model, index, &tensor), FORGE_BAD_ARGUMENT)
      expect(forge_model_state(opened.model, index, &tensor), FORGE_BAD_ARGUMENT)
    }
    expect(forge_model_input(opened.model, 0, nil), FORGE_NULL_POINTER, "tensor is NULL")
    expect(forge_model_output(opened.model, 0, nil), FORGE_NULL_POINTER)
    expect(forge_model_state(opened.model, 0, nil), FORGE_NULL_POINTER)
  }

  @Test func closedAndForeignHandles() throws {
    let files = try CFiles()
    let path = try files.compiled().path
    var (model, other): (forge_model?, forge_model?) = (nil, nil)
    expect(forge_model_open(path, nil, &model), FORGE_OK)
    var context: forge_context?
    expect(forge_context_create(model, nil, &context), FORGE_OK)
    expect(forge_model_close(model), FORGE_OK)
    // The slot is used again, the handle is not.
    expect(forge_model_open(path, nil, &other), FORGE_OK)
    #expect(other != model)
    for wrong in [model, context, nil, OpaquePointer(bitPattern: 1), OpaquePointer(bitPattern: -1)]
      + (0..<64).map({ OpaquePointer(bitPattern: UInt(1) << $0) })
    {
      expect(
        forge_model_counts(wrong, nil, nil, nil), FORGE_BAD_HANDLE,
        "this is not the handle of an open model")
      expect(forge_model_close(wrong), FORGE_BAD_HANDLE)
      var made = context
      expect(forge_context_create(wrong, nil, &made), FORGE_BAD_HANDLE)
    }
    // A context outlives its model.
    expect(forge_context_run(context, 1), FORGE_OK)
    expect(forge_context_close(context), FORGE_OK)
    expect(forge_context_close(context), FORGE_BAD_HANDLE)
    expect(forge_context_run(context, 1), FORGE_BAD_HANDLE)
    expect(forge_model_close(other), FORGE_OK)
  }

  /// Each use of a slot gives another handle.
  @Test func handlesDoNotComeBack() throws {
    let files = try CFiles()
    let opened = OpenedFile(try files.compiled().path)
    var seen: Set<OpaquePointer> = []
    for _ in 0..<100 {
      var context: forge_context?
      expect(forge_context_create(opened.model, nil, &context), FORGE_OK)
      #expect(seen.insert(try #require(context)).inserted)
      expect(forge_context_close(context), FORGE_OK)
    }
  }

  @Test func wrongArguments() throws {
    let files = try CFiles()
    let path = try files.compiled().path
    var model: forge_model?
    expect(forge_model_open(nil, nil, &model), FORGE_NULL_POINTER, "path is NULL")
    expect(forge_model_open(path, nil, nil), FORGE_NULL_POINTER, "model is NULL")
    for size in [0, 7, 1000, -8, .max] {
      var wrong = options()
      wrong.struct_size = size
      expect(forge_model_open(path, &wrong, &model), FORGE_BAD_ARGUMENT, "struct_size")
    }
    // The structure of an older header has fewer fields.
    var older = options()
    older.struct_size = 16
    expect(forge_model_open(path, &older, &model), FORGE_OK)
    expect(forge_model_close(model), FORGE_OK)
    for set: (inout forge_model_options) -> Void in [
      { $0.threads = -1 }, { $0.threads = 100_000 }, { $0.precision = 4 }, { $0.precision = -1 },
      { $0.maximum_batch = 0 }, { $0.maximum_batch = .min }, { $0.input_size_count = 1 },
    ] {
      var wrong = options()
      set(&wrong)
      #expect(forge_model_open(path, &wrong, &model) != forge_status(FORGE_OK))
      #expect(model == nil)
    }
    expect(forge_model_open(path, nil, &model), FORGE_OK)
    var context: forge_context?
    expect(forge_context_create(model, nil, nil), FORGE_NULL_POINTER, "context is NULL")
    for batch in [Int32.min, 0, 4, .max] {
      var wrong = forge_context_options(
        struct_size: MemoryLayout<forge_context_options>.stride, batch: batch)
      expect(forge_context_create(model, &wrong, &context), FORGE_BAD_ARGUMENT)
      #expect(context == nil)
    }
    expect(forge_model_close(model), FORGE_OK)
  }

  /// What is wrong with a file is a status, at every length and for altered bytes.
  @Test func filesThatDoNotFit() throws {
    let files = try CFiles()
    let path = try files.compiled().path
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var model: forge_model?
    expect(forge_model_open(files.path("none.forge"), nil, &model), FORGE_BAD_FILE)
    expect(forge_model_open(files.folder.path, nil, &model), FORGE_BAD_FILE)
    expect(forge_model_open("", nil, &model), FORGE_BAD_FILE)
    let other = files.path("altered")
    var random = SplitMix64(seed: 7)
    for step in 0..<60 {
      var altered = bytes
      if step % 2 == 0 {
        altered.removeLast(1 + Int(random.next() % UInt64(bytes.count)))
      } else {
        altered[Int(random.next() % UInt64(bytes.count))] ^= UInt8(1 << (step % 8))
      }
      try Data(altered).write(to: URL(fileURLWithPath: other))
      expect(forge_model_open(other, nil, &model), FORGE_BAD_FILE)
      #expect(model == nil)
    }
    for name in ["net.onnx", "net.keras", "net.mlmodel", "net.cfg", "net.txt"] {
      try Data("no network".utf8).write(to: URL(fileURLWithPath: files.path(name)))
      expect(forge_model_open(files.path(name), nil, &model), FORGE_BAD_FILE)
    }
    expect(forge_model_open(String(repeating: "x", count: 100_000), nil, &model), FORGE_BAD_FILE)
    // A sentence that is too long ends with a whole character.
    expect(
      forge_model_open("/" + String(repeating: "é", count: 4000), nil, &model), FORGE_BAD_FILE)
    #expect(lastError().utf8.count <= 4095)
    #expect(!lastError().contains("\u{fffd}"))
  }

  /// Each thread has a sentence of its own.
  @Test func errorsBelongToThreads() async throws {
    #expect(forge_model_close(nil) == forge_status(FORGE_BAD_HANDLE))
    let other = await withCheckedContinuation { continuation in
      Thread {
        let before = lastError()
        _ = forge_model_open(nil, nil, nil)
        continuation.resume(returning: [before, lastError()])
      }.start()
    }
    #expect(other == ["", "model is NULL"])
  }
}
