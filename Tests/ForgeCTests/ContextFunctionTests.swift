import CForge
import CForgeTestSupport
import Forge
import Foundation
import Synchronization
import Testing

/// Contexts from C: the bits of the Swift API, without allocations, and everything that can be wrong.
@Suite struct ContextFunctionTests {
  private let frames: [(samples: [Float], ids: [Float])] = [
    ([0.5, -1, 2, 0.25, 0, 1], [1, 4]), ([-0.5, 1, 1, 0.125, 3, -1], [0, 0]),
    ([1, 1, -2, 0.75, 0, 0.5], [2, 3]),
  ]

  private func swiftBits(_ network: CompiledModel) throws -> [[UInt32]] {
    let context = try Context(network)
    return try frames.map { frame in
      try context.predict(["samples": frame.samples, "ids": frame.ids]).outputs[
        network.outputNames[0]]?.values.map(\.bitPattern) ?? []
    }
  }

  @Test func boundMemoryHasTheBitsOfSwift() throws {
    let files = try CFiles()
    let (path, network) = try files.compiled()
    let opened = OpenedFile(path)
    let expected = try swiftBits(network)
    for _ in 0..<2 {
      var result = [Float](repeating: 0, count: 4)
      for (frame, bits) in zip(frames, expected) {
        expect(forge_context_bind_input(opened.context, 0, frame.samples, 6), FORGE_OK)
        expect(forge_context_write(opened.context, 1, frame.ids, 2, 1, 0, 1), FORGE_OK)
        expect(forge_context_bind_output(opened.context, 0, &result, 4), FORGE_OK)
        expect(forge_context_run(opened.context, 1), FORGE_OK)
        #expect(result.map(\.bitPattern) == bits)
      }
      expect(forge_context_reset(opened.context), FORGE_OK)
    }
  }

  @Test func copiesHaveTheBitsOfSwift() throws {
    let files = try CFiles()
    let (path, network) = try files.compiled()
    let opened = OpenedFile(path, batch: 3)
    let expected = try swiftBits(network)
    // Each example of a batch is a stream of its own: one frame after the other in example 2.
    for (frame, bits) in zip(frames, expected) {
      expect(forge_context_set(opened.context, 0, 0), FORGE_OK)
      for column in 0..<3 {
        let values = [frame.samples[column], .nan, frame.samples[column + 3]]
        expect(forge_context_write(opened.context, 0, values, 2, 2, 12 + column, 3), FORGE_OK)
      }
      expect(forge_context_write(opened.context, 1, frame.ids, 2, 1, 4, 1), FORGE_OK)
      expect(forge_context_run(opened.context, 3), FORGE_OK)
      var result = [Float](repeating: 0, count: 7)
      expect(forge_context_read(opened.context, 0, &result, 4, 2, 8, 1), FORGE_OK)
      #expect([0, 2, 4, 6].map { result[$0].bitPattern } == bits)
      #expect([1, 3, 5].allSatisfy { result[$0] == 0 })
    }
  }

  @Test func statesAreKept() throws {
    let files = try CFiles()
    let (path, network) = try files.compiled()
    let expected = try swiftBits(network)
    let (first, second) = (OpenedFile(path), OpenedFile(path))
    func run(_ opened: OpenedFile, _ frame: Int) -> [UInt32] {
      var result = [Float](repeating: 0, count: 4)
      expect(forge_context_write(opened.context, 0, frames[frame].samples, 6, 1, 0, 1), FORGE_OK)
      expect(forge_context_write(opened.context, 1, frames[frame].ids, 2, 1, 0, 1), FORGE_OK)
      expect(forge_context_run(opened.context, 1), FORGE_OK)
      expect(forge_context_read(opened.context, 0, &result, 4, 1, 0, 1), FORGE_OK)
      return result.map(\.bitPattern)
    }
    #expect(run(first, 0) == expected[0])
    var state = [Float](repeating: 0, count: 6)
    expect(forge_context_get_state(first.context, 0, 0, &state, 6), FORGE_OK)
    #expect(state.contains { $0 != 0 })
    #expect(run(first, 1) == expected[1])
    expect(forge_context_set_state(second.context, 0, 0, state, 6), FORGE_OK)
    #expect(run(second, 1) == expected[1])
    expect(
      forge_context_get_state(first.context, 0, 0, &state, 5), FORGE_BAD_ARGUMENT,
      "the state has a different size\n  received  5 values\n  needs     6 values")
    expect(forge_context_set_state(first.context, 1, 0, state, 6), FORGE_BAD_ARGUMENT)
    expect(forge_context_set_state(first.context, 0, 1, state, 6), FORGE_BAD_ARGUMENT)
    expect(forge_context_set_state(first.context, 0, -1, state, 6), FORGE_BAD_ARGUMENT)
    expect(forge_context_set_state(first.context, 0, 0, nil, 6), FORGE_NULL_POINTER)
    expect(forge_context_get_state(first.context, 0, 0, nil, 6), FORGE_NULL_POINTER)
  }

