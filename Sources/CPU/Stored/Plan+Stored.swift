import CForgeKernels
import ForgeOperations
import ForgeShapes
import ForgeSystem

extension Plan {
  /// Writes the plan, whose packed parameters become memory of the file.
  ///
  /// - Parameters:
  ///   - writer: receives the facts and the memory.
  ///   - twin: another plan of the same network, with packed parameters of its own.
  /// - Throws: ``BackendError`` if a layer runs Swift code, or if the two plans differ.
  func write(to writer: inout StoredWriter, twin: any Executable) throws(BackendError) {
    for case .custom(let call) in segments { throw .storesNoSwift(call.layer) }
    guard let twin = twin as? Plan,
      let references = MemoryReferences(
        arguments.bytes, into: retained, twin: twin.arguments.bytes, into: twin.retained),
      twin.steps.count == steps.count,
      constants.bytes.elementsEqual(twin.constants.bytes)
    else { throw .plansDiffer }
    writer.write(steps)
    writer.write(mostThreads)
    writer.write(tensors)
    writer.write(inputSizes)
    writer.write(outputSizes)
    writer.write(states)
    writer.write(positionLimits)
    writer.write(indexInputs)
    writer.write(faultSources)
    writer.write(cropSlots)
    writer.write(arenaByteCount)
    writer.write(unsharedByteCount)
    writer.write(try storedCalls())
    writer.write(lengths)
    let indices = retained.map { writer.index(of: $0) }
    writer.write(
      references.references.map {
        MemoryReferences.Reference(
          place: $0.place, memory: indices[$0.memory], offset: $0.offset)
      })
    // Addresses of this process mean nothing in another.
    var withoutAddresses = Array(arguments.bytes)
    for reference in references.references {
      withoutAddresses.replaceSubrange(
        reference.place..<reference.place + MemoryLayout<UInt>.size,
        with: repeatElement(0, count: MemoryLayout<UInt>.size))
    }
    writer.write(withoutAddresses.count)
    withoutAddresses.withUnsafeBytes { writer.write(bytes: $0) }
    writer.write(constants.byteCount)
    writer.write(bytes: constants.bytes)
  }

  /// The calls, with the names of their kernels.
  private func storedCalls() throws(BackendError) -> [StoredCall] {
    guard let base = arguments.bytes.baseAddress, let first = self.steps(from: 0) else { return [] }
    let names = KernelNames(of: level)
    let own = UnsafeBufferPointer(start: first, count: steps.count)
    let kernels = own.compactMap { step in step.kernel.flatMap { names[$0] } }
    guard kernels.count == own.count, countTiles(of: own, by: kernels) else { throw .plansDiffer }
    return zip(own, kernels).map { step, kernel in
      StoredCall(step, named: kernel.name, place: step.arguments.map { $0 - base } ?? 0)
    }
  }

  /// Whether the list of kernels counts the tiles of all steps as the plan does, for all lengths.
  private func countTiles(
    of steps: UnsafeBufferPointer<forge_step>, by kernels: [KernelNames.Entry]
  ) -> Bool {
    func agree(_ steps: UnsafeBufferPointer<forge_step>) -> Bool {
      zip(steps, kernels).allSatisfy { step, kernel in
        step.arguments.map { kernel.countTiles($0) == step.tiles } ?? false
      }
    }
    guard agree(steps) else { return false }
    guard let adapted = makeLengthSteps(), let maximum = lengths?.sizes.maximum else { return true }
    return [1, 2, 3, maximum / 2, maximum].allSatisfy { length in
      adapted.set(length: max(min(length, maximum), 1))
      return agree(UnsafeBufferPointer(start: adapted.steps, count: steps.count))
    }
  }

