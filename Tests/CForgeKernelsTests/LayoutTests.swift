import CForgeKernels
import Testing

/// An image as what a kernel that only moves numbers must give: to the bit, in effect.
private func exactly(_ image: Image) -> Expected {
  Expected(
    values: image.values.map(Double.init),
    tolerances: [Double](repeating: 0, count: image.values.count))
}

@Suite struct LayoutTests {
  @Test("plain to blocked", arguments: ConvolutionTests.channels)
  func block(channels: Int) {
    var random = SeededGenerator(seed: 41)
    let image = Image(5, 7, channels, random: &random)
    for level in Level.available {
      let input = Plain(image, images: 2)
      let out = Blocked(
        5, 7, channels, halo: Halo(top: 1, left: 2, bottom: 3, right: 1), images: 2)
      let call = Call(
        level.kernels.block,
        forge_block_arguments(in: input.view(base: 0), out: out.view(base: 1)),
        bases: [input.buffer, out.buffer], image: 1, out: out.buffer, tiles: forge_block_tiles)
      let before = out.buffer.bits
      call.runAll()
      expect(out, image: 1, equals: exactly(image), before: before, "\(level), \(channels)")
      out.buffer.bits = before
      expectIndependentTiles(call, "\(level), \(channels)")
    }
  }

  @Test("blocked to plain", arguments: ConvolutionTests.channels)
  func unblock(channels: Int) {
    var random = SeededGenerator(seed: 42)
    let image = Image(5, 7, channels, random: &random)
    for level in Level.available {
      let input = Blocked(image, halo: Halo(top: 1, left: 2, bottom: 3, right: 1), images: 2)
      let out = Plain(5, 7, channels, images: 2)
      let call = Call(
        level.kernels.unblock,
        forge_unblock_arguments(in: input.view(base: 0), out: out.view(base: 1)),
        bases: [input.buffer, out.buffer], image: 1, out: out.buffer, tiles: forge_unblock_tiles)
      // What is there before, with the image written into it by hand.
      let before = out.buffer.bits
      var wanted = before
      for y in 0..<5 {
        for x in 0..<7 {
          for c in 0..<channels { wanted[out.at(y, x, c, 1)] = image[y, x, c].bitPattern }
        }
      }
      call.runAll()
      #expect(out.buffer.bits == wanted, "\(level), \(channels) channels")
      out.buffer.bits = before
      expectIndependentTiles(call, "\(level), \(channels)")
    }
  }

  @Test(
    "clearing affects only the halo",
    arguments: [(1, 1, 1, 1), (0, 2, 3, 1), (2, 0, 0, 0)])
  func clearHalo(top: Int, left: Int, bottom: Int, right: Int) {
    var random = SeededGenerator(seed: 43)
    let image = Image(4, 5, 35, random: &random)
    let halo = Halo(top: top, left: left, bottom: bottom, right: right)
    for level in Level.available {
      let tensor = Blocked(image, halo: halo, images: 2)
      let wanted = tensor.buffer.bits
      // Soil the halo of the second image: its zeros become ones.
      for block in 0..<3 {
        for y in -top..<4 + bottom {
          for x in -left..<5 + right where y < 0 || y >= 4 || x < 0 || x >= 5 {
            for lane in 0..<16 { tensor.buffer.pointer[tensor.at(y, x, block * 16 + lane, 1)] = 1 }
          }
        }
      }
      let call = Call(
        level.kernels.clear_halo,
        forge_clear_halo_arguments(
          out: tensor.view(base: 0), top: Int32(top), left: Int32(left), bottom: Int32(bottom),
          right: Int32(right)), bases: [tensor.buffer], image: 1, out: tensor.buffer,
        tiles: forge_clear_halo_tiles)
      expectIndependentTiles(call, "\(level)")
      #expect(tensor.buffer.bits == wanted, "\(level)")
    }
  }