  @Test func wrongArguments() throws {
    let files = try CFiles()
    let opened = OpenedFile(try files.compiled().path, batch: 2)
    let context = opened.context
    var values = [Float](repeating: 0, count: 16)
    var count = 0
    expect(forge_context_input_count(context, 0, &count), FORGE_OK)
    #expect(count == 6)
    expect(forge_context_output_count(context, 1, &count), FORGE_OK)
    #expect(count == 12)
    expect(forge_context_input_count(context, 0, nil), FORGE_NULL_POINTER, "count is NULL")
    expect(forge_context_output_count(context, 0, nil), FORGE_NULL_POINTER)
    for index in [2, -1, .max] {
      expect(forge_context_input_count(context, index, &count), FORGE_BAD_ARGUMENT)
      expect(forge_context_output_count(context, index, &count), FORGE_BAD_ARGUMENT)
      expect(forge_context_bind_input(context, index, values, 6), FORGE_BAD_ARGUMENT)
      expect(forge_context_bind_output(context, index, &values, 4), FORGE_BAD_ARGUMENT)
      expect(forge_context_set(context, index, 1), FORGE_BAD_ARGUMENT)
      expect(forge_context_write(context, index, values, 1, 1, 0, 1), FORGE_BAD_ARGUMENT)
      expect(forge_context_read(context, index, &values, 1, 1, 0, 1), FORGE_BAD_ARGUMENT)
    }
    expect(forge_context_bind_input(context, 0, nil, 6), FORGE_NULL_POINTER, "values is NULL")
    expect(forge_context_bind_output(context, 0, nil, 4), FORGE_NULL_POINTER)
    expect(forge_context_write(context, 0, nil, 1, 1, 0, 1), FORGE_NULL_POINTER)
    expect(forge_context_read(context, 0, nil, 1, 1, 0, 1), FORGE_NULL_POINTER)
    for count in [-1, .max, .min, 1 << 61] {
      expect(forge_context_bind_input(context, 0, values, count), FORGE_BAD_ARGUMENT)
      expect(forge_context_bind_output(context, 0, &values, count), FORGE_BAD_ARGUMENT)
      expect(forge_context_write(context, 0, values, count, 1, 0, 1), FORGE_BAD_ARGUMENT)
      expect(forge_context_read(context, 0, &values, count, 1, 0, 1), FORGE_BAD_ARGUMENT)
    }
    for (count, stride, first, step) in [
      (2, 0, 0, 1), (2, -1, 0, 1), (2, .max, 0, 1), (2, .min, 0, 1), (13, 1, 0, 1), (2, 1, 11, 1),
      (2, 1, -1, 1), (2, 1, .max, 1), (2, 1, 0, 0), (2, 1, 0, .max), (2, 1, 0, -1), (1, 1, 12, 1),
    ] {
      expect(
        forge_context_write(context, 0, values, count, stride, first, step), FORGE_BAD_ARGUMENT)
    }
    for (count, stride, first, step) in [
      (2, 0, 0, 1), (2, -1, 0, 1), (2, .max, 0, 1), (9, 1, 0, 1), (2, 1, 7, 1), (2, 1, -1, 1),
      (2, 1, .max, 1), (2, 1, 0, 0), (2, 1, 0, .max), (2, 1, 0, -1), (1, 1, 8, 1),
    ] {
      expect(
        forge_context_read(context, 0, &values, count, stride, first, step), FORGE_BAD_ARGUMENT)
    }
    values.withUnsafeBytes { bytes in
      let odd = (bytes.baseAddress.map { $0 + 1 })?.assumingMemoryBound(to: Float.self)
      expect(
        forge_context_bind_input(context, 0, odd, 6), FORGE_BAD_ARGUMENT, "values is not aligned")
    }
    for batch in [0, 3, -1, .max, .min] {
      expect(forge_context_run(context, batch), FORGE_BAD_ARGUMENT)
    }
    expect(forge_context_set_length(context, 1), FORGE_BAD_ARGUMENT)
    // A count that is not that of the batch; the binding is forgotten.
    expect(forge_context_bind_input(context, 0, values, 7), FORGE_OK)
    expect(
      forge_context_run(context, 1), FORGE_BAD_ARGUMENT,
      "input \"samples\" has the wrong number of values")
    expect(forge_context_run(context, 1), FORGE_OK)
  }

