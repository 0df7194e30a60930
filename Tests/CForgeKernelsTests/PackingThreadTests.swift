import CForgeKernels
import Testing

/// Parameters read and packed by several threads: the same bits as by one, no writes out of bounds.
@Suite struct PackingThreadTests {
  /// What `write` puts into `count` floats with one thread, and with more than there are processors.
  private func check(
    _ count: Int, _ what: String, write: (UnsafeMutablePointer<Float>, Int32) -> Void
  ) {
    #expect(4 * count > 4 * 256 << 10, "\(what): enough for four threads")
    let one = Buffer(count: count + 32)
    write(one.pointer + 16, 1)
    #expect(one.bits[16..<count + 16].allSatisfy { $0 != canary }, "\(what): all is written")
    for threads in [2, 4, 7] as [Int32] {
      let several = Buffer(count: count + 32)
      write(several.pointer + 16, threads)
      #expect(several.bits == one.bits, "\(what), \(threads) threads")
    }
  }

  @Test("convolutions", arguments: [16, 48, 64])
  func convolution(panel: Int) {
    for (outputs, taps, inputs) in [(331, 9, 97), (1009, 1, 331), (70, 25, 211)] {
      var random = SeededGenerator(seed: UInt64(panel))
      let weights = random.values(outputs * taps * inputs)
      let rows = (outputs + panel - 1) / panel * taps
      check(rows * ((inputs + 15) / 16 * 16) * panel, "\(outputs), \(taps), \(inputs)") {
        forge_pack_convolution(
          weights, $0, Int64(outputs), Int64(taps), Int64(inputs), Int64(panel), $1)
      }
    }
  }

  @Test(
    "Winograd's convolutions",
    arguments: Array(WinogradForm.all.prefix(1) + WinogradForm.all.suffix(1)))
  func winograd(form: WinogradForm) {
    let taps = form.kernel.height * form.kernel.width
    for (outputs, inputs, panel) in [(149, 211, 16), (211, 149, 48), (256, 128, 64)] {
      var random = SeededGenerator(seed: UInt64(panel))
      let weights = random.values(outputs * taps * inputs)
      let rows = (outputs + panel - 1) / panel * form.units.count * ((inputs + 15) / 16 * 16)
      check(rows * panel, "\(form), \(outputs), \(inputs)") {
        forge_pack_winograd(
          weights, $0, Int64(outputs), Int64(inputs), Int32(form.tile.height),
          Int32(form.kernel.height), Int32(form.tile.width), Int32(form.kernel.width),
          Int32(form.stride), Int64(panel), $1)
      }
    }
  }

  @Test("Strassen's convolutions", arguments: [16, 48, 64], [1, 2])
  func strassen(panel: Int, levels: Int) {
    let (outputs, inputs) = (448, 1088)
    var random = SeededGenerator(seed: UInt64(panel))
    let weights = random.values(outputs * inputs)
    let panels = ((outputs >> levels) + panel - 1) / panel
    let products = Int(forge_strassen_products(Int32(levels)))
    check(panels * products * (inputs >> levels) * panel, "panel \(panel), \(levels) levels") {
      forge_pack_strassen(
        weights, $0, Int64(outputs), Int64(inputs), Int64(inputs), Int64(panel), Int32(levels), nil,
        nil, $1)
    }
  }

  /// From another axis order, as in files.
  @Test("gathering")
  func gather() {
    // [outputs][height][width][inputs] out of [height][width][inputs][outputs], and of [inputs][outputs].
    for sizes in [[211, 7, 3, 97], [1009, 331]] {
      var strides = [Int64](repeating: 1, count: sizes.count)
      for axis in (1..<sizes.count).reversed() {
        strides[axis] =
          axis == sizes.count - 1 ? Int64(sizes[0]) : strides[axis + 1] * Int64(sizes[axis + 1])
      }
      let count = sizes.reduce(1, *)
      var random = SeededGenerator(seed: 3)
      let values = random.values(count)
      check(count, "\(sizes)") {
        forge_gather(
          values, Int32(FORGE_STORED_FLOAT32.rawValue), Int32(sizes.count), sizes.map(Int64.init),
          strides, $0, $1)
      }
    }
  }
}
