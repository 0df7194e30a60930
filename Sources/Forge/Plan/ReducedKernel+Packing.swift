import CForgeKernels

extension ReducedKernel {
  /// The numbers per output that go before packed weights: scales and totals.
  private var headings: Int {
    switch self {
    case .fixed, .halves: 1
    case .pairs: 0
    case .quads: 2
    }
  }

  /// The floats that packed weights of so many columns take, headings included.
  func floatCount(taps: Int, inputs: Int, columns: Int) -> Int {
    columns * headings + columns * taps * AlignedMemory.round(inputs, to: PlannedTensor.lanes)
      * weightBytes / MemoryLayout<Float>.stride
  }

  /// Packs weights `[outputs][taps][inputs]` into zeroed memory: headings, then words.
  ///
  /// Gives whether they are as exact as they should be: weights of lower precision always are, those of 24 bits when
  /// the error of each output's is at most `accuracy` of their median.
  func write(
    _ values: Span<Float>, to memory: UnsafeMutableBufferPointer<Float>, taps: Int, inputs: Int,
    outputs: Int, panelWidth: Int, accuracy: Double, threads: Int32
  ) -> Bool {
    guard let first = memory.baseAddress else { return true }
    let columns = AlignedMemory.round(outputs, to: panelWidth)
    let raw = UnsafeMutableRawPointer(first)
    let words = raw + columns * headings * MemoryLayout<Float>.stride
    let sizes = (Int64(outputs), Int64(taps), Int64(inputs), Int64(panelWidth))
    return values.withUnsafeBufferPointer { values in
      switch self {
      case .fixed:
        return forge_pack_fixed(
          values.baseAddress, words, first, sizes.0, sizes.1, sizes.2, accuracy, threads) != 0
      case .halves:
        forge_pack_half(
          values.baseAddress, words.assumingMemoryBound(to: UInt16.self), first, sizes.0, sizes.1,
          sizes.2, sizes.3)
      case .pairs:
        forge_pack_bfloat(
          values.baseAddress, words.assumingMemoryBound(to: UInt32.self), sizes.0, sizes.1, sizes.2,
          sizes.3)
      case .quads:
        let totals = raw + columns * MemoryLayout<Float>.stride
        forge_pack_byte(
          values.baseAddress, words.assumingMemoryBound(to: UInt32.self), first,
          totals.assumingMemoryBound(to: Int32.self), sizes.0, sizes.1, sizes.2, sizes.3)
      }
      return true
    }
  }
}
