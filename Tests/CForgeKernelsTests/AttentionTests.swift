import CForgeKernels
import Foundation
import Testing

/// Attention to the tables of a stream, and the kernels that write and read such tables.
///
/// GeneralFixtureTests compares the numbers of attention with other frameworks.
@Suite struct AttentionTests {
  struct Case: CustomStringConvertible, Sendable {
    var queries: Int
    var position: Int
    var heads = 2
    var groups = 2
    var channels = 16
    var valueChannels = 16
    var cap: Float = 0
    /// The rows of the tables behind those that are written.
    var room = 3
    var description: String {
      "\(queries) queries at \(position), \(heads) heads, \(groups) groups, \(channels) and "
        + "\(valueChannels) channels, cap \(cap)"
    }
    var keys: Int { position + queries }
    var capacity: Int { keys + room }

    static let all = [
      Case(queries: 1, position: 0), Case(queries: 1, position: 1, room: 0),
      Case(queries: 1, position: 254), Case(queries: 1, position: 255),
      Case(queries: 1, position: 256), Case(queries: 3, position: 300, heads: 4, groups: 1),
      Case(queries: 33, position: 7, heads: 3, groups: 3, channels: 5, valueChannels: 7),
      Case(queries: 17, position: 250, heads: 6, groups: 2, channels: 19, valueChannels: 48),
      Case(queries: 2, position: 511, heads: 4, groups: 2, channels: 32, valueChannels: 21, cap: 2),
      Case(queries: 70, position: 0, heads: 1, groups: 1, channels: 33, valueChannels: 64),
    ]
  }

  /// Numbers [positions][channels] as a blocked image of one row.
  private func blocked(_ values: [Float], channels: Int) -> (buffer: Buffer, view: forge_view) {
    let positions = values.count / channels
    let blocks = (channels + 15) / 16
    var image = [Float](repeating: 0, count: blocks * positions * 16)
    for (i, value) in values.enumerated() {
      let (x, c) = (i / channels, i % channels)
      image[c / 16 * positions * 16 + x * 16 + c % 16] = value
    }
    var view = forge_view()
    (view.height, view.width, view.channels) = (1, Int32(positions), Int32(channels))
    view.block_stride = Int64(positions * 16)
    view.row_stride = Int64(positions * 16)
    return (Buffer(image), view)
  }

  /// Rows of a table as a plain image of one row.
  private func view(rows: Int, channels: Int, base: Int32) -> forge_view {
    var view = forge_view()
    view.base = base
    (view.height, view.width, view.channels) = (1, Int32(rows), Int32(channels))
    view.row_stride = Int64(rows * channels)
    return view
  }

  private struct Numbers {
    let queries: [Float]
    var keys, values: [Float]

    init(_ test: Case) {
      var random = SeededGenerator(seed: 12)
      queries = random.values(test.queries * test.heads * test.channels)
      keys = random.values(test.keys * test.groups * test.channels)
      values = random.values(test.keys * test.groups * test.valueChannels)
    }
  }

  /// The call of a case: on blocked images of the keys that exist, or on tables whose other rows
  /// are NaN, so that a read of them shows.
  private func call(
    _ test: Case, _ level: Level, tables: Bool, position: Float? = nil,
    numbers: Numbers? = nil, mask: (kind: forge_attention_mask, values: [Float])? = nil
  ) -> Call {
    let numbers = numbers ?? Numbers(test)
    let (keyChannels, valueChannels) =
      (test.groups * test.channels, test.groups * test.valueChannels)
    var arguments = forge_attention_arguments()
    let queries = blocked(numbers.queries, channels: test.heads * test.channels)
    arguments.queries = queries.view
    var keys = blocked(numbers.keys, channels: keyChannels)
    var values = blocked(numbers.values, channels: valueChannels)
    (arguments.key_step, arguments.value_step) = (16, 16)
    if tables {
      let rest = test.capacity - test.keys
      keys.buffer = Buffer(numbers.keys + Array(repeating: .nan, count: rest * keyChannels))
      keys.view = view(rows: test.capacity, channels: keyChannels, base: 1)
      values.buffer = Buffer(numbers.values + Array(repeating: .nan, count: rest * valueChannels))
      values.view = view(rows: test.capacity, channels: valueChannels, base: 2)
      (keys.view.block_stride, values.view.block_stride) = (16, 16)
      (arguments.key_step, arguments.value_step) = (Int64(keyChannels), Int64(valueChannels))
      arguments.has_position = 1
    } else {
      arguments.causal_offset = Int64(test.position)
    }
    arguments.keys = keys.view
    arguments.keys.base = 1
    arguments.values = values.view
    arguments.values.base = 2
    let out = blocked(
      [Float](repeating: 9, count: test.queries * test.heads * test.valueChannels),
      channels: test.heads * test.valueChannels)
    arguments.out = out.view
    arguments.out.base = 3
    arguments.position.base = 4
    arguments.scratch.base = 5
    arguments.is_causal = 1
    if let mask {
      // It is the same for all rows, heads and queries.
      arguments.mask_kind = Int32(mask.kind.rawValue)
      arguments.mask_key = 1
      arguments.mask.base = 6
    }
    (arguments.heads, arguments.groups) = (Int32(test.heads), Int32(test.groups))
    arguments.scale = 0.75
    arguments.cap = test.cap
    arguments.scratch_worker = forge_attention_scratch_floats(&arguments)
    let scratch = Buffer(count: 3 * Int(arguments.scratch_worker))
    return Call(
      level.kernels.attention, arguments,
      bases: [
        queries.buffer, keys.buffer, values.buffer, out.buffer,
        Buffer([position ?? Float(test.position)]), scratch, Buffer(mask?.values ?? [0]),
      ], out: out.buffer, tiles: forge_attention_tiles)
  }

