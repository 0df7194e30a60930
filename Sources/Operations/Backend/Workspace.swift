import ForgeSystem

/// The memory of predictions with up to a given number of examples: crops, inputs, outputs and the
/// arena.
///
/// Each part starts on a cache line. The inputs of custom layers may keep a workspace alive.
package final class Workspace {
  /// The executable, kept alive.
  package let executable: any Executable
  /// The maximum number of examples.
  package let batch: Int
  /// The values of each input, consecutively for all examples.
  package let inputs: [UnsafeMutableBufferPointer<Float>]
  /// The values of each output, consecutively for all examples.
  package let outputs: [UnsafeMutableBufferPointer<Float>]
  /// The crop rectangles, four numbers each: x, y, width, height.
  package let crops: UnsafeMutablePointer<Double>
  /// The arena of one example.
  package let arena: UnsafeMutableRawPointer
  /// What layers keep from one prediction to the next; a stream of its own may take its place.
  package var state: StateMemory
  /// What positions among the states must leave room for, at the present length of the sequences.
  package let limits: UnsafeMutableBufferPointer<PositionLimit>
  private let memory: WorkspaceMemory

  /// Prepares memory of at least ``byteCount(of:batch:)`` bytes, allocated unless it is given.
  ///
  /// All bytes are set to zero, which also takes the page faults before the first prediction.
  ///
  /// - Throws: `NoMemory` if the allocation fails.
  package init(
    _ executable: any Executable, batch: Int, memory: WorkspaceMemory? = nil
  ) throws(NoMemory) {
    let layout = try Layout(executable, batch: batch)
    let memory =
      if let memory { memory } else { try WorkspaceMemory(byteCount: layout.byteCount) }
    let start = memory.start
    start.initializeMemory(as: UInt8.self, repeating: 0, count: layout.byteCount)
    state = try StateMemory(executable.states, batch: batch)
    limits = .allocate(capacity: executable.positionLimits.count)
    _ = limits.initialize(from: executable.positionLimits)
    self.executable = executable
    self.batch = batch
    self.memory = memory
    let values = layout.values.map { offset, count in
      UnsafeMutableBufferPointer(
        start: (start + offset).assumingMemoryBound(to: Float.self), count: count)
    }
    inputs = Array(values[..<executable.inputSizes.count])
    outputs = Array(values[executable.inputSizes.count...])
    crops = start.assumingMemoryBound(to: Double.self)
    arena = start + layout.arenaOffset
    for (slot, crop) in executable.cropSlots.enumerated() { setCrop(crop.whole, slot: slot) }
  }

  deinit { limits.deallocate() }

  /// Returns the bytes of a workspace.
  ///
  /// - Throws: `NoMemory` if the number exceeds any memory.
  package static func byteCount(
    of executable: any Executable, batch: Int
  ) throws(NoMemory) -> Int {
    try Layout(executable, batch: batch).byteCount
  }

  /// Sets the limits of positions for a length of the sequences.
  func set(length: Int, of sizes: SequenceSizes) {
    for index in limits.indices {
      limits[index].count = sizes.count(ofPosition: index, length: length)
    }
  }

  /// Returns a crop rectangle.
  package func crop(slot: Int) -> CropRectangle {
    let numbers = crops + slot * 4
    return CropRectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  func setCrop(_ crop: CropRectangle, slot: Int) {
    // The elements are set one by one, because an array would allocate.
    let numbers = crops + slot * 4
    numbers[0] = crop.x
    numbers[1] = crop.y
    numbers[2] = crop.width
    numbers[3] = crop.height
  }

  /// The offsets of the parts in bytes.
  private struct Layout {
    /// The byte offset and the number of floats of each input, then of each output; crops precede
    /// them.
    let values: [(offset: Int, count: Int)]
    let arenaOffset: Int
    let byteCount: Int

    init(_ executable: any Executable, batch: Int) throws(NoMemory) {
      let sizes = executable.inputSizes + executable.outputSizes
      let bytes = sizes.reduce(Double(executable.arenaByteCount)) {
        $0 + $1.reduce(4 * Double(batch)) { $0 * Double($1) }
      }
      guard bytes < 0x1p62 else { throw NoMemory(byteCount: .max) }
      var end = 0
      func take(_ bytes: Int) -> Int {
        defer { end += AlignedMemory.round(bytes, to: AlignedMemory.alignment) }
        return end
      }
      _ = take(executable.cropSlots.count * 4 * MemoryLayout<Double>.stride)
      values = sizes.map { sizes in
        let count = sizes.reduce(batch, *)
        return (take(count * MemoryLayout<Float>.stride), count)
      }
      arenaOffset = take(executable.arenaByteCount)
      byteCount = end
    }
  }
}