  /// What a file or a caller brings into a prediction is a status.
  @Test func wrongValues() throws {
    let files = try CFiles()
    let (path, network) = try files.compiled()
    let opened = OpenedFile(path)
    let expected = try swiftBits(network)
    for wrong: [Float] in [[5, 0], [-1, 0], [0.5, .nan], [.infinity, 0], [0, 1e30]] {
      expect(forge_context_write(opened.context, 1, wrong, 2, 1, 0, 1), FORGE_OK)
      expect(forge_context_run(opened.context, 1), FORGE_NOT_PREDICTED)
    }
    // The state is as it was.
    expect(forge_context_write(opened.context, 0, frames[0].samples, 6, 1, 0, 1), FORGE_OK)
    expect(forge_context_write(opened.context, 1, frames[0].ids, 2, 1, 0, 1), FORGE_OK)
    expect(forge_context_run(opened.context, 1), FORGE_OK)
    var result = [Float](repeating: 0, count: 4)
    expect(forge_context_read(opened.context, 0, &result, 4, 1, 0, 1), FORGE_OK)
    #expect(result.map(\.bitPattern) == expected[0])
  }

  @Test func nothingIsAllocated() throws {
    let files = try CFiles()
    let opened = OpenedFile(try files.compiled().path)
    let context = opened.context
    var result = [Float](repeating: 0, count: 12)
    var state = [Float](repeating: 0, count: 6)
    let (samples, ids) = (frames[0].samples, frames[0].ids)
    var failures = 0
    samples.withUnsafeBufferPointer { samples in
      ids.withUnsafeBufferPointer { ids in
        result.withUnsafeMutableBufferPointer { result in
          state.withUnsafeMutableBufferPointer { state in
            forge_count_allocations()
            for step in 0..<1000 {
              failures += Int(forge_context_bind_input(context, 0, samples.baseAddress, 6))
              failures += Int(forge_context_write(context, 1, ids.baseAddress, 2, 1, 0, 1))
              failures += Int(forge_context_bind_output(context, 1, result.baseAddress, 12))
              failures += Int(forge_context_run(context, 1))
              failures += Int(forge_context_read(context, 0, result.baseAddress, 4, 2, 0, 1))
              failures += Int(forge_context_get_state(context, 0, 0, state.baseAddress, 6))
              failures += Int(forge_context_set_state(context, 0, 0, state.baseAddress, 6))
              if step % 10 == 0 { failures += Int(forge_context_reset(context)) }
            }
          }
        }
      }
    }
    #expect(forge_counted_allocations() == 0)
    #expect(failures == 0)
  }

  /// A context in use refuses others, and stays whole: no thread sees a half-closed one.
  @Test func severalThreads() throws {
    let files = try CFiles()
    let (path, network) = try files.compiled()
    let expected = try swiftBits(network)[0]
    let opened = OpenedFile(path)
    let handle = UInt(bitPattern: opened.context)
    let counts = Mutex<[Int32: Int]>([:])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      let context = OpaquePointer(bitPattern: handle)
      for _ in 0..<2000 {
        let status =
          thread == 0 ? forge_context_run(context, 1) : forge_context_set(context, 0, 1)
        counts.withLock { $0[status, default: 0] += 1 }
      }
    }
    let found = counts.withLock { $0 }
    #expect(Set(found.keys).isSubset(of: [forge_status(FORGE_OK), forge_status(FORGE_BUSY)]))
    #expect(found[forge_status(FORGE_OK), default: 0] > 0)
    // Contexts of one model run side by side while others are opened and closed.
    let wrong = Atomic(0)
    let model = UInt(bitPattern: opened.model)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<50 {
        var context: forge_context?
        var result = [Float](repeating: 0, count: 4)
        let frame = frames[0]
        let isFine =
          forge_context_create(OpaquePointer(bitPattern: model), nil, &context) == 0
          && forge_context_write(context, 0, frame.samples, 6, 1, 0, 1) == 0
          && forge_context_write(context, 1, frame.ids, 2, 1, 0, 1) == 0
          && forge_context_run(context, 1) == 0
          && forge_context_read(context, 0, &result, 4, 1, 0, 1) == 0
          && forge_context_close(context) == 0 && result.map(\.bitPattern) == expected
        if !isFine { wrong.add(1, ordering: .relaxed) }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