  @Test("tables have the bits of images", arguments: Case.all)
  func tables(test: Case) {
    for level in Level.available {
      let image = call(test, level, tables: false)
      image.runAll()
      let table = call(test, level, tables: true)
      table.runAll()
      #expect(table.out.bits == image.out.bits, "\(level)")
      var random = SeededGenerator(seed: 3)
      table.runDealt(workers: 3, random: &random)
      #expect(table.out.bits == image.out.bits, "\(level), dealt")
    }
  }

  @Test("against double precision", arguments: Case.all)
  func numbers(test: Case) {
    let numbers = Numbers(test)
    for level in Level.available {
      let call = call(test, level, tables: true)
      call.runAll()
      for t in 0..<test.queries {
        for head in 0..<test.heads {
          let group = head * test.groups / test.heads
          let scores = (0...(test.position + t)).map { key in
            var sum = 0.0
            for c in 0..<test.channels {
              sum +=
                Double(numbers.queries[(t * test.heads + head) * test.channels + c])
                * Double(numbers.keys[(key * test.groups + group) * test.channels + c])
            }
            sum *= 0.75
            return test.cap > 0 ? Double(test.cap) * tanh(sum / Double(test.cap)) : sum
          }
          let largest = scores.max() ?? 0
          let weights = scores.map { exp($0 - largest) }
          let total = weights.reduce(0, +)
          for c in 0..<test.valueChannels {
            var sum = 0.0
            for (key, weight) in weights.enumerated() {
              sum +=
                weight
                * Double(numbers.values[(key * test.groups + group) * test.valueChannels + c])
            }
            let channel = head * test.valueChannels + c
            let found = call.out.pointer[channel / 16 * test.queries * 16 + t * 16 + channel % 16]
            #expect(abs(Double(found) - sum / total) < 2e-6, "\(level), \(t), \(head), \(c)")
          }
        }
      }
    }
  }

  /// The numbers of a case, some of which are NaN or infinite at one key.
  private func hostile(_ test: Case, key: Int) -> Numbers {
    var numbers = Numbers(test)
    let (keyChannels, valueChannels) =
      (test.groups * test.channels, test.groups * test.valueChannels)
    numbers.keys[key * keyChannels] = .nan
    numbers.values[key * valueChannels] = .infinity
    numbers.values[(key + 1) * valueChannels - 1] = .nan
    return numbers
  }

  /// Keys that are hidden from a query have no part in its result.
  @Test("hidden keys", arguments: Case.all)
  func hiddenKeys(test: Case) {
    let (last, width) = (test.queries - 1, test.heads * test.valueChannels)
    for level in Level.available {
      let expected = call(test, level, tables: false)
      expected.runAll()
      // The last key is hidden from all queries but the last.
      let found = call(
        test, level, tables: false, numbers: hostile(test, key: test.keys - 1))
      found.runAll()
      for t in 0..<test.queries {
        for c in 0..<width {
          let at = c / 16 * test.queries * 16 + t * 16 + c % 16
          if t < last {
            #expect(found.out.bits[at] == expected.out.bits[at], "\(level), \(t), \(c)")
          } else if c == 0 {
            #expect(found.out.pointer[at].isNaN, "\(level)")
          }
        }
      }

      // A mask hides one key, from everybody.
      let key = test.keys / 2
      let visible = (0..<test.keys).map { Float($0 == key ? 0 : 1) }
      for (kind, mask) in [
        (FORGE_ATTENTION_VISIBLE, visible),
        (FORGE_ATTENTION_ADDED, visible.map { $0 == 0 ? -Float.infinity : 0.25 }),
      ] {
        let expected = call(test, level, tables: false, mask: (kind, mask))
        expected.runAll()
        let found = call(
          test, level, tables: false, numbers: hostile(test, key: key), mask: (kind, mask))
        found.runAll()
        #expect(found.out.bits == expected.out.bits, "\(level)")
        #expect(found.out.pointer[0].isFinite)
      }
    }
  }