  @Test("fill zeroes only the interior")
  func fill() {
    for level in Level.available {
      let tensor = Blocked(3, 5, 20, halo: Halo(top: 1, right: 2), images: 2)
      let call = Call(
        level.kernels.fill, forge_fill_arguments(out: tensor.view(base: 0)),
        bases: [tensor.buffer], image: 1, out: tensor.buffer, tiles: forge_fill_tiles)
      let before = tensor.buffer.bits
      call.runAll()
      let zeros = Image(3, 5, 20, values: [Float](repeating: 0, count: 300))
      expect(tensor, image: 1, equals: exactly(zeros), before: before, "\(level)")
      tensor.buffer.bits = before
      expectIndependentTiles(call, "\(level)")
    }
  }
}

@Suite struct CopyTests {
  @Test("whole tensors", arguments: [1, 16, 17, 40])
  func copy(channels: Int) {
    var random = SeededGenerator(seed: 44)
    let image = Image(3, 5, channels, random: &random)
    for level in Level.available {
      let input = Blocked(image, halo: Halo(left: 1), images: 2)
      let out = Blocked(3, 5, channels, halo: Halo(top: 2, right: 2), images: 2)
      let call = Call(
        level.kernels.copy, forge_copy_arguments(in: input.view(base: 0), out: out.view(base: 1)),
        bases: [input.buffer, out.buffer], image: 1, out: out.buffer, tiles: forge_copy_tiles)
      let before = out.buffer.bits
      call.runAll()
      expect(out, image: 1, equals: exactly(image), before: before, "\(level), \(channels)")
      out.buffer.bits = before
      expectIndependentTiles(call, "\(level), \(channels)")
    }
  }

  @Test("into a range of channels", arguments: [1, 5, 16, 17, 37], [0, 1, 15, 16, 23])
  func copyChannels(channels: Int, first: Int) {
    var random = SeededGenerator(seed: 45)
    let image = Image(3, 5, channels, random: &random)
    for after in [0, 1, 30] {
      // A tensor that has numbers already, of which those of the range change.
      var wanted = Image(3, 5, first + channels + after, random: &random)
      for level in Level.available {
        let input = Blocked(image, images: 2)
        let out = Blocked(wanted, halo: Halo(top: 1, left: 1), images: 2)
        for y in 0..<3 {
          for x in 0..<5 {
            for c in 0..<channels { wanted[y, x, first + c] = image[y, x, c] }
          }
        }
        let call = Call(
          level.kernels.copy_channels,
          forge_copy_channels_arguments(
            in: input.view(base: 0), out: out.view(base: 1), first_channel: Int32(first)),
          bases: [input.buffer, out.buffer], image: 1, out: out.buffer,
          tiles: forge_copy_channels_tiles)
        let before = out.buffer.bits
        #expect(call.tiles == 1)
        call.runAll()
        expect(
          out, image: 1, equals: exactly(wanted), before: before,
          "\(level), \(channels) channels from \(first), \(after) after")
      }
    }
  }

  @Test("by a table of channels", arguments: [1, 16, 21, 40])
  func gatherChannels(outputs: Int) {
    var random = SeededGenerator(seed: 46)
    let image = Image(3, 5, 35, random: &random)
    let indices = (0..<outputs).map { Int32(($0 * 13 + 34) % 35) }
    var wanted = Image(3, 5, outputs, random: &random)
    for y in 0..<3 {
      for x in 0..<5 {
        for c in 0..<outputs { wanted[y, x, c] = image[y, x, Int(indices[c])] }
      }
    }
    for level in Level.available {
      let input = Blocked(image, images: 2)
      let out = Blocked(3, 5, outputs, halo: Halo(bottom: 1, right: 1), images: 2)
      indices.withUnsafeBufferPointer { indices in
        let call = Call(
          level.kernels.gather_channels,
          forge_gather_channels_arguments(
            in: input.view(base: 0), out: out.view(base: 1), indices: indices.baseAddress),
          bases: [input.buffer, out.buffer], image: 1, out: out.buffer,
          tiles: forge_gather_channels_tiles)
        let before = out.buffer.bits
        call.runAll()
        expect(out, image: 1, equals: exactly(wanted), before: before, "\(level), \(outputs)")
        out.buffer.bits = before
        expectIndependentTiles(call, "\(level), \(outputs)")
      }
    }
  }
}
