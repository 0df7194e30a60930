import CForgeKernels
import Testing

/// Rotation of pairs of channels.
@Suite struct RotateTests {
  struct Case: CustomStringConvertible, Sendable {
    var heads: Int
    /// Of a head, and those of them that turn.
    var channels, rotated: Int
    var pairs = FORGE_ROTATE_HALVES
    var height = 1
    var width = 7
    /// Cosines and sines for each row.
    var hasRows = false
    var description: String {
      "\(heads) heads of \(channels), \(rotated) rotated, pairs \(pairs.rawValue), "
        + "\(height)×\(width), own rows \(hasRows)"
    }

    static let all =
      [FORGE_ROTATE_HALVES, FORGE_ROTATE_NEIGHBORS].flatMap { pairs in
        [
          // Whole vectors: two for each half, one, lanes of one vector, some channels that stay.
          Case(heads: 3, channels: 64, rotated: 64, pairs: pairs),
          Case(heads: 2, channels: 32, rotated: 32, pairs: pairs, height: 3, hasRows: true),
          Case(heads: 5, channels: 16, rotated: 16, pairs: pairs, height: 2),
          Case(heads: 2, channels: 48, rotated: 16, pairs: pairs, width: 1),
          Case(heads: 1, channels: 80, rotated: 32, pairs: pairs),
          // Others.
          Case(heads: 3, channels: 48, rotated: 48, pairs: pairs),
          Case(heads: 3, channels: 10, rotated: 10, pairs: pairs, height: 2, hasRows: true),
          Case(heads: 2, channels: 64, rotated: 24, pairs: pairs),
          Case(heads: 7, channels: 5, rotated: 2, pairs: pairs, height: 3, width: 11),
          Case(heads: 1, channels: 2, rotated: 2, pairs: pairs, width: 1),
        ]
      }
  }

  /// A plain image of cosines or sines.
  private func view(_ test: Case, columns: Int, base: Int32) -> forge_view {
    var view = forge_view()
    view.base = base
    view.height = Int32(test.hasRows ? test.height : 1)
    (view.width, view.channels) = (Int32(columns), Int32(test.rotated))
    return view
  }

  /// The numbers of an image whose cosines and sines begin at a position of their tables.
  private func expected(
    _ test: Case, _ image: Image, cosines: [Float], sines: [Float], columns: Int, position: Int
  ) -> Expected {
    var expected = Expected()
    for y in 0..<test.height {
      for x in 0..<test.width {
        for c in 0..<image.channels {
          let channel = c % test.channels
          let value = Double(image[y, x, c])
          guard channel < test.rotated else {
            expected.append(value, tolerance: 0)
            continue
          }
          let isFirst: Bool
          let distance: Int
          if test.pairs == FORGE_ROTATE_HALVES {
            (isFirst, distance) = (channel < test.rotated / 2, test.rotated / 2)
          } else {
            (isFirst, distance) = (channel % 2 == 0, 1)
          }
          let partner = Double(image[y, x, isFirst ? c + distance : c - distance])
          let row = test.hasRows ? y * columns : 0
          let at = (row + position + x) * test.rotated + channel
          let terms = (
            value * Double(cosines[at]), partner * Double(sines[at]) * (isFirst ? -1 : 1)
          )
          expected.append(
            terms.0 + terms.1, tolerance: 1.3e-7 * (abs(terms.0) + abs(terms.1)) + 1e-45)
        }
      }
    }
    return expected
  }

  @Test("against double precision", arguments: Case.all)
  func numbers(test: Case) {
    var random = SeededGenerator(seed: 8)
    let image = Image(test.height, test.width, test.heads * test.channels, random: &random)
    let count = (test.hasRows ? test.height : 1) * test.width * test.rotated
    let (cosines, sines) = (random.values(count), random.values(count))
    let expected = expected(
      test, image, cosines: cosines, sines: sines, columns: test.width, position: 0)
    for level in Level.available {
      let input = Blocked(image, halo: Halo(left: 1), images: 2)
      let out = Blocked(test.height, test.width, image.channels, halo: Halo(right: 2), images: 2)
      var arguments = forge_rotate_arguments()
      (arguments.in, arguments.out) = (input.view(base: 0), out.view(base: 1))
      arguments.cosines = view(test, columns: test.width, base: 2)
      arguments.sines = view(test, columns: test.width, base: 3)
      (arguments.heads, arguments.pairs) = (Int32(test.heads), Int32(test.pairs.rawValue))
      let before = out.buffer.bits
      let call = Call(
        level.kernels.rotate, arguments,
        bases: [input.buffer, out.buffer, Buffer(cosines), Buffer(sines)], image: 1,
        out: out.buffer, tiles: forge_rotate_tiles)
      expectIndependentTiles(call, "\(level), \(test)")
      expect(out, image: 1, equals: expected, before: before, "\(level), \(test)")
    }
  }

  /// The tables of a stream, from any number on.
  @Test("positions", arguments: [Float.nan, -3, 0, 4, 6, 7, 1e30, .infinity])
  func positions(position: Float) {
    for test in Case.all where test.height == 1 {
      let room = test.width + 6
      var random = SeededGenerator(seed: 9)
      let image = Image(1, test.width, test.heads * test.channels, random: &random)
      let (cosines, sines) = (
        random.values(room * test.rotated), random.values(room * test.rotated)
      )
      let start = position >= 0 ? Int(min(position, 6)) : 0
      let expected = expected(
        test, image, cosines: cosines, sines: sines, columns: room, position: start)
      for level in Level.available {
        let input = Blocked(image)
        let out = Blocked(1, test.width, image.channels)
        var arguments = forge_rotate_arguments()
        (arguments.in, arguments.out) = (input.view(base: 0), out.view(base: 1))
        arguments.cosines = view(test, columns: room, base: 2)
        arguments.sines = view(test, columns: room, base: 3)
        arguments.position.base = 4
        arguments.has_position = 1
        (arguments.heads, arguments.pairs) = (Int32(test.heads), Int32(test.pairs.rawValue))
        let before = out.buffer.bits
        run(
          level.kernels.rotate, arguments,
          bases: [
            input.buffer, out.buffer, Buffer(cosines), Buffer(sines), Buffer([position]),
          ], tiles: 0..<Int64(test.heads))
        expect(out, equals: expected, before: before, "\(level), \(test)")
      }
    }
  }
}