  /// A position that is none, or leaves no room, reads nothing outside of the tables.
  @Test("hostile positions", arguments: [Float.nan, -1, -.infinity, .infinity, 1e9, 1e30])
  func hostilePositions(position: Float) {
    var test = Case.all[6]
    // All rows of the tables are numbers.
    test.position += test.room
    test.room = 0
    let clamped = position > 0 ? test.position : 0
    for level in Level.available {
      let expected = call(test, level, tables: true, position: Float(clamped))
      expected.runAll()
      let found = call(test, level, tables: true, position: position)
      found.runAll()
      #expect(found.out.bits == expected.out.bits, "\(level)")
    }
  }

  @Test("rows are appended", arguments: [Float.nan, -3, 0, 4, 6, 7, 1e9])
  func appending(position: Float) {
    var random = SeededGenerator(seed: 4)
    for channels in [1, 16, 21, 48] {
      let rows = random.values(5 * channels)
      let before = random.values(11 * channels)
      for level in Level.available {
        let image = blocked(rows, channels: channels)
        // Canaries behind the table.
        let table = Buffer(before + [7, 7, 7])
        var arguments = forge_append_rows_arguments()
        arguments.in = image.view
        arguments.out = view(rows: 11, channels: channels, base: 1)
        arguments.position.base = 2
        let call = Call(
          level.kernels.append_rows, arguments, bases: [image.buffer, table, Buffer([position])],
          out: table, tiles: forge_append_rows_tiles)
        expectIndependentTiles(call, "\(level), \(channels) channels")
        let start = position >= 0 ? Int(min(position, 6)) : 0
        var expected = before + [7, 7, 7]
        expected.replaceSubrange(start * channels..<(start + 5) * channels, with: rows)
        #expect(table.bits.prefix(expected.count) == expected.map(\.bitPattern)[...], "\(level)")
      }
    }
  }

  @Test("rows are read", arguments: [Float.nan, -3, 0, 4, 6, 7, 1e9])
  func reading(position: Float) {
    var random = SeededGenerator(seed: 4)
    for channels in [1, 16, 7, 21, 42] {
      let table = random.values(11 * channels)
      for level in Level.available {
        let out = blocked([Float](repeating: 9, count: 5 * channels), channels: channels)
        var arguments = forge_rows_from_arguments()
        arguments.in = view(rows: 11, channels: channels, base: 0)
        arguments.out = out.view
        arguments.out.base = 1
        arguments.position.base = 2
        let call = Call(
          level.kernels.rows_from, arguments,
          bases: [Buffer(table), out.buffer, Buffer([position])], out: out.buffer,
          tiles: forge_rows_from_tiles)
        call.run(0..<2)
        call.run(2..<call.tiles)
        let start = position >= 0 ? Int(min(position, 6)) : 0
        let rows = table[start * channels..<(start + 5) * channels]
        // The padded lanes are zero, too.
        #expect(
          out.buffer.bits == blocked(Array(rows), channels: channels).buffer.bits, "\(level)")
      }
    }
  }

  /// The first number that is not a row is recorded, whichever thread finds it.
  @Test("checked rows")
  func faults() {
    let cases: [(ids: [Float], found: Int?)] = [
      ([0, 3, 2], nil), ([0, 4, 2, -1], 1), ([-1, 9], 0), ([1, -2.5], 1), ([1, 2, .nan], 2),
      ([.infinity], 0), ([-0.0, 3], nil), ([1e30, 0], 0),
    ]
    for level in Level.available {
      for (ids, found) in cases {
        var arguments = forge_gather_rows_arguments()
        (arguments.outer, arguments.size, arguments.count, arguments.inner) =
          (1, 4, Int64(ids.count), 2)
        arguments.positions.base = 1
        arguments.out.base = 2
        let out = Buffer(count: 2 * ids.count)
        let bases = [Buffer([0, 1, 2, 3, 4, 5, 6, 7]), Buffer(ids), out]
        var fault = forge_fault()
        // Steps before others have lower sources.
        for source in [7, 5, 6] as [Int32] {
          arguments.fault_source = source
          run(level.kernels.gather_rows, arguments, bases: bases, fault: &fault, tiles: 0..<1)
        }
        #expect(fault.source == (found == nil ? 0 : 5) && fault.lock == 0)
        if let found {
          #expect(fault.index == Int64(found))
          #expect(fault.value.bitPattern == ids[found].bitPattern)
          #expect(out.pointer[2 * found].isNaN)
        }
        withExtendedLifetime(bases) {}
      }
    }
  }
}