  /// Reads what ``write(to:twin:)`` has written; kernels read the memory of the file where it is.
  ///
  /// - Throws: ``StoredMisfit`` if a kernel is missing here or bytes are wrong, and `NoMemory`.
  convenience init(from reader: inout StoredReader, level: forge_level) throws {
    let steps = try reader.read([StepReport].self)
    let mostThreads = try reader.read(Int.self)
    let tensors = try reader.read([TensorReport].self)
    let inputSizes = try reader.read([[Int]].self)
    let outputSizes = try reader.read([[Int]].self)
    let states = try reader.read([StateLayout].self)
    let positionLimits = try reader.read([PositionLimit].self)
    let indexInputs = try reader.read([Int: Int].self)
    let faultSources = try reader.read([FaultSource].self)
    let cropSlots = try reader.read([CropSlot].self)
    let arenaByteCount = try reader.read(Int.self)
    let unsharedByteCount = try reader.read(Int.self)
    let stored = try reader.read([StoredCall].self)
    guard stored.count == steps.count else { throw StoredMisfit.damaged }
    let names = KernelNames(of: level)
    let kernels = try stored.map { call throws(StoredMisfit) in
      guard let kernel = names[call.kernel] else {
        throw .foreign("this processor does not have the kernel \(call.kernel)")
      }
      return kernel
    }
    let lengths = try reader.read(Optional<LengthPlan>.self).map { plan in
      plan.counting(kernels.map(\.countTiles))
    }
    let references = try reader.read([MemoryReferences.Reference].self)
    let arguments = try Self.arguments(from: &reader, references)
    let constants = try Self.memory(from: &reader)
    let calls = try AlignedMemory(byteCount: stored.count * MemoryLayout<forge_step>.stride) {
      bytes in
      let memory = bytes.bindMemory(to: forge_step.self)
      for (index, (call, kernel)) in zip(stored, kernels).enumerated() {
        guard (0..<max(arguments.byteCount, 1)).contains(call.place) else {
          throw StoredMisfit.damaged
        }
        memory[index] = call.step(
          kernel.kernel, arguments: arguments.bytes.baseAddress?.advanced(by: call.place))
      }
    }
    self.init(
      segments: stored.isEmpty ? [] : [.steps(start: 0, count: stored.count)], steps: steps,
      mostThreads: mostThreads, tensors: tensors, inputSizes: inputSizes,
      outputSizes: outputSizes, states: states, positionLimits: positionLimits,
      indexInputs: indexInputs, faultSources: faultSources, cropSlots: cropSlots,
      arenaByteCount: arenaByteCount, unsharedByteCount: unsharedByteCount, lengths: lengths,
      calls: calls, arguments: arguments, constants: constants, level: level,
      file: reader.owner)
  }

  /// The arguments, whose pointers lead into the memory of the file.
  private static func arguments(
    from reader: inout StoredReader, _ references: [MemoryReferences.Reference]
  ) throws -> AlignedMemory {
    let bytes = try reader.bytes(try reader.count())
    let (memories, owner) = (reader.memories, reader.owner)
    return try withExtendedLifetime(owner) {
      try AlignedMemory(byteCount: bytes.count, isZeroed: false) { arguments in
        arguments.copyMemory(from: bytes)
        for reference in references {
          guard memories.indices.contains(reference.memory),
            (0...memories[reference.memory].count).contains(reference.offset),
            reference.place >= 0, reference.place <= arguments.count - MemoryLayout<UInt>.size,
            let start = memories[reference.memory].baseAddress
          else { throw StoredMisfit.damaged }
          arguments.storeBytes(
            of: UInt(bitPattern: start + reference.offset), toByteOffset: reference.place,
            as: UInt.self)
        }
      }
    }
  }

  /// A copy of bytes that the reader holds.
  private static func memory(from reader: inout StoredReader) throws -> AlignedMemory {
    let bytes = try reader.bytes(try reader.count())
    return try AlignedMemory(byteCount: bytes.count, isZeroed: false) {
      $0.copyMemory(from: bytes)
    }
  }
}

/// A C step without addresses.
private struct StoredCall: StoredValue {
  let kernel: String
  /// The distance of the arguments from the start of all in bytes.
  let place: Int
  let tiles: Int64
  let threads, parts, pieces, rounds: Int32

  init(_ step: forge_step, named kernel: String, place: Int) {
    (self.kernel, self.place, tiles) = (kernel, place, step.tiles)
    (threads, parts) = (step.most_threads, step.parts)
    (pieces, rounds) = (step.pieces, step.rounds)
  }

  func write(to writer: inout StoredWriter) {
    writer.write(kernel)
    writer.write(place)
    writer.write(tiles)
    for count in [threads, parts, pieces, rounds] { writer.write(count) }
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    (kernel, place, tiles) = (try reader.read(), try reader.read(), try reader.read())
    (threads, parts) = (try reader.read(), try reader.read())
    (pieces, rounds) = (try reader.read(), try reader.read())
  }

  func step(_ kernel: forge_kernel, arguments: UnsafeRawPointer?) -> forge_step {
    forge_step(
      kernel: kernel, arguments: arguments, tiles: tiles, most_threads: threads, parts: parts,
      pieces: pieces, rounds: rounds)
  }
}

extension Plan.FaultSource: StoredValue {
  func write(to writer: inout StoredWriter) {
    writer.write(layer)
    writer.write(size)
    writer.write(fromEnd)
  }

  init(from reader: inout StoredReader) throws(StoredMisfit) {
    self.init(layer: try reader.read(), size: try reader.read(), fromEnd: try reader.read())
  }
}

extension BackendError {
  /// The error for a layer that runs Swift code, which a file cannot hold.
  static func storesNoSwift(_ layer: Int) -> BackendError {
    .problems([
      (
        layer,
        Problem(
          headline: "a Custom layer runs Swift code, which a compiled file cannot hold",
          details: [("remedy", "a layer of your own that lowers to Forge's operations")])
      )
    ])
  }

  /// The error for a network whose plan is not the same when it is made again.
  static var plansDiffer: BackendError {
    .problems([
      (nil, Problem(headline: "the plan of the network cannot be written to a file"))
    ])
  }
}
