import ForgeOperations

/// The layout of a context's memory in bytes; each part starts on a cache line.
struct WorkspaceLayout {
  /// The bytes of a context.
  let byteCount: Int
  private let baseCount: Int
  private let cropOffset: Int
  private let arenaOffset: Int
  private let inputOffsets: [Int]
  private let outputOffsets: [Int]
  private let inputCounts: [Int]
  private let outputCounts: [Int]

  /// Creates the layout for a plan and a number of examples.
  ///
  /// - Throws: ``PredictionError`` when the byte count overflows.
  init(_ plan: Plan, batch: Int) throws(PredictionError) {
    let elements = (plan.inputSizes + plan.outputSizes).reduce(Double(plan.arenaCount)) {
      $0 + $1.reduce(Double(batch)) { $0 * Double($1) }
    }
    guard elements < 0x1p60 else { throw .noMemory(nil) }
    var end = 0
    func take(_ bytes: Int) -> Int {
      defer { end += AlignedMemory.round(bytes, to: AlignedMemory.alignment) }
      return end
    }
    let float = MemoryLayout<Float>.stride
    baseCount = 2 + plan.inputSizes.count + plan.outputSizes.count
    _ = take(baseCount * MemoryLayout<UnsafeMutablePointer<Float>?>.stride)
    cropOffset = take(plan.cropSlots.count * 4 * MemoryLayout<Double>.stride)
    inputCounts = plan.inputSizes.map { $0.reduce(1, *) * batch }
    outputCounts = plan.outputSizes.map { $0.reduce(1, *) * batch }
    inputOffsets = inputCounts.map { take($0 * float) }
    outputOffsets = outputCounts.map { take($0 * float) }
    arenaOffset = take(plan.arenaCount * float)
    byteCount = end
  }

  /// Sets bases and crops, and zeroes the inputs and the arena, which also faults in their pages.
  func prepare(_ workspace: UnsafeMutableRawPointer, plan: Plan) {
    workspace.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    let bases = bases(in: workspace)
    bases[0] = floats(arenaOffset, in: workspace)
    bases[1] = plan.constantsBase
    for (index, offset) in (inputOffsets + outputOffsets).enumerated() {
      bases[2 + index] = floats(offset, in: workspace)
    }
    for (index, slot) in plan.cropSlots.enumerated() {
      setCrop(
        CropRectangle(x: 0, y: 0, width: Double(slot.width), height: Double(slot.height)),
        slot: index, in: workspace)
    }
  }

  /// The bases of the frame: arena, constants, inputs, outputs.
  func bases(
    in workspace: UnsafeMutableRawPointer
  )
    -> UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  {
    workspace.assumingMemoryBound(to: UnsafeMutablePointer<Float>?.self)
  }

  /// The crop rectangles, four numbers each.
  func crops(in workspace: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Double> {
    (workspace + cropOffset).assumingMemoryBound(to: Double.self)
  }

  /// A crop rectangle.
  func crop(slot: Int, in workspace: UnsafeMutableRawPointer) -> CropRectangle {
    let numbers = crops(in: workspace) + slot * 4
    return CropRectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  /// Sets a crop rectangle.
  func setCrop(_ crop: CropRectangle, slot: Int, in workspace: UnsafeMutableRawPointer) {
    // Element by element, because an array of the four would allocate.
    let numbers = crops(in: workspace) + slot * 4
    numbers[0] = crop.x
    numbers[1] = crop.y
    numbers[2] = crop.width
    numbers[3] = crop.height
  }

  /// The values of an input for all examples.
  func input(
    _ index: Int, in workspace: UnsafeMutableRawPointer
  )
    -> UnsafeMutableBufferPointer<Float>
  {
    UnsafeMutableBufferPointer(
      start: floats(inputOffsets[index], in: workspace), count: inputCounts[index])
  }

  /// The values of an output for all examples.
  func output(
    _ index: Int, in workspace: UnsafeMutableRawPointer
  )
    -> UnsafeMutableBufferPointer<Float>
  {
    UnsafeMutableBufferPointer(
      start: floats(outputOffsets[index], in: workspace), count: outputCounts[index])
  }

  private func floats(
    _ offset: Int, in workspace: UnsafeMutableRawPointer
  )
    -> UnsafeMutablePointer<Float>
  {
    (workspace + offset).assumingMemoryBound(to: Float.self)
  }
}
